// How well hypotheses agree with what was observed: every cell of the probes beside its bound.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

// A bound as wide as the circle holds nothing: frequencies out of all measure, or roundings that
// may fall either way, would agree with any cell. At far positions some pairs' bounds are so wide
// by right, but not most of them.
class RotationObservation::Vagueness {
 public:
  void add(double bound, double cosine, double sine, double amplitude) {
    if (std::isinf(bound)) return;
    ++cells_;
    wide_ += !(bound < 0.5 * std::max({std::fabs(cosine), std::fabs(sine), amplitude}));
  }
  /// `by_right`: how many cells of what is meant are so wide.
  bool holds_nothing(std::size_t by_right) const { return 10 * wide_ > 11 * by_right; }
  bool is_wide() const { return 2 * wide_ > cells_; }
  std::size_t wide() const { return wide_; }

 private:
  std::size_t cells_ = 0, wide_ = 0;
};

// An infinite frequency would have an infinite bound.
bool RotationObservation::may_hold(const RotationHypothesis& hypothesis) const {
  return hypothesis.frequencies.size() == pairs_ &&
         std::ranges::all_of(hypothesis.frequencies, [](double f) { return std::isfinite(f); }) &&
         std::ranges::all_of(hypothesis.angle_ulps,
                             [](double ulps) { return std::isfinite(ulps); });
}

Fit RotationObservation::measure(const RotationHypothesis& hypothesis) const {
  if (!may_hold(hypothesis)) return {};
  const Fit fit = measure(prediction(hypothesis));
  if (!fit.agrees()) return fit;
  const auto own = angles(hypothesis);
  return own ? measure(RotationPrediction(hypothesis, *own, dtype_, has_values())) : fit;
}

struct RotationObservation::ProbedCell {
  double got, want, slack, allowed;
  double off() const { return std::fabs(got - want); }
};

// Every cell of the probes as long as is_good(cell); whether all were. From the last row on, where
// most of what is wrong shows: every turn begins alike.
template <typename IsGood>
bool RotationObservation::each_cell(const RotationPrediction& prediction, Vagueness& vagueness,
                                    IsGood is_good) const {
  std::vector<double> c(pairs_), s(pairs_), bound(pairs_);
  for (std::size_t i = rows_.size(); i-- > 0;) {
    prediction.row(rows_[i], c, s, bound);
    for (std::size_t j = 0; j < pairs_; ++j) {
      const std::size_t at = i * pairs_ + j;
      const double allowed = bound[j] + slack_[at];
      // Scales that run over say nothing of the cell, whatever their bound.
      if (!std::isfinite(c[j] + s[j]) && std::isfinite(slack_[at]) &&
          !is_good({cosine_[at], std::numeric_limits<double>::infinity(), slack_[at], 1}))
        return false;
      vagueness.add(bound[j], c[j], s[j], prediction.amplitude());
      if (has_cosine() &&
          !is_good({cosine_[at], c[j], slack_[at], allowed + prediction.rounding(c[j])}))
        return false;
      if (has_sine() &&
          !is_good({sine_[at], s[j], slack_[at], allowed + prediction.rounding(s[j])}))
        return false;
    }
  }
  return true;
}

Fit RotationObservation::measure(const RotationPrediction& prediction) const {
  Fit fit{.excess = 0};
  std::size_t within = 0, held = 0;
  Vagueness vagueness;
  const double unit = unit_roundoff(dtype_);
  const bool is_short = has_values() && size_of(dtype_) == 2;
  const auto add = [&](const ProbedCell& cell) {
    const double off = cell.off(), allowed = cell.allowed;
    if (std::isinf(allowed)) return;
    ++held;
    fit.mean += is_short ? std::fabs(cell.got - rounded_once(cell.want, dtype_))
                         : off * unit / (unit + cell.slack);
    const double excess = off == 0 ? 0 : off / allowed;
    within += excess <= 1;
    fit.excess = excess <= fit.excess ? fit.excess
                 : std::isnan(excess) ? std::numeric_limits<double>::infinity()
                                      : excess;
    if (off > fit.residual) fit.residual = off;
  };
  if (!has_rows()) {
    std::vector<double> want(pairs_), bound(pairs_);
    prediction.frequencies(want.data(), bound.data());
    for (std::size_t j = 0; j < pairs_; ++j) add({measured()[j], want[j], 0, bound[j]});
  }
  if (has_rows())
    each_cell(prediction, vagueness, [&](const ProbedCell& cell) {
      add(cell);
      return true;
    });
  if (vagueness.is_wide() && vagueness.holds_nothing(wide_by_right()))
    fit.excess = std::numeric_limits<double>::infinity();
  if (held > 0) fit.mean /= static_cast<double>(held);
  fit.share = held > 0 ? static_cast<double>(within) / static_cast<double>(held) : 1;
  return fit;
}

Index RotationObservation::strained(const RotationHypothesis& hypothesis) const {
  Index count = 0;
  Vagueness vagueness;
  each_cell(prediction(hypothesis), vagueness, [&](const ProbedCell& cell) {
    count += 2 * cell.off() > cell.allowed;
    return true;
  });
  return count;
}

bool RotationObservation::agrees(const RotationHypothesis& hypothesis) const {
  if (!may_hold(hypothesis)) return false;
  if (!has_rows()) return measure(hypothesis).agrees();
  if (!agrees(prediction(hypothesis))) return false;
  const auto own = angles(hypothesis);
  return !own || agrees(RotationPrediction(hypothesis, *own, dtype_, has_values()));
}

bool RotationObservation::copy_agrees(const RotationHypothesis& hypothesis) const {
  if (hypothesis.copy_frequencies.empty() || !reading_->cosine_copy) return true;
  RotationHypothesis of_copy = hypothesis;
  of_copy.frequencies = hypothesis.copy_frequencies;
  return RotationObservation(*expected_, *dump_, *reading_, *truth_, rows_, true).agrees(of_copy);
}

double RotationObservation::promise(const RotationHypothesis& hypothesis) const {
  if (!has_rows() || hypothesis.frequencies.size() != pairs_) return 0;
  if (!hypothesis.axis.empty()) {
    const std::vector<double> shares = shares_of_steps(hypothesis);
    return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(pairs_);
  }
  const std::vector<double> seen = measured(hypothesis), errors = measured_errors(hypothesis);
  // A frequency that another pair should have counts half: pairs may stand in another order.
  std::vector<double> sorted = hypothesis.frequencies;
  std::ranges::sort(sorted);
  double good = 0;
  for (std::size_t j = 0; j < pairs_; ++j) {
    if (!(errors[j] < 0.1)) continue;
    const auto near = std::ranges::lower_bound(sorted, seen[j] - errors[j]);
    if (std::fabs(seen[j] - hypothesis.frequencies[j]) <= errors[j])
      good += 1;
    else if (near != sorted.end() && *near <= seen[j] + errors[j])
      good += 0.5;
  }
  return good / static_cast<double>(pairs_);
}

bool RotationObservation::are_one(const RotationHypothesis& a, const RotationHypothesis& b) const {
  // Rounding of an angle in double moves a turn by as much.
  const auto near = [](double x, double y, double size) {
    return std::fabs(x - y) <= 0x1p-48 * (1 + size);
  };
  if (!may_hold(a) || !may_hold(b)) return false;
  const RotationPrediction first = prediction(a), second = prediction(b);
  std::vector<double> c(pairs_), s(pairs_), bound(pairs_), other_c(pairs_), other_s(pairs_),
      other_bound(pairs_);
  if (!has_rows()) {
    first.frequencies(c.data(), bound.data());
    second.frequencies(s.data(), bound.data());
    return std::ranges::equal(c, s, [&](double x, double y) { return near(x, y, 0); });
  }
  for (const Index row : rows_) {
    first.row(row, c, s, bound);
    second.row(row, other_c, other_s, other_bound);
    const auto size = static_cast<double>(std::abs(row));
    for (std::size_t j = 0; j < pairs_; ++j)
      if (!near(c[j], other_c[j], size) || !near(s[j], other_s[j], size) ||
          std::isinf(bound[j]) != std::isinf(other_bound[j]))  // what is free is held to nothing
        return false;
  }
  return true;
}

bool RotationObservation::agrees(const RotationPrediction& prediction) const {
  Vagueness vagueness;
  return each_cell(prediction, vagueness,
                   [](const ProbedCell& cell) {
                     return cell.off() <= cell.allowed || std::isinf(cell.allowed);
                   }) &&
         !(vagueness.is_wide() && vagueness.holds_nothing(wide_by_right()));
}

std::size_t RotationObservation::wide_by_right() const {
  if (!wide_by_right_) {
    const RotationHypothesis meant = start();
    Vagueness vagueness;
    each_cell(prediction(meant), vagueness, [](const ProbedCell&) { return true; });
    wide_by_right_ = vagueness.wide();
  }
  return *wide_by_right_;
}

}  // namespace pe
