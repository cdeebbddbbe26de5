// Guesses held against a dump, and told.
#include "pe/diagnosis/identify/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pe/base/error.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/written.hpp"

namespace pe {

RotationObservation Guess::observe(std::vector<Index> rows) const {
  return {expected, dump, likely.reading, likely.truth, std::move(rows)};
}

namespace {

// The candidate with the rows beside its positions said.
Candidate with_tokens(Candidate candidate, const Tokens& tokens) {
  for (const auto& [name, count] : {std::pair{"prefix", tokens.before}, {"suffix", tokens.behind}})
    if (count > 0) candidate.given[name] = {std::to_string(count), "the dump"};
  return candidate;
}

bool says_tokens(const Candidate& candidate) {
  return candidate.given.contains("prefix") || candidate.given.contains("suffix");
}

}  // namespace

std::optional<Guess> held(const Candidate& candidate, const Dump& dump, Index rows,
                          const std::string& layout, bool at_a_glance) {
  auto expected = expectation_of(candidate, rows, 0, true);
  if (!expected || !is_of_turns(expected->effect)) return {};
  expected->rows = rows;
  expected->layout = layout;
  try {
    Written written = as_written(*expected, dump);
    if (written.tokens.count() > 0 && !says_tokens(candidate))
      return held(with_tokens(candidate, written.tokens), dump, rows, layout, at_a_glance);
    // Of the width that the candidate has, and no other: candidates of all widths are tried.
    Expectation of_its_width = written.expected;
    of_its_width.remake = nullptr;
    constexpr Index few = 48, all = std::numeric_limits<Index>::max();
    LikelyReading likely = likely_reading(of_its_width, written.dump, at_a_glance ? few : all);
    if (at_a_glance && likely.share == 1) likely = likely_reading(of_its_width, written.dump);
    return Guess{candidate, std::move(written.expected), std::move(written.dump), std::move(likely),
                 written.tokens};
  } catch (const UsageError&) {
    return {};
  }
}

namespace {

// The fields of cosines and sines that carry scales; empty: the usual ones.
std::string fields_of(const Guess& guess, const Dump& dump) {
  if (guess.likely.reading.is_vectors() || !guess.likely.reading.scales) return "";
  const std::string query = "query_cos,query_sin", key = "key_cos,key_sin";
  return sided_caches(dump).size() > 1                ? query + "," + key
         : guess.likely.reading.scales == Side::query ? query
                                                      : key;
}

}  // namespace

Identification told(const Guess& guess, const Dump& dump, Diagnosis diagnosis) {
  const Encoding& encoding = *guess.candidate.encoding;
  Identification found;
  found.encoding = &encoding;
  found.family = !dump.before.empty()           ? "vectors before and after"
                 : encoding.kind == Kind::table ? "table of a grid"
                 : encoding.name == "xpos"      ? "cache of turns that carry scales"
                                                : "cache of turns along several axes";
  found.summary = encoding.name;
  for (const Parameters::Entry& entry : guess.expected.parameters.entries())
    if (guess.candidate.given.contains(entry.name))
      found.summary += fmt::format(", {} {}", entry.name, entry.text);
  if (encoding.kind == Kind::rotation) {
    const auto scaling = guess.candidate.given.find("scaling");
    found.scaling = scaling == guess.candidate.given.end() ? "none" : scaling->second.text;
  }
  found.parameters = telling(guess.candidate, guess.expected);
  found.command =
      command_of(guess.candidate, guess.expected, *guess.expected.rows + guess.tokens.count(), 0,
                 fields_of(guess, dump), dump.arrays[0].dtype);
  found.diagnosis = std::move(diagnosis);
  return found;
}

std::optional<Identification> told(std::vector<Guess> agreeing, const Dump& dump) {
  std::ranges::stable_sort(agreeing, {}, [](const Guess& one) { return one.candidate.cost; });
  std::optional<Identification> best;
  for (const Guess& guess : agreeing) {
    Diagnosis diagnosis = diagnose(guess.expected, dump);
    if (diagnosis.tier == Tier::wrong) continue;
    Identification found = told(guess, dump, std::move(diagnosis));
    if (!best) {
      best = std::move(found);
      continue;
    }
    best->alternatives.push_back(found.summary + " holds the same numbers");
    best->equals.push_back(found.summary);
  }
  return best;
}

std::vector<Index> counts_of_rows(const Dump& dump) {
  const std::vector<Index>& shape = dump.arrays[0].shape;
  std::vector<Index> all;
  Index rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    rows *= shape[i];
    all.push_back(shape[i]);
    if (dump.before.empty()) all.push_back(rows);
  }
  std::ranges::sort(all, std::greater{});
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [](Index count) { return count < 3; });
  return all;
}

}  // namespace pe
