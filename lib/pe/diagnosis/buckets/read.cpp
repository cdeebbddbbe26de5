// The buckets of a dump as they stand there, where each lies near the one that is meant.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/buckets/observation.hpp"

namespace pe {
namespace {

using Read = std::map<std::int64_t, Index>;  // the bucket of each offset

// Of every offset that the dump has; nothing where one has several buckets, or was not looked at.
std::optional<Read> read_off(const BucketObservation& observation) {
  const BucketShape& shape = observation.shape;
  Read read;
  for (const BucketObservation::Probe& probe : observation.probes)
    for (Index k = 0; k < probe.keys.count; ++k) {
      const auto got = whole<Index>(probe.got[static_cast<std::size_t>(k)]);
      if (!got) return {};
      if (read.try_emplace(probe.keys.at(k) - probe.query, *got).first->second != *got) return {};
    }
  if (std::ssize(read) != shape.queries + shape.keys - 1) return {};
  return read;
}

// Where each distance has a bucket of its own nothing may differ, and beyond only by a few, each
// bucket no nearer than the one before it.
bool is_near(const BucketObservation& observation, const BucketHypothesis& hypothesis,
             const Read& read, Index exact) {
  constexpr Index few = 3;
  std::optional<Index> before, truth_before;
  for (const auto& [offset, got] : read) {
    const auto truth = static_cast<Index>(observation.bucket(hypothesis, 0, offset));
    if (std::abs(got - truth) > (std::abs(offset) <= exact ? 0 : few)) return false;
    if (before && std::abs(offset) > exact && (got - *before) * (truth - *truth_before) < 0)
      return false;
    before = got;
    truth_before = truth;
  }
  return true;
}

}  // namespace

std::vector<Proposal<BucketHypothesis>> offer_read_buckets(const BucketObservation& observation,
                                                           const BucketHypothesis& hypothesis) {
  const auto& rule = hypothesis.map.rule;
  using Scale = BucketRule::Scale;
  if (!rule || !hypothesis.map.by_offset || observation.shape.keys > 1024 ||
      (rule->scale != Scale::t5 && rule->scale != Scale::deberta))
    return {};
  const Index half = rule->both && rule->scale == Scale::t5 ? rule->count / 2 : rule->count;
  const auto read = read_off(observation);
  if (!read || !is_near(observation, hypothesis, *read, half / 2)) return {};
  Index others = 0;
  std::optional<std::int64_t> nearest;
  for (const auto& [offset, got] : *read)
    if (static_cast<double>(got) != observation.bucket(hypothesis, 0, offset)) {
      ++others;
      if (!nearest || std::abs(offset) < std::abs(*nearest)) nearest = offset;
    }
  if (others < 2) return {};
  BucketHypothesis other = hypothesis;
  other.map.of = [read = std::make_shared<const Read>(*read), hypothesis](std::int64_t query,
                                                                          std::int64_t key) {
    const std::int64_t offset = hypothesis.transposed ? query - key : key - query;
    const auto found = read->find(offset + hypothesis.query_shift);
    return found == read->end() ? Index{-1} : found->second - hypothesis.added;
  };
  other.map.rule.reset();
  return {{std::move(other),
           fmt::format("key - query = {} has bucket {}, where {} is meant; {} of {} offsets have "
                       "another's",
                       *nearest, read->at(*nearest), observation.bucket(hypothesis, 0, *nearest),
                       others, read->size()),
           1.3}};
}

}  // namespace pe
