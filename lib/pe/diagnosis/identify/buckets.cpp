// Index matrices by their numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/identify/bucket_guesses.hpp"
#include "pe/diagnosis/identify/matrix.hpp"

namespace pe {
namespace {

bool is_whole(const Stored& array) {
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 65536)));
  array.read(0, std::ssize(some), some.data());
  bool changes = false;
  for (const double value : some) {
    if (!std::isfinite(value) || value != std::floor(value)) return false;
    changes = changes || value != some.front();
  }
  return changes;
}

// Real numbers 1, 2, 3, … along one axis count something: no bucket is seen.
bool counts_on(const Stored& array, const ScoreMatrix& m) {
  if (is_integer(array.dtype) || m.queries > 1) return false;
  const std::vector<double> row = m.row(array, 0, 0);
  return std::ranges::adjacent_find(row, [](double a, double b) { return b - a != 1; }) ==
         row.end();
}

// Maps as most models have them, for numbers that no map gives as they are.
std::vector<Candidate> usual_maps(const ScoreMatrix& m) {
  std::vector<Candidate> all;
  for (const char* both : {"true", "false"})
    all.push_back({.encoding = &find_encoding("t5"),
                   .given = identified({{"bidirectional", both}}),
                   .cost = 0,
                   .model = {}});
  if (m.queries == m.keys) {
    const std::vector<Candidate> windows = window_guesses(m.keys);
    if (!windows.empty()) all.push_back(windows.front());
  }
  return all;
}

// Whether a map gives the numbers of a few rows, up to a constant that tables of relative positions
// leave out.
bool suits(const Candidate& candidate, const Stored& array, const ScoreMatrix& m, double highest) {
  const auto expected = expectation_of(candidate, 1024, 0, false);
  const auto map = expected ? buckets_of(expected->effect) : std::nullopt;
  if (!map || (map->positions && *map->positions < m.keys)) return false;
  if (map->positions && static_cast<double>(map->count - 1) != highest) return false;
  const bool offsets = m.queries == 1 && m.keys % 2 == 1;
  for (const bool by_offset : {true, false}) {
    if (by_offset && !offsets) continue;
    bool equal = true;
    std::optional<double> shift;
    for (const Index query : std::set<Index>{0, 1, m.queries / 2, m.queries - 1}) {
      if (query < 0 || query >= m.queries) continue;
      const std::vector<double> row = m.row(array, 0, query);
      const Index at = by_offset ? (m.keys - 1) / 2 : query + m.keys - m.queries;
      for (Index key = 0; key < m.keys && equal; ++key) {
        const double off = row[static_cast<std::size_t>(key)] -
                           static_cast<double>(by_offset ? map->of(0, key - at) : map->of(at, key));
        if (!shift) shift = off;
        equal = off == *shift && (*shift == 0 || *shift == -static_cast<double>(map->of(0, 0)));
      }
    }
    if (equal) return true;
  }
  return false;
}

}  // namespace

std::optional<Identification> identify_index(const Dump& dump, const std::string& layout) {
  const Stored& array = dump.arrays[0];
  if (array.size() < 3 || !is_whole(array)) return {};
  const ScoreMatrix m = matrix_of(array);
  if (counts_on(array, m)) return {};
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const Index query : std::set<Index>{0, m.queries / 2, m.queries - 1})
    for (const double value : m.row(array, 0, query)) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  std::vector<Candidate> all;
  if (m.queries == m.keys)
    for (Candidate& candidate : window_guesses(m.keys)) all.push_back(std::move(candidate));
  for (Candidate& candidate : bucket_guesses(lowest, highest)) all.push_back(std::move(candidate));
  std::vector<Candidate> suited;
  for (const Candidate& candidate : all)
    if (suits(candidate, array, m, highest)) suited.push_back(candidate);
  auto found = settle(suited, dump, layout, false);
  if (!found) found = settle(suited, dump, layout, true);
  if (!found && is_integer(array.dtype) && m.queries > 3)
    found = settle(usual_maps(m), dump, layout, true);
  if (!found) return {};
  found->family = "matrix of bucket indices";
  if (m.queries == 1) found->family = "bucket indices along one axis";
  found->summary =
      fmt::format("{}, {}", found->encoding->name,
                  spell_given(found->parameters).empty() ? "default parameters"
                                                         : spell_given(found->parameters));
  for (const Candidate& candidate : suited) {
    const auto expected = expectation_of(candidate, 1024, 0, false);
    const auto entries = telling(candidate, *expected);
    if (candidate.encoding == found->encoding &&
        spell_given(entries) == spell_given(found->parameters))
      continue;
    found->alternatives.push_back(
        fmt::format("{}, {}: the same indices at these distances", candidate.encoding->name,
                    spell_given(entries).empty() ? "default parameters" : spell_given(entries)));
    found->equals.push_back(std::string(candidate.encoding->name));
    if (found->alternatives.size() >= 6) break;
  }
  found->command += fmt::format(" --fields {} --length {}", m.queries > 1 ? "index" : "bucket",
                                m.queries > 1 ? m.keys : (m.keys + 1) / 2);
  return found;
}

}  // namespace pe
