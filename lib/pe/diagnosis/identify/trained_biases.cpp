// Trained biases by where they change, held to what is named by every number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/base/ulp.hpp"
#include "pe/diagnosis/buckets/maps.hpp"
#include "pe/diagnosis/identify/bucket_guesses.hpp"
#include "pe/diagnosis/identify/matrix.hpp"

namespace pe {
namespace {

// The number at each offset key − query of a plane, from −(keys − 1) on, where it is the same at
// every pair that has it; NaN where none is seen. Empty: it is not.
std::vector<double> along_diagonals(const ScoreMatrix& m, const Stored& array) {
  std::vector<double> values(static_cast<std::size_t>(m.keys + m.queries - 1), std::nan(""));
  const Index shift = m.keys - m.queries;
  for (const Index query : std::set<Index>{0, m.queries / 3, m.queries / 2, m.queries - 1}) {
    const std::vector<double> row = m.row(array, 0, query);
    for (Index key = 0; key < m.keys; ++key) {
      double& value = values[static_cast<std::size_t>(key - query - shift + m.keys - 1)];
      const double here = row[static_cast<std::size_t>(key)];
      if (std::isnan(here)) continue;
      if (std::isnan(value)) value = here;
      if (value != here) return {};
    }
  }
  return values;
}

// Whether the numbers along the diagonals change exactly where a map's buckets do; some distances
// must share a bucket (`least`), or nothing is seen of buckets.
bool changes_with(const Buckets& map, bool causal, const std::vector<double>& values, Index keys,
                  Index least) {
  Index changes = 0, shared = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const Index offset = static_cast<Index>(i) - (keys - 1);
    if (std::isnan(values[i]) || std::isnan(values[i - 1])) continue;
    const bool same = values[i] == values[i - 1];
    if (causal && offset > 0 && !same) return false;
    if (same != (map.of(0, offset) == map.of(0, offset - 1))) return false;
    changes += !same;
    shared += same && offset <= 0;
  }
  return changes >= 4 && shared >= least;
}

// What is known of such a bias where no map is, by rows of head 0.
Identification trained(const ScoreMatrix& m, const Stored& array) {
  Identification found;
  found.family = "bias of relative positions";
  found.diagnosis.what = fmt::format("bias of {} heads, {} queries and {} keys, {}", m.heads,
                                     m.queries, m.keys, name_of(array.dtype));
  found.diagnosis.tier = Tier::exact;
  return found;
}

// Whether every head has one number for each bucket, but for a constant of each query, which
// softmax cannot see, and for what adding it may have rounded.
bool holds_up_to_constants(const ScoreMatrix& m, const Stored& array, const Buckets& map) {
  const Index before = m.keys - m.queries;
  for (Index head = 0; head < m.heads; ++head) {
    std::vector<double> weights(static_cast<std::size_t>(map.count), std::nan(""));
    std::vector<double> rounded(weights.size());
    for (Index query = 0; query < m.queries; ++query) {
      const std::vector<double> row = m.row(array, head, query);
      const double own = row[static_cast<std::size_t>(query + before)];
      if (std::isnan(own)) return false;
      for (Index key = 0; key < m.keys; ++key) {
        const double value = row[static_cast<std::size_t>(key)] - own;
        if (std::isnan(value)) continue;
        const auto bucket = static_cast<std::size_t>(map.of(query + before, key));
        const double error = 2 * (rounding_error(std::fabs(value + own), array.dtype) +
                                  rounding_error(std::fabs(own), array.dtype));
        if (std::isnan(weights[bucket])) {
          weights[bucket] = value;
          rounded[bucket] = error;
        } else if (!(std::fabs(value - weights[bucket]) <= error + rounded[bucket])) {
          return false;
        }
      }
    }
  }
  return true;
}

// A bias whose head 0 changes where the map does, held to it by every number. Where no cause tells
// what is off, it is of no map.
Identification held_to(Candidate candidate, const Buckets& map, const ScoreMatrix& m,
                       const Dump& dump, const std::string& layout, const std::string& summary) {
  candidate.given["heads"] = identified(std::to_string(m.heads));
  auto found = settle({candidate}, dump, layout, true);
  if (found) {
    found->family = "bias of relative positions";
    found->summary = summary + "; its weights are trained and lie in the matrix";
    found->command.clear();  // without the weights it makes others
    return *found;
  }
  Identification unknown = trained(m, dump.arrays[0]);
  if (holds_up_to_constants(m, dump.arrays[0], map)) {
    const auto expected = expectation_of(candidate, 1024, 0, false);
    unknown.encoding = candidate.encoding;
    unknown.parameters = telling(candidate, *expected);
    unknown.summary = summary + "; its weights are trained and lie in the matrix";
    unknown.diagnosis.coverage = "all cells that are not masked";
    unknown.diagnosis.notes.push_back(
        "queries have constants of their own, which softmax cannot see");
    return unknown;
  }
  unknown.seen = fmt::format("{}: head 0 looks like {}, and the numbers of all are of no such bias",
                             unknown.diagnosis.what, summary);
  return unknown;
}

std::optional<Identification> identify_logarithmic(const ScoreMatrix& m, const Dump& dump,
                                                   const std::string& layout,
                                                   const std::vector<double>& values) {
  // One row says each distance once: more than one of them must agree.
  const Index least = m.queries < 4 ? 4 : 1;
  std::optional<Identification> found;
  for (const Candidate& candidate : bucket_guesses(0, 0)) {
    if (candidate.encoding->name != "t5") continue;
    const auto expected = expectation_of(candidate, 1024, 0, false);
    const auto map = expected ? buckets_of(expected->effect) : std::nullopt;
    const bool causal = candidate.given.at("bidirectional").text == "false";
    if (!map || !changes_with(*map, causal, values, m.keys, least)) continue;
    const std::string sizes =
        fmt::format("{} buckets up to distance {}", candidate.given.at("num-buckets").text,
                    candidate.given.at("max-distance").text);
    if (found) {
      found->alternatives.push_back(sizes + ": the same at these distances");
      continue;
    }
    found = held_to(candidate, *map, m, dump, layout,
                    fmt::format("t5, {}, {}", sizes, causal ? "causal" : "bidirectional"));
  }
  return found;
}

// One number for each index of a window, in head 0; some pairs must share an index.
bool is_window(const ScoreMatrix& m, const Stored& array, const Buckets& map) {
  std::vector<double> weights(static_cast<std::size_t>(map.count), std::nan(""));
  Index shared = 0;
  for (Index query = 0; query < m.queries; ++query) {
    const std::vector<double> row = m.row(array, 0, query);
    for (Index key = 0; key < m.keys; ++key) {
      const double value = row[static_cast<std::size_t>(key)];
      double& weight = weights[static_cast<std::size_t>(map.of(query, key))];
      if (std::isnan(value)) continue;
      if (std::isnan(weight))
        weight = value;
      else if (weight != value)
        return false;
      else
        ++shared;
    }
  }
  return 2 * shared > m.queries;
}

std::optional<Identification> identify_window(const ScoreMatrix& m, const Dump& dump,
                                              const std::string& layout) {
  constexpr Index widest = 1024;
  if (m.queries != m.keys || m.keys > widest) return {};
  for (const Candidate& candidate : window_guesses(m.keys)) {
    const auto expected = expectation_of(candidate, 1024, 0, false);
    const auto map = expected ? buckets_of(expected->effect) : std::nullopt;
    if (!map || !is_window(m, dump.arrays[0], *map)) continue;
    Identification found = held_to(candidate, *map, m, dump, layout,
                                   "swin, " + spell_given(telling(candidate, *expected)));
    found.family = "bias of a window";
    return found;
  }
  return {};
}

}  // namespace

std::optional<Identification> identify_trained(const Dump& dump, const std::string& layout) {
  const Stored& array = dump.arrays[0];
  if (is_integer(array.dtype)) return {};
  const ScoreMatrix m = masked_matrix_of(array);
  if (m.keys < 8 || m.keys < m.queries) return {};
  const std::vector<double> values = along_diagonals(m, array);
  if (values.empty()) return m.queries < 4 ? std::nullopt : identify_window(m, dump, layout);
  if (auto found = identify_logarithmic(m, dump, layout, values)) return found;
  if (m.queries < 4) return {};
  std::set<double> distinct;
  for (const double value : values)
    if (!std::isnan(value)) distinct.insert(value);
  if (distinct.size() < 2) return {};
  Identification found = trained(m, array);
  found.diagnosis.coverage = "head 0, rows at the start, the middle and the end";
  found.seen = fmt::format(
      "{}: the same along each diagonal, {} different numbers, and on no buckets that are known",
      found.diagnosis.what, distinct.size());
  return found;
}

}  // namespace pe
