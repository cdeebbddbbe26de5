// Identification: which encoding, layout, base, scaling and arithmetic made somebody's dump, with
// nothing said beforehand.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

struct Identification {
  const Encoding* encoding = nullptr;  // null: not identified
  std::string family;   // "rope cache", "inverse frequencies", "bias": what kind of thing it is
  std::string summary;  // "rope, base 500000, 64 pairs, llama3 scaling by 8"
  std::vector<Parameters::Entry> parameters;  // those that decide it
  std::string scaling;                        // of a rope: none, linear, yarn, …; "" elsewhere
  std::vector<std::string> models;            // of the catalogue, that have this table
  std::string command;                        // makes the same table
  std::int64_t first = 0;                     // position of the first row
  std::int64_t step = 1;                      // from each to the next
  std::vector<std::int64_t> listed = {};      // the rows' positions, where these go by no step
  std::vector<std::string> alternatives;      // what the numbers cannot tell apart from it
  std::vector<std::string> equals;  // the same as "encoding scaling base" words, for programs
  Diagnosis diagnosis;              // of the dump, held against what was identified
  std::string seen;                 // where nothing was identified: what can be said all the same
};

/// `layout`: as Expectation::layout. Throws UsageError where the arrays are none of the layouts
/// known, FileError where they cannot be read.
Identification identify(const Dump& dump, const std::string& layout);

/// What a dump of turns or waves that is unexplained is instead: a table that holds for its every
/// value, and is not the one that is meant. Nothing where it is of none.
struct OtherTable {
  Reason reason;
  double worst;  // distance from the table that it is
};
std::optional<OtherTable> other_table(const Expectation& expected, const Dump& dump);

}  // namespace pe
