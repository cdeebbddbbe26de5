// Pairs that stand still, one side alone, channels that were spoilt.
#include "pe/diagnosis/rotations/last_resorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/channels.hpp"
#include "pe/diagnosis/rotations/column_order.hpp"
#include "pe/diagnosis/rotations/columns.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/verdict.hpp"

namespace pe {
namespace {

// Several things that columns hold are one where each holds another's.
PartReport simplest(const ProbedDump& dump, PartReport part) {
  if (part.reasons.size() > 1 && part.attempt->reasons.empty())
    if (auto order = column_order(dump, *part.attempt)) part.reasons = {std::move(order->reason)};
  return part;
}

}  // namespace

std::optional<std::pair<const Attempt*, Diagnosis>> beside_still_pairs(
    const ProbedDump& dump, const std::vector<Attempt>& kept, const AttemptJudge& judge) {
  std::optional<std::pair<const Attempt*, Diagnosis>> best;
  std::size_t fewest = 0;
  for (const Attempt& one : kept) {
    const RotationObservation observation = observe(dump, one);
    const std::vector<Index> still = still_pairs(observation);
    if (still.empty()) continue;
    Attempt open = one;
    open.hypotheses.clear();
    open.reasons.clear();
    open.reading.open = still;
    Diagnosis other = judge(open);
    if (other.tier == Tier::wrong && !is_explained(other)) continue;
    const std::size_t count = one.reasons.size() + other.reasons.size();
    if (best && fewest <= count) continue;
    fewest = count;
    other.reasons.insert(other.reasons.begin(), told_still(observation, still));
    best = std::pair(&one, std::move(other));
  }
  return best;
}

std::optional<Diagnosis> wrong_side(const ProbedDump& dump, const Attempt& attempt,
                                    const AttemptJudge& judge) {
  using Form = RotationReading::Form;
  if (attempt.reading.form != Form::turns || attempt.reading.is_one_sided() ||
      attempt.reading.is_vectors() || !attempt.reasons.empty())
    return {};
  using OneSide = RotationReading::Side;
  const auto of = [&](OneSide side) {
    Attempt one = attempt;
    one.reading.side = side;
    one.hypotheses.clear();
    return one;
  };
  const auto told = [&](OneSide side) { return judge(of(side)); };
  for (const auto& [right, wrong, word] : {std::tuple{OneSide::cosine, OneSide::sine, "sines"},
                                           std::tuple{OneSide::sine, OneSide::cosine, "cosines"}}) {
    const Attempt half = of(right);
    const RotationObservation observation = observe(dump, half);
    if (!observation.agrees(observation.start()) || told(right).tier > Tier::drift) continue;
    Diagnosis other = told(wrong);
    // One side that stands in both places was copied, not exchanged.
    if (other.reasons.size() != 1 || other.reasons[0].cause == Cause::sin_cos_swapped) return {};
    std::string& sentence = other.reasons[0].sentence;
    sentence = fmt::format("{} alone: {}", word, sentence);
    return other;
  }
  return {};
}

std::optional<PartReport> few_spoilt_columns(const ProbedDump& dump,
                                             const std::vector<Attempt>& attempts) {
  for (const Attempt& one : attempts) {
    if (!one.reasons.empty() || one.copies_differ) continue;
    ColumnReport columns = spoilt_columns(dump, one);
    if (!columns.reasons.empty() && 4 * columns.wrong <= columns.all)
      return simplest(dump, {&one, std::move(columns.reasons)});
  }
  return {};
}

std::optional<PartReport> spoilt_part_of(const ProbedDump& dump,
                                         const std::vector<Attempt>& attempts,
                                         const std::vector<Attempt>& kept, const Attempt& attempt) {
  std::vector<const Attempt*> readings;
  for (const Attempt& one : attempts)
    if (one.reasons.empty() && !one.copies_differ) readings.push_back(&one);
  readings.push_back(&attempt);
  for (const Attempt& one : kept)
    if (!one.copies_differ && !one.reading.is_vectors()) readings.push_back(&one);
  std::optional<PartReport> best;
  std::size_t fewest = 0;
  for (const Attempt* one : readings) {
    ColumnReport columns = spoilt_columns(dump, *one);
    if (columns.reasons.empty()) {
      const auto reason = spoilt_channels(observe(dump, *one), dump.dump.get());
      if (reason && !best) return PartReport{one, {*reason}};
    } else if (!best || columns.wrong < fewest) {
      fewest = columns.wrong;
      best = PartReport{one, std::move(columns.reasons)};
    }
  }
  return best ? std::optional(simplest(dump, std::move(*best))) : std::nullopt;
}

std::optional<PartReport> columns_elsewhere(const ProbedDump& dump,
                                            const std::vector<Attempt>& attempts) {
  // Where most columns stand as one reading has them, no other's are looked at.
  constexpr double mostly = 0.5;
  std::vector<double> shares;
  for (const Attempt& one : attempts) {
    const RotationObservation observation = observe(dump, one);
    shares.push_back(one.reasons.empty() && !one.copies_differ
                         ? observation.measure(observation.start()).share
                         : 0);
  }
  const double highest = shares.empty() ? 0 : std::ranges::max(shares);
  std::optional<PartReport> best;
  std::size_t fewest = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& one = attempts[i];
    if (!one.reasons.empty() || one.copies_differ || (highest >= mostly && shares[i] < highest))
      continue;
    auto order = column_order(dump, one);
    if (!order || (best && order->moved >= fewest)) continue;
    fewest = order->moved;
    best = PartReport{&one, {std::move(order->reason)}};
    if (fewest == 0) break;
  }
  return best;
}

}  // namespace pe
