// Check: laws that were measured, or a dump that was diagnosed, and whether that is what was asked
// for; Report: many of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"
#include "pe/model/provenance.hpp"
#include "pe/verify/judge.hpp"

namespace pe {

/// What a check ought to find; what is absent may be anything.
struct Expected {
  std::optional<bool> passes;
  std::optional<Tier> tier;
  std::vector<std::string> causes;  // all of them, and no other one; none: any
};

struct Check {
  std::string name;
  Provenance provenance;
  std::vector<std::string> files;      // of a dump
  std::vector<Verdict> verdicts;       // of laws
  std::optional<Diagnosis> diagnosis;  // of a dump
  std::string error;                   // one line: why nothing could be told
  Tier accept = Tier::drift;           // the worst tier of a dump that passes
  std::optional<Expected> expected;
  std::vector<std::string> warnings;
  std::string note;      // on what was looked at
  std::string manifest;  // that asked for it
  Index line = 0;        // where in the manifest; 0: not known
  double seconds = 0;

  Index count(Word word) const;
  /// What was found: 0 all holds, 1 something fails, 2 nothing could be told.
  int found() const;
  /// The same held against `expected`, where there is one: 0 when it is the outcome.
  int exit_code() const;
};

/// "passed", "failed", "untold".
std::string_view outcome_of(const Check& check);

/// What was found, as one line: "WRONG: base 500000, where 10000 (default) is meant [wrong-base]".
std::string sentence_of(const Check& check);

/// Where the outcome is not the expected one: "cause wrong-base was expected"; else "".
std::string surprise_of(const Check& check);

/// One of several runs that share a manifest's checks among them.
struct Shard {
  Index number = 1, of = 1;
  std::string manifest = {};        // its digest
  Index checks = 0;                 // that the manifest has
  std::vector<Index> numbers = {};  // of the checks of this shard, as the manifest counts them
};

struct Report {
  std::string tool, version, command;
  std::vector<Check> checks;
  std::optional<Shard> shard = {};  // none: of all checks

  Index count(int exit_code) const;
  /// 1 when any check fails, else 2 when any could not be told.
  int exit_code() const;
};

}  // namespace pe
