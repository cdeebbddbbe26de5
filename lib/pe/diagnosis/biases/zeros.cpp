// Biases that are not there: nowhere, from a query on, in some heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/diagnosis/biases/proposals.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

bool is_zero_row(const BiasObservation& observation, Index row) {
  const Index keys = observation.shape.keys;
  std::vector<double> values(static_cast<std::size_t>(keys));
  observation.array->read(row * keys, keys, values.data());
  return std::ranges::all_of(values, [&](double value) {
    return value == 0 || observation.mask->holds(value) || observation.is_gap(value);
  });
}

// What most rows deny at a glance.
bool starts_with_zeros(const BiasObservation& observation, Index row) {
  constexpr Index few = 16;
  double values[few];
  const Index keys = observation.shape.keys, count = std::min(few, keys);
  observation.array->read(row * keys, count, values);
  return std::all_of(values, values + count, [&](double value) {
    return value == 0 || observation.mask->holds(value) || observation.is_gap(value);
  });
}

// The query from which on the rows of the first head hold nothing but zeros, down to the last;
// found by halves.
std::optional<std::int64_t> first_zero_row(const BiasObservation& observation) {
  const BiasShape& shape = observation.shape;
  if (shape.slopes || shape.queries < 2 || !is_zero_row(observation, shape.queries - 1)) return {};
  Index from = 0, to = shape.queries - 1;
  while (from < to) {
    const Index middle = from + (to - from) / 2;
    if (is_zero_row(observation, middle))
      to = middle;
    else
      from = middle + 1;
  }
  return to == 0 ? std::nullopt : std::optional(shape.first_query + to);
}

// Heads that hold nothing but zeros, beside others that do not; empty where there are none.
std::vector<bool> zero_heads(const BiasObservation& observation) {
  const auto heads = static_cast<std::size_t>(observation.shape.heads);
  std::vector<bool> zero(heads, false), seen(heads, false);
  for (const BiasObservation::Probe& probe : observation.probes) {
    const auto head = static_cast<std::size_t>(probe.plane) % heads;
    const bool zeros = std::ranges::all_of(probe.got, [&](double value) {
      return value == 0 || observation.mask->holds(value) || observation.is_gap(value);
    });
    zero[head] = zeros && (zero[head] || !seen[head]);
    seen[head] = true;
  }
  const auto count = std::ranges::count(zero, true);
  return count == 0 || count == std::ssize(zero) ? std::vector<bool>{} : zero;
}

// Rows of queries, plane by plane, that hold nothing but zeros where a bias is meant that is not
// one number throughout.
struct ZeroRows {
  std::vector<bool> zero = {};     // whatever is meant
  std::vector<bool> missing = {};  // of these, where a bias is meant
  Index planes = 0, queries = 0, heads = 0;
  std::int64_t first_query = 0;

  bool is_missing(Index plane, Index query) const {
    return missing[static_cast<std::size_t>(plane * queries + query)];
  }
  // The queries of a plane whose bias is missing.
  std::vector<Index> of_plane(Index plane) const {
    std::vector<Index> own;
    for (Index query = 0; query < queries; ++query)
      if (is_missing(plane, query)) own.push_back(query);
    return own;
  }
  // Every row of a plane is zero.
  bool is_whole(Index plane) const {
    return std::all_of(zero.begin() + plane * queries, zero.begin() + (plane + 1) * queries,
                       [](bool is_zero) { return is_zero; });
  }
};

// A bias is meant in a row of zeros.
bool is_missed(const BiasObservation& observation, const BiasHypothesis& hypothesis, Index row) {
  const BiasShape& shape = observation.shape;
  const std::int64_t query = shape.first_query + row % shape.queries;
  const Index plane = row / shape.queries;
  std::vector<double> got(static_cast<std::size_t>(shape.keys)), truth(got.size());
  observation.array->read(row * shape.keys, shape.keys, got.data());
  observation.evaluate(hypothesis, plane, query, shape.first_key, shape.keys, truth.data());
  std::optional<double> first;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const std::int64_t key = shape.first_key + static_cast<Index>(k);
    if (got[k] != 0 || !std::isfinite(truth[k]) || observation.is_later(query, key) ||
        observation.is_hidden(plane, query, key))
      continue;
    if (!first) first = truth[k];
    if (std::fabs(truth[k] - *first) >
        2 * observation.allowed(hypothesis, plane, truth[k], 0, 0,
                                static_cast<double>(std::abs(query - key))))
      return true;
  }
  return false;
}

std::optional<ZeroRows> zero_rows(const BiasObservation& observation,
                                  const BiasHypothesis& hypothesis) {
  const BiasShape& shape = observation.shape;
  ZeroRows rows{.planes = shape.batch * shape.heads,
                .queries = shape.queries,
                .heads = shape.heads,
                .first_query = shape.first_query};
  const Index count = rows.planes * shape.queries;
  bool any = false, all = true;
  for (Index row = 0; row < count; ++row) {
    const bool zero = starts_with_zeros(observation, row) && is_zero_row(observation, row);
    rows.zero.push_back(zero);
    rows.missing.push_back(zero && is_missed(observation, hypothesis, row));
    any = any || rows.missing.back();
    all = all && zero;
  }
  return any && !all ? std::optional(std::move(rows)) : std::nullopt;
}

std::string spell_queries(const ZeroRows& rows, const std::vector<Index>& queries) {
  const Index first = queries.front() + rows.first_query, last = queries.back() + rows.first_query;
  if (first == last) return fmt::format("the query at position {}", first);
  if (last - first + 1 == std::ssize(queries))
    return fmt::format("queries at positions {} to {}", first, last);
  return fmt::format("{} of {} queries, the first at position {}", queries.size(), rows.queries,
                     first);
}

std::string spell_planes(const ZeroRows& rows, const std::vector<Index>& planes) {
  const Index batch = rows.planes / rows.heads, sequence = planes.front() / rows.heads;
  if (std::ssize(planes) == rows.planes) return "";
  if (std::ssize(planes) == rows.heads && planes.back() / rows.heads == sequence)
    return fmt::format("sequence {} of {}", sequence, batch);
  const std::string of = batch > 1 ? fmt::format(" of sequence {}", sequence) : "";
  if (planes.size() == 1) return fmt::format("head {}{}", planes.front() % rows.heads, of);
  return fmt::format("{} of {} heads{}, the first of them head {}{}", planes.size(), rows.planes,
                     batch > 1 ? " of all sequences" : "", planes.front() % rows.heads, of);
}

std::string spell_missing(const ZeroRows& rows) {
  std::vector<Index> planes, queries;
  Index missing = 0;
  bool alike = true, whole = true;
  for (Index plane = 0; plane < rows.planes; ++plane) {
    const std::vector<Index> own = rows.of_plane(plane);
    if (own.empty()) continue;
    alike = alike && (planes.empty() || own == queries);
    whole = whole && rows.is_whole(plane);
    planes.push_back(plane);
    queries = own;
    missing += std::ssize(own);
  }
  const std::string where = spell_planes(rows, planes);
  if (whole) return "there is no bias in " + where;
  return fmt::format("there is no bias for {}{}",
                     alike ? spell_queries(rows, queries)
                           : fmt::format("{} rows of {}", missing, rows.planes * rows.queries),
                     where.empty() ? "" : " in " + where);
}

// Whole rows without a bias, where nothing else was told yet.
BiasProposals some_rows(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (observation.shape.slopes || !is_first(observation, hypothesis)) return {};
  BiasHypothesis plain = hypothesis;
  plain.constant = BiasHypothesis::Constant::none;
  const auto rows = zero_rows(observation, plain);
  if (!rows) return {};
  plain.zero_rows = std::make_shared<const std::vector<bool>>(rows->missing);
  BiasHypothesis free = hypothesis;
  free.zero_rows = plain.zero_rows;
  BiasProposals proposals = {{std::move(plain), spell_missing(*rows), 1.02}};
  if (hypothesis.constant != BiasHypothesis::Constant::none)
    proposals.push_back({std::move(free), proposals.front().sentence, 1.2});
  return proposals;
}

}  // namespace

BiasProposals offer_zeros(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasHypothesis none = hypothesis;
  none.zero_from = std::numeric_limits<std::int64_t>::min();
  none.constant = BiasHypothesis::Constant::none;
  if (observation.shape.slopes) none.scale = 0;
  // Nothing is simpler; a row's constant would let other causes say as much.
  BiasProposals proposals = {{std::move(none), "there is no bias: every value is 0", 0.8}};
  const std::optional<std::int64_t> from = first_zero_row(observation);
  const std::vector<bool> heads = zero_heads(observation);
  using Constant = BiasHypothesis::Constant;
  for (const auto constant : {Constant::none, Constant::key, Constant::key_from_last}) {
    if (constant != Constant::none && !(is_linear(hypothesis) && hypothesis.masked)) continue;
    BiasHypothesis some = hypothesis;
    some.constant = constant;
    if (!heads.empty()) {
      some.zero_heads = heads;
      proposals.push_back({some,
                           fmt::format("{} of {} heads have no bias, the first of them head {}",
                                       std::ranges::count(heads, true), heads.size(),
                                       std::ranges::find(heads, true) - heads.begin()),
                           1});
      some.zero_heads.clear();
    }
    if (!from) continue;
    some.zero_from = from;
    // Zeros as they stand are seen; a row's own constant, which others may need, is granted.
    const double cost = constant == Constant::none ? 0.95 : 1.2;
    proposals.push_back({std::move(some),
                         fmt::format("there is no bias for queries from position {} on, as where "
                                     "decoding with a cache drops it",
                                     *from),
                         cost});
  }
  std::ranges::move(some_rows(observation, hypothesis), std::back_inserter(proposals));
  return proposals;
}

}  // namespace pe
