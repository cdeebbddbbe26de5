// Splits: other numbers of channels for the axes of a grid, each of which has a ladder of its own.
#include "pe/diagnosis/rotations/propose/splits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

// Pairs of each axis, one axis after the other.
using Split = std::vector<std::size_t>;

std::optional<Split> split_of(const RotationHypothesis& hypothesis) {
  if (hypothesis.axis.empty() || !std::ranges::is_sorted(hypothesis.axis)) return {};
  Split split(hypothesis.axes());
  for (const std::size_t axis : hypothesis.axis) ++split[axis];
  return split;
}

// ln base of ladders base^(−k/n), n pairs of an axis; nothing where an axis has another ladder.
std::optional<double> log_base_of(const RotationHypothesis& hypothesis, const Split& split) {
  std::optional<double> log_base;
  std::size_t first = 0;
  for (const std::size_t n : split) {
    for (std::size_t k = 1; k < n; ++k) {
      const double one = -std::log(hypothesis.frequencies[first + k]) * static_cast<double>(n) /
                         static_cast<double>(k);
      if (!log_base) log_base = one;
      if (!(std::fabs(one - *log_base) < 1e-6 * std::fabs(*log_base))) return {};
    }
    if (n > 0 && std::fabs(hypothesis.frequencies[first] - 1) > 1e-9) return {};
    first += n;
  }
  return log_base;
}

/// The splits whose ladders the pairs follow, found one axis at a time; where there is none, those
/// whose first pairs turn once a radian, as they do on every base.
class Splits {
 public:
  Splits(Kept<RotationObservation> observation, Kept<RotationHypothesis> hypothesis,
         double log_base)
      : observation_(observation), hypothesis_(hypothesis), log_base_(log_base) {}

  std::vector<Split> all() {
    extend({}, 0);
    by_first_ = found_.empty();
    if (by_first_) extend({}, 0);
    return std::move(found_);
  }

 private:
  void extend(const Split& begun, std::size_t first) {
    constexpr std::size_t most = 8;
    const std::size_t left = observation_.pairs() - first, axis = begun.size();
    if (found_.size() == most) return;
    if (axis + 1 == hypothesis_.axes()) {
      if (follows(axis, first, left)) found_.push_back(with(begun, left));
      return;
    }
    for (std::size_t n = 0; n <= left; ++n)
      if (follows(axis, first, n)) extend(with(begun, n), first + n);
  }

  static Split with(Split begun, std::size_t n) {
    begun.push_back(n);
    return begun;
  }

  // Whether pairs first … first + n − 1 are the ladder of an axis of n pairs.
  bool follows(std::size_t axis, std::size_t first, std::size_t n) const {
    RotationHypothesis one = hypothesis_;
    for (std::size_t k = 0; k < n; ++k) {
      one.axis[first + k] = axis;
      one.frequencies[first + k] =
          std::exp(-log_base_ * static_cast<double>(k) / static_cast<double>(n));
    }
    constexpr double nearly_all = 0.9;
    for (std::size_t k = n; k-- > 0;)  // the first of an axis turns alike in all
      if ((k == 0 || !by_first_) && observation_.share_of_steps(one, first + k) < nearly_all)
        return false;
    return true;
  }

  const RotationObservation& observation_;
  const RotationHypothesis& hypothesis_;
  double log_base_;
  bool by_first_ = false;
  std::vector<Split> found_;
};

std::vector<std::size_t> channels(Split split) {
  for (std::size_t& n : split) n *= 2;
  return split;
}

}  // namespace

RotationProposals splits(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  const auto meant = split_of(hypothesis);
  if (!meant || meant->size() < 2 || observation.reading().per_axis) return {};
  const auto log_base = log_base_of(hypothesis, *meant);
  if (!log_base) return {};
  RotationProposals all;
  for (const Split& split : Splits(observation, hypothesis, *log_base).all()) {
    if (split == *meant) continue;
    const std::string told = fmt::format("{}", fmt::join(channels(split), ","));
    Proposal<RotationHypothesis> one{hypothesis,
                                     fmt::format("the axes have {} channels, where {} are meant",
                                                 told, fmt::join(channels(*meant), ",")),
                                     1.05};
    if (auto made = remade(observation, hypothesis, {{"axes-dim", told}})) {
      one.hypothesis = std::move(*made);
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace pe
