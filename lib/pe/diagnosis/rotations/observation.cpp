// Reading probes, and measuring hypotheses against them.
#include "pe/diagnosis/rotations/observation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/rotations/measured.hpp"

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

RotationObservation::RotationObservation(Kept<Expectation> expected, Kept<Dump> dump,
                                         Kept<RotationReading> reading, Kept<RotationTruth> truth,
                                         std::vector<Index> rows, bool copy)
    : expected_(&expected.get()),
      dump_(&dump.get()),
      reading_(&reading.get()),
      truth_(&truth.get()),
      rows_(std::move(rows)),
      copy_(copy),
      pairs_(static_cast<std::size_t>(reading_->pairs)),
      dtype_(dump_->arrays[reading_->cosine.array].dtype),
      grain_(unit_roundoff(dtype_)) {
  if (!has_rows()) {
    measured_ = {read_frequencies(dump, reading, truth_->unscaled), {}, 1};
    for (std::size_t j = 0; j < pairs_; ++j) {
      const double f = measured_->values[j];
      finite_ = finite_ && std::isfinite(f);
      measured_->errors.push_back(std::fabs(f) *
                                  (truth_->growth[j] * 0x1p-24 + 2 * unit_roundoff(dtype_)));
    }
    return;
  }
  load(rows_, cosine_, sine_, slack_);
  if (has_values())
    for (const DType type : {DType::f16, DType::bf16})
      if (on_grid(type)) grain_ = std::max(grain_, unit_roundoff(type));
  std::vector<double> norms;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const double norm = std::hypot(cosine_[i], sine_[i]);
    finite_ = finite_ && std::isfinite(norm);
    if (std::isfinite(norm) && norm > 0 && std::isfinite(slack_[i])) norms.push_back(norm);
  }
  if (!norms.empty())
    amplitude_ = reading_->is_one_sided() ? std::ranges::max(norms) : median_of(std::move(norms));
  if (reading_->is_one_sided()) amplitude_ = seen().amplitude;
}

void RotationObservation::load(const std::vector<Index>& rows, std::vector<double>& cosine,
                               std::vector<double>& sine, std::vector<double>& slack) const {
  const std::size_t size = rows.size() * pairs_;
  cosine.resize(size);
  sine.resize(size);
  slack.resize(size);
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t run = 1;
    while (i + run < rows.size() && rows[i + run] == rows[i] + static_cast<Index>(run)) ++run;
    read_turns(*dump_, *reading_, rows[i], static_cast<Index>(run), cosine.data() + i * pairs_,
               sine.data() + i * pairs_, slack.data() + i * pairs_, copy_);
    i += run;
  }
  if (reading_->form != RotationReading::Form::angles) return;
  // An angle far beyond those that are meant has a rounding that any turn lies within: it is wrong
  // as it stands, no gap.
  const double farthest = farthest_angle() * unit_roundoff(dtype_);
  for (double& one : slack)
    if (std::isfinite(one) && one > farthest) one = 0;
}

double RotationObservation::farthest_place() const {
  double place = std::fabs(static_cast<double>(expected_->first)) +
                 static_cast<double>(std::abs(expected_->step) * slots());
  for (const std::int64_t listed : expected_->listed)
    place = std::max(place, std::fabs(static_cast<double>(listed)));
  return place;
}

// What is meant at the farthest row, and what any scaling or offset of it may make of that.
double RotationObservation::farthest_angle() const {
  constexpr double stretched = 0x1p20;
  const double place = farthest_place();
  double fastest = 0;
  for (const double f : truth_->frequencies) fastest = std::max(fastest, std::fabs(f));
  return stretched * (1 + place * fastest);
}

RotationHypothesis RotationObservation::start() const {
  RotationHypothesis hypothesis = hypothesis_of(
      *truth_, expected_->first, [reading = *reading_, step = expected_->step](Index row) {
        return step * reading.slot(row);
      });
  if (!expected_->listed.empty())
    hypothesis = hypothesis_of(*truth_, 0, [reading = *reading_, expected = expected_](Index row) {
      return expected->position(reading.slot(row));
    });
  if (reading_->per_axis) {
    hypothesis.axis.clear();
    hypothesis.position = [first = expected_->first, step = expected_->step, run = reading_->run,
                           at = truth_->coordinate](Index row, std::size_t) {
      return at(static_cast<double>(first + step * (row % run)),
                static_cast<std::size_t>(row / run));
    };
  }
  return hypothesis;
}

bool RotationObservation::on_grid(DType type, RotationReading::Side side) const {
  if (!has_rows())
    return std::ranges::all_of(measured(),
                               [&](double value) { return rounded_once(value, type) == value; });
  // Between vectors a turn is known within its slack alone.
  const bool vectors = reading_->is_vectors();
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const auto holds = [&](double value) {
      return std::fabs(rounded_once(value, type) - value) <= (vectors ? slack_[i] : 0);
    };
    if (side != RotationReading::Side::sine && !holds(cosine_[i])) return false;
    if (side != RotationReading::Side::cosine && !holds(sine_[i])) return false;
  }
  return true;
}

bool RotationObservation::on_grid_times(DType type, double factor) const {
  const double unit = unit_roundoff(dtype());
  const auto holds = [&](double value) {
    const double plain = value / factor;
    return std::fabs(rounded_once(plain, type) - plain) <= 2 * unit * std::fabs(plain);
  };
  return has_values() && std::ranges::all_of(cosine_, holds) && std::ranges::all_of(sine_, holds);
}

// Between vectors a turn is known within its slack alone, and one that is known to no more than a
// quarter of a step tells nothing: half of them must tell.
bool RotationObservation::all_in_steps(const std::function<double(double)>& step_at) const {
  if (!has_rows()) return false;
  const double unit = unit_roundoff(dtype());
  const bool vectors = reading_->is_vectors();
  std::size_t told = 0;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    for (const double value : {cosine_[i], sine_[i]}) {
      const double step = step_at(value), loose = vectors ? slack_[i] : 2 * unit * std::fabs(value);
      if (vectors && !(4 * loose < step)) continue;
      ++told;
      if (std::fabs(value - step * std::round(value / step)) > loose) return false;
    }
  }
  return told >= cosine_.size();
}

bool RotationObservation::in_steps(double step) const {
  return all_in_steps([step](double) { return step; });
}

bool RotationObservation::has_significant_bits(int bits) const {
  return all_in_steps([bits](double value) {
    int exponent = 0;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, exponent - bits);
  });
}

std::optional<AngleModel> RotationObservation::angles(const RotationHypothesis& hypothesis,
                                                      bool tight) const {
  if (!has_rows() || !has_cosine() || !has_sine() || hypothesis.frequencies.size() != pairs_ ||
      hypothesis.split || hypothesis.ladder || !hypothesis.sine_frequencies.empty() ||
      hypothesis.copied != RotationHypothesis::Copied::none || hypothesis.formula ||
      hypothesis.frequency_type || hypothesis.angle_type || hypothesis.angle_map ||
      hypothesis.tf32 || hypothesis.trigonometry != Trigonometry::sound)
    return {};
  for (const Index row : rows_)
    for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
      if (const double p = hypothesis.position(row, axis); p != std::nearbyint(p)) return {};
  return AngleModel(*this, hypothesis, tight);
}

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

const RotationTruth* RotationObservation::truth_of(const Settings& changes) const {
  auto made = truths_.find(changes);
  if (made == truths_.end()) {
    const auto effect = expected_->remake(changes);
    made = truths_.emplace(changes, effect ? rotation_truth(effect->effect) : std::nullopt).first;
  }
  return made->second ? &*made->second : nullptr;
}

}  // namespace pe
