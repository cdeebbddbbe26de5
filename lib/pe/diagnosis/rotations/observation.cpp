// Reading probes, measuring hypotheses against them, unwrapping phases.
#include "pe/diagnosis/rotations/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <numbers>
#include <set>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/rotations/measured.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, nan = std::numeric_limits<double>::quiet_NaN();

// A bound as wide as the circle holds nothing: frequencies out of all measure, or roundings that
// may fall either way, would agree with any cell. At far positions some pairs' bounds are so wide
// by right, but not most of them.
class Vagueness {
 public:
  void add(double bound, double cosine, double sine, double amplitude) {
    if (std::isinf(bound)) return;
    ++cells_;
    wide_ += !(bound < 0.5 * std::max({std::fabs(cosine), std::fabs(sine), amplitude}));
  }
  bool holds_nothing() const { return 2 * wide_ > cells_; }

 private:
  std::size_t cells_ = 0, wide_ = 0;
};

// To −π … π; below 2^30 within 2^-22, and far quicker than std::remainder.
double wrapped(double angle) {
  if (!(std::fabs(angle) < 0x1p30)) return std::remainder(angle, 2 * std::numbers::pi);
  constexpr double whole =
      0x1.8p52;  // added and taken away again, it leaves the nearest whole number
  return angle - 2 * std::numbers::pi * ((angle * (0.5 * std::numbers::inv_pi) + whole) - whole);
}

}  // namespace

std::vector<Index> probe_rows(const RotationReading& reading, Index original,
                              const std::vector<Index>& more) {
  const bool vectors = reading.run > 0;
  const Index slots = vectors ? reading.run : reading.rows;
  std::set<Index> required(more.begin(), more.end());
  std::set<Index> places;
  for (Index p = 0; p < 10; ++p)
    places.insert(p);  // 1 and 1 + 8 are where phases are unwrapped from 1 + 4 to 1 + 16
  for (Index p = 16; p < slots && p < Index{1} << 40; p *= 2) places.insert({p - 1, p, p + 1});
  places.insert({255, 256, 257, 511, 2047, 2048, 2049, original - 1, original, original + 1,
                 slots - 2, slots - 1});
  for (Index i = 1; i < 24; ++i) places.insert(slots * i / 24 + i % 3);
  for (const Index p : places) {
    if (p < 0 || p >= slots) continue;
    if (!vectors) {
      required.insert(p);
      continue;
    }
    // Row numbers of this position: (outer · run + p) · stride + inner.
    const Index inner = reading.stride, outer = reading.rows / (reading.run * inner);
    for (const Index o : {Index{0}, Index{1}, outer - 1})
      for (const Index i : {Index{0}, Index{1}, inner - 1})
        if (o >= 0 && o < outer && i >= 0 && i < inner)
          required.insert((o * reading.run + p) * inner + i);
  }
  std::vector<Index> rows;
  for (const Index row : required)
    if (row >= 0 && row < reading.rows) rows.push_back(row);
  return rows;
}

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
      dtype_(dump_->arrays[reading_->cosine.array].dtype) {
  if (!has_rows()) {
    measured_ = read_frequencies(dump, reading, truth_->unscaled);
    for (std::size_t j = 0; j < pairs_; ++j) {
      finite_ = finite_ && std::isfinite(measured_[j]);
      errors_.push_back(std::fabs(measured_[j]) *
                        (truth_->growth[j] * unit + 2 * unit_roundoff(dtype_)));
    }
    return;
  }
  load(rows_, cosine_, sine_, slack_);
  std::vector<double> norms;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const double norm = std::hypot(cosine_[i], sine_[i]);
    finite_ = finite_ && std::isfinite(norm);
    if (std::isfinite(norm) && norm > 0 && std::isfinite(slack_[i])) norms.push_back(norm);
  }
  if (!norms.empty()) {
    const auto middle = norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
    std::ranges::nth_element(norms, middle);
    amplitude_ = reading_->is_one_sided() ? *std::ranges::max_element(norms) : *middle;
  }
  MeasuredFrequencies measured = measured_frequencies(*this);
  measured_ = std::move(measured.values);
  errors_ = std::move(measured.errors);
  amplitude_ = measured.amplitude;
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
}

RotationHypothesis RotationObservation::start() const {
  RotationHypothesis hypothesis =
      hypothesis_of(*truth_, expected_->first,
                    [run = reading_->run, stride = reading_->stride, step = expected_->step](
                        Index row) { return step * (run > 0 ? row / stride % run : row); });
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
    return std::ranges::all_of(measured_,
                               [&](double value) { return rounded(value, type) == value; });
  // Between vectors a turn is known within its slack alone.
  const bool vectors = reading_->form == RotationReading::Form::vectors;
  for (std::size_t i = 0; i < cosine_.size(); ++i) {
    const auto holds = [&](double value) {
      return std::fabs(rounded(value, type) - value) <= (vectors ? slack_[i] : 0);
    };
    if (side != RotationReading::Side::sine && !holds(cosine_[i])) return false;
    if (side != RotationReading::Side::cosine && !holds(sine_[i])) return false;
  }
  return true;
}

std::optional<AngleModel> RotationObservation::angles(const RotationHypothesis& hypothesis) const {
  if (!has_rows() || !has_cosine() || !has_sine() || hypothesis.frequencies.size() != pairs_ ||
      hypothesis.split || hypothesis.frequency_type || hypothesis.angle_type || hypothesis.tf32 ||
      hypothesis.trigonometry != Trigonometry::sound)
    return {};
  const std::size_t axes =
      hypothesis.axis.empty() ? 1 : *std::ranges::max_element(hypothesis.axis) + 1;
  for (const Index row : rows_)
    for (std::size_t axis = 0; axis < axes; ++axis)
      if (const double p = hypothesis.position(row, axis); p != std::nearbyint(p)) return {};
  return AngleModel(*this, hypothesis);
}

// An infinite frequency would have an infinite bound.
bool RotationObservation::may_hold(const RotationHypothesis& hypothesis) const {
  return hypothesis.frequencies.size() == pairs_ &&
         std::ranges::all_of(hypothesis.frequencies, [](double f) { return std::isfinite(f); });
}

Fit RotationObservation::measure(const RotationHypothesis& hypothesis) const {
  if (!may_hold(hypothesis)) return {};
  const Fit fit =
      measure(RotationPrediction(hypothesis, truth_->growth, unit, unit_roundoff(dtype_)));
  if (!fit.agrees()) return fit;
  const auto own = angles(hypothesis);
  return own ? measure(RotationPrediction(hypothesis, *own, dtype_, has_values())) : fit;
}

Fit RotationObservation::measure(const RotationPrediction& prediction) const {
  Fit fit{.excess = 0};
  std::vector<double> c(pairs_), s(pairs_), bound(pairs_);
  std::size_t within = 0, held = 0;
  Vagueness vagueness;
  const auto add = [&](double off, double allowed) {
    if (std::isinf(allowed)) return;
    ++held;
    const double excess = off == 0 ? 0 : off / allowed;
    within += excess <= 1;
    fit.excess = excess <= fit.excess ? fit.excess
                 : std::isnan(excess) ? std::numeric_limits<double>::infinity()
                                      : excess;
    if (off > fit.residual) fit.residual = off;
  };
  if (!has_rows()) {
    prediction.frequencies(c.data(), bound.data());
    for (std::size_t j = 0; j < pairs_; ++j) add(std::fabs(measured_[j] - c[j]), bound[j]);
  }
  for (std::size_t i = 0; has_rows() && i < rows_.size(); ++i) {
    prediction.row(rows_[i], c.data(), s.data(), bound.data());
    for (std::size_t j = 0; j < pairs_; ++j) {
      const std::size_t at = i * pairs_ + j;
      const double allowed = bound[j] + slack_[at];
      vagueness.add(bound[j], c[j], s[j], prediction.amplitude());
      if (has_cosine()) add(std::fabs(cosine_[at] - c[j]), allowed + prediction.rounding(c[j]));
      if (has_sine()) add(std::fabs(sine_[at] - s[j]), allowed + prediction.rounding(s[j]));
    }
  }
  if (vagueness.holds_nothing()) fit.excess = std::numeric_limits<double>::infinity();
  fit.share = held > 0 ? static_cast<double>(within) / static_cast<double>(held) : 1;
  return fit;
}

bool RotationObservation::agrees(const RotationHypothesis& hypothesis) const {
  if (!may_hold(hypothesis)) return false;
  if (!has_rows()) return measure(hypothesis).agrees();
  if (!agrees(RotationPrediction(hypothesis, truth_->growth, unit, unit_roundoff(dtype_))))
    return false;
  const auto own = angles(hypothesis);
  return !own || agrees(RotationPrediction(hypothesis, *own, dtype_, has_values()));
}

bool RotationObservation::agrees(const RotationPrediction& prediction) const {
  std::vector<double> c(pairs_), s(pairs_), bound(pairs_);
  Vagueness vagueness;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    prediction.row(rows_[i], c.data(), s.data(), bound.data());
    for (std::size_t j = 0; j < pairs_; ++j) {
      const std::size_t at = i * pairs_ + j;
      const double allowed = bound[j] + slack_[at];
      vagueness.add(bound[j], c[j], s[j], prediction.amplitude());
      if ((has_cosine() &&
           !(std::fabs(cosine_[at] - c[j]) <= allowed + prediction.rounding(c[j]))) ||
          (has_sine() && !(std::fabs(sine_[at] - s[j]) <= allowed + prediction.rounding(s[j]))))
        return false;
    }
  }
  return !vagueness.holds_nothing();
}

namespace {

// The angles, modulo a turn, that a pair's observed sides allow: one, or two where a side alone was
// seen.
struct Angles {
  double one = 0, other = 0;

  // The step from `angle` to the nearer of them.
  double from(double angle) const {
    const double a = wrapped(one - angle);
    if (one == other) return a;
    const double b = wrapped(other - angle);
    return std::fabs(a) <= std::fabs(b) ? a : b;
  }
};

Angles angles_of(const RotationHypothesis& hypothesis, RotationReading::Side side, double cosine,
                 double sine) {
  using Side = RotationReading::Side;
  if (hypothesis.swapped) {
    std::swap(cosine, sine);
    if (side != Side::both) side = side == Side::sine ? Side::cosine : Side::sine;
  }
  const double c = cosine / hypothesis.cosine_magnitude,
               s = (hypothesis.reversed ? -sine : sine) / hypothesis.sine_magnitude;
  if (side == Side::both) {
    const double angle = std::atan2(s, c);
    return {angle, angle};
  }
  if (side == Side::cosine) {
    const double angle = std::acos(std::clamp(c, -1.0, 1.0));
    return {angle, -angle};
  }
  const double angle = std::asin(std::clamp(s, -1.0, 1.0));
  return {angle, std::numbers::pi - angle};
}

}  // namespace

// Positions are found from the slowest pair, whose wave is longest, and made sharper by each faster
// one. A step to the nearer of two angles is never longer than the one that is right.
double RotationObservation::implied(const RotationHypothesis& hypothesis, std::size_t axis,
                                    const double* cosine, const double* sine, const double* slack,
                                    double near) const {
  std::vector<std::size_t> order;
  double norm = 0;
  for (std::size_t j = 0; j < pairs_; ++j) {
    norm = std::max(norm, std::hypot(cosine[j], sine[j]));
    const bool turns = hypothesis.axis.empty() || hypothesis.axis[j] == axis;
    if (turns && hypothesis.frequencies[j] > 0 && std::isfinite(slack[j])) order.push_back(j);
  }
  // Zeros are no turn, but of sines alone they are position 0.
  const bool zeros = !(norm > 0) && (reading_->side == RotationReading::Side::both ||
                                     hypothesis.swapped == has_sine());
  if (order.empty() || zeros) return nan;
  std::ranges::sort(order, {}, [&](std::size_t j) { return hypothesis.frequencies[j]; });
  std::vector<Angles> angles(pairs_);
  for (const std::size_t j : order)
    angles[j] = angles_of(hypothesis, reading_->side, cosine[j], sine[j]);
  const double slowest = hypothesis.frequencies[order[0]], wave = 2 * std::numbers::pi / slowest,
               reach = 2 * std::max(std::fabs(near), static_cast<double>(slots())) + 16;
  double best = nan, best_off = 0.25;
  // Off the angles by more than `hopeless` in all, a position cannot be the best.
  const auto refine = [&](double p) {
    const double hopeless = 1.5 * best_off * static_cast<double>(order.size());
    double off = 0, ratio = 1, before = slowest;
    for (const std::size_t j : order) {
      const double f = hypothesis.frequencies[j], step = angles[j].from(p * f);
      // What the pairs before leave open grows by the ratio of the frequencies. A pair that is
      // farther off than that is damaged, or the position is another: it moves nothing.
      ratio = std::max(1.0, f / before);
      before = f;
      if (std::fabs(step) < 0.5 * ratio)
        p += step / f;
      else if (off += std::fabs(step) / 2; off >= hopeless)
        return;
    }
    off = 0;
    for (const std::size_t j : order)
      if (off += std::fabs(angles[j].from(p * hypothesis.frequencies[j])); off >= hopeless) return;
    off /= static_cast<double>(order.size());
    if (off < best_off ||
        (off < best_off * 1.5 && std::fabs(p - near) < std::fabs(best - near) / 4)) {
      best = p;
      best_off = std::min(best_off, off);
    }
  };
  const Angles& foot = angles[order[0]];
  for (const double angle : {foot.one, foot.other}) {
    const double start = angle / slowest;
    const auto lowest = static_cast<Index>(std::max(-512.0, std::floor((-reach - start) / wave))),
               highest = static_cast<Index>(std::min(512.0, std::ceil((reach - start) / wave)));
    for (Index k = lowest; k <= highest; ++k) refine(start + static_cast<double>(k) * wave);
    if (foot.one == foot.other) break;
  }
  return best;
}

std::vector<double> RotationObservation::measured(const RotationHypothesis& hypothesis) const {
  std::vector<double> frequencies = measured_;
  if (!has_rows() || !hypothesis.position) return frequencies;
  for (double& f : frequencies) f *= turned(hypothesis);
  return frequencies;
}

// What a frequency that was measured from row to row is multiplied by.
double RotationObservation::turned(const RotationHypothesis& hypothesis) const {
  return (hypothesis.reversed != hypothesis.swapped ? -1 : 1) / step_of(hypothesis);
}

const std::vector<FittedLadder>& RotationObservation::fitted(const RotationHypothesis& hypothesis,
                                                             const MeasuredLadder& measured) const {
  const auto [place, is_new] =
      fitted_.try_emplace({turned(hypothesis), measured.plain.base}, std::vector<FittedLadder>{});
  if (is_new) place->second = fitted_ladders(measured);
  return place->second;
}

const std::vector<ParameterFit>& RotationObservation::fitted_parameters(
    const RotationHypothesis& hypothesis, const Scaling& scaling,
    const MeasuredLadder& measured) const {
  const auto [place, is_new] =
      parameters_.try_emplace(turned(hypothesis), std::vector<ParameterFit>{});
  if (is_new) place->second = fit_one_parameter(scaling, measured);
  return place->second;
}

// What the hypothesis's position moves by from one row to the next.
double RotationObservation::step_of(const RotationHypothesis& hypothesis) const {
  if (!has_rows() || !hypothesis.position || slots() <= 2 || !hypothesis.axis.empty()) return 1;
  const Index next = reading_->run > 0 ? 2 * reading_->stride : 2, one = next / 2;
  const double step = hypothesis.position(next, 0) - hypothesis.position(one, 0);
  return step != 0 ? step : 1;
}

std::vector<double> RotationObservation::measured_errors(
    const RotationHypothesis& hypothesis) const {
  std::vector<double> errors = errors_;
  const double step = std::fabs(step_of(hypothesis));
  for (double& error : errors) error /= step;
  return errors;
}

std::vector<double> RotationObservation::implied_positions(const RotationHypothesis& hypothesis,
                                                           std::size_t axis) const {
  const Implied asked{hypothesis.frequencies,
                      hypothesis.axis,
                      {hypothesis.cosine_magnitude, hypothesis.sine_magnitude},
                      axis,
                      hypothesis.reversed,
                      hypothesis.swapped};
  if (implied_for_ == asked) return implied_;
  implied_for_ = asked;
  implied_.clear();
  if (!has_rows()) return implied_;
  implied_.assign(rows_.size(), nan);
  const auto ask = [&](std::size_t i) {
    implied_[i] = implied(hypothesis, axis, &cosine_[i * pairs_], &sine_[i * pairs_],
                          &slack_[i * pairs_], hypothesis.position(rows_[i], axis));
    return !std::isnan(implied_[i]);
  };
  // Where none of a few rows turns by these frequencies at any position, the others do not either.
  constexpr std::size_t few = 12;
  bool any = rows_.size() <= few;
  for (std::size_t i = 0; i < few && !any; ++i) any = ask(i * (rows_.size() - 1) / (few - 1));
  for (std::size_t i = 0; any && i < rows_.size(); ++i)
    if (std::isnan(implied_[i])) ask(i);
  return implied_;
}

std::vector<double> RotationObservation::implied_positions(const RotationHypothesis& hypothesis,
                                                           const std::vector<Index>& rows,
                                                           std::size_t axis) const {
  std::vector<double> c, s, slack, positions;
  load(rows, c, s, slack);
  for (std::size_t i = 0; i < rows.size(); ++i)
    positions.push_back(implied(hypothesis, axis, &c[i * pairs_], &s[i * pairs_],
                                &slack[i * pairs_], hypothesis.position(rows[i], axis)));
  return positions;
}

void RotationObservation::scan(const RowQuestion& look) const {
  // Small blocks first: most questions are answered by the first rows.
  constexpr Index least = 16, most = 512;
  std::vector<double> c, s, slack;
  for (Index first = 0, block = least; first < reading_->rows; first += block) {
    if (first > 0) block = std::min(4 * block, most);
    const Index count = std::min(block, reading_->rows - first);
    for (std::vector<double>* side : {&c, &s, &slack})
      side->resize(static_cast<std::size_t>(count) * pairs_);
    read_turns(*dump_, *reading_, first, count, c.data(), s.data(), slack.data(), copy_);
    for (Index i = 0; i < count; ++i)
      if (!look(first + i, c.data() + static_cast<std::size_t>(i) * pairs_,
                s.data() + static_cast<std::size_t>(i) * pairs_))
        return;
  }
}

RowMarks::RowMarks(Index rows) {
  if (!held->take(static_cast<std::uint64_t>(rows)))
    throw FileError(fmt::format("the dump has too many rows, {}, to mark those that differ", rows));
  marked.resize(static_cast<std::size_t>(rows));
}

RowMarks RotationObservation::marked_rows(const RowQuestion& is) const {
  RowMarks marks(reading_->rows);
  scan([&](Index row, const double* cosine, const double* sine) {
    if (!is(row, cosine, sine)) return true;
    marks.marked[static_cast<std::size_t>(row)] = 1;
    if (marks.count++ == 0) marks.first = row;
    marks.last = row;
    return true;
  });
  return marks;
}

std::shared_ptr<const RowMarks> RotationObservation::marks(
    const std::pair<std::string_view, double>& question, const RowQuestion& is) const {
  const auto [place, is_new] = marks_.try_emplace(question);
  if (!is_new) return place->second;
  auto marks = std::make_shared<RowMarks>(marked_rows(is));
  if (marks->count > 0) place->second = std::move(marks);
  return place->second;
}

}  // namespace pe
