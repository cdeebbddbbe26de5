// Estimating the angles' arithmetic: the tightest form that nearly all phases of the probes agree
// with.
#include "pe/diagnosis/rotations/angles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "pe/base/median.hpp"
#include "pe/base/whole.hpp"
#include "pe/diagnosis/rotations/observation.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24;

// A cell may be spoilt without its pair's arithmetic being another one: one in thirty. An
// arithmetic with one rounding more moves one in ten at least. Cosine and sine are nearly always
// within half a unit in the last place of 1; the magnitude does not move the phase.
constexpr double most = 0.95;

// The pair's relative error of angle: the median over the probes that show it most sharply, and how
// sharply.
struct Slope {
  double value = 0, noise = std::numeric_limits<double>::infinity();
};

Slope slope_of(const std::vector<Phase>& phases, double frequency) {
  constexpr std::size_t enough = 15;
  std::vector<std::pair<double, double>> sharp;  // noise, relative error
  for (const Phase& phase : phases)
    if (const double angle = phase.position * frequency; angle != 0)
      sharp.emplace_back(phase.noise / std::fabs(angle), phase.off / angle);
  if (sharp.empty()) return {};
  std::ranges::sort(sharp);
  sharp.resize(std::min(sharp.size(), enough));
  std::vector<double> errors;
  std::ranges::transform(sharp, std::back_inserter(errors),
                         [](const auto& one) { return one.second; });
  return {median_of(std::move(errors)), sharp[sharp.size() / 2].first};
}

double narrow(double value) { return static_cast<double>(static_cast<float>(value)); }

// Whole steps of float32 from `value`.
double next_float(double value, int steps) {
  auto number = static_cast<float>(value);
  for (; steps > 0; --steps) number = std::nextafter(number, INFINITY);
  for (; steps < 0; ++steps) number = std::nextafter(number, -INFINITY);
  return static_cast<double>(number);
}

}  // namespace

double AngleModel::shift(const Pair& pair, double p) {
  const double angle = p * pair.frequency;
  switch (pair.form) {
    case AngleForm::rounded:
      return narrow(angle) - angle;
    case AngleForm::product:
      return static_cast<double>(static_cast<float>(p) * static_cast<float>(pair.number)) - angle;
    case AngleForm::quotient:
      return static_cast<double>(static_cast<float>(p) / static_cast<float>(pair.number)) - angle;
    case AngleForm::drifting:
      return pair.number * angle;
    default:
      return 0;
  }
}

void AngleModel::shifts(double position, double* shift) const {
  if (steps_) {
    thread_local std::vector<float> angles;
    angles.resize(pairs_.size());
    steps_->angles(position, angles.data());
    for (std::size_t j = 0; j < pairs_.size(); ++j)
      shift[j] = pairs_[j].form == AngleForm::stepped
                     ? static_cast<double>(angles[j]) - position * pairs_[j].frequency
                     : this->shift(pairs_[j], position);
    return;
  }
  for (std::size_t j = 0; j < pairs_.size(); ++j) shift[j] = this->shift(pairs_[j], position);
}

void AngleModel::shifts(const double* positions, double* shift) const {
  for (std::size_t j = 0; j < pairs_.size(); ++j) shift[j] = this->shift(pairs_[j], positions[j]);
}

namespace {

// How far the probes lie from what a form gives, in their noise.
struct Misfit {
  double mean = 0;          // no probe counts for more than four
  double most = 0;          // all but one in twenty lie nearer
  std::size_t outside = 0;  // of the noise
  std::size_t far = 0;      // of them: by more than two roundings of the angle
  std::size_t telling = 0;  // probes where a rounding of the angle is more than the noise
  // Among so many, an arithmetic with one rounding more would have shown several.
  bool leaves_none() const { return telling >= 40 && outside == 0; }
  // Several that lie a rounding away are another arithmetic's; one or two, or farther, are damage.
  bool suits() const { return most <= 1 && (outside < 3 || far > 0); }
};

template <typename Shift>
Misfit misfit(const std::vector<Phase>& phases, double frequency, Shift shift) {
  if (phases.empty()) return {};
  std::vector<double> off;
  Misfit misfit;
  for (const Phase& phase : phases) {
    const double distance = std::fabs(phase.off - shift(phase.position));
    off.push_back(distance / phase.noise);
    misfit.outside += distance > phase.noise;
    misfit.telling += unit * std::fabs(phase.position * frequency) > 2 * phase.noise;
    misfit.far += distance > phase.noise + 2.5 * unit * std::fabs(phase.position * frequency);
    misfit.mean += std::min(off.back(), 4.0) / static_cast<double>(phases.size());
  }
  const auto rank =
      saturated<std::ptrdiff_t>(std::ceil(most * static_cast<double>(off.size() - 1)));
  std::ranges::nth_element(off, off.begin() + rank);
  misfit.most = off[static_cast<std::size_t>(rank)];
  return misfit;
}

// Whether most probes lie where some float32 arithmetic may bring this angle.
bool turns_so(const std::vector<Phase>& phases, double frequency, double growth) {
  const auto near = std::ranges::count_if(phases, [&](const Phase& phase) {
    return std::fabs(phase.off) <=
           4 * phase.noise + growth * unit * std::fabs(phase.position * frequency);
  });
  return 2 * near >= std::ssize(phases);
}

}  // namespace

// What is tried for one pair: the float32 numbers that its slope allows, nearest first.
std::vector<AngleModel::Pair> AngleModel::candidates(double frequency, bool certain, double slope,
                                                     double noise, double growth) {
  std::vector<Pair> forms{{AngleForm::exact, frequency, 0, 0}};
  if (certain) {  // but for fl(p)
    forms.push_back({AngleForm::product, frequency, frequency, 0});
    return forms;
  }
  if (!(2 * noise < growth * unit)) return forms;  // the probes tell nothing
  forms.push_back({AngleForm::rounded, frequency, 0, 0});
  if (!(frequency > 0)) return forms;
  const double f = frequency * (1 + slope);
  const int reach = saturated<int>(std::min(24.0, std::ceil((noise + unit) / (2 * unit)) + 1));
  for (int k = 0; k <= 2 * reach; ++k) {
    const int step = (k + 1) / 2 * (k % 2 == 0 ? 1 : -1);
    for (const AngleForm form : {AngleForm::product, AngleForm::quotient}) {
      const bool product = form == AngleForm::product;
      const double number = next_float(product ? f : 1 / f, step);
      const double moved = product ? number / frequency - 1 : 1 / (number * frequency) - 1;
      if (std::fabs(moved) <= growth * unit) forms.push_back({form, frequency, number, 0});
    }
  }
  return forms;
}

AngleModel::AngleModel(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                       bool tight) {
  const std::size_t n = observation.pairs();
  std::vector<double> growth = angle_ulps_of(hypothesis.frequencies, observation.truth().unscaled,
                                             {.rule = LadderRule::ramped});
  const std::vector<double>& meant =
      hypothesis.angle_ulps.empty() ? observation.truth().growth : hypothesis.angle_ulps;
  for (std::size_t j = 0; j < std::min(n, meant.size()); ++j)
    growth[j] = std::max(growth[j], meant[j]);
  std::vector<std::vector<Phase>> phases(n);
  std::vector<std::size_t> unknown;
  for (std::size_t j = 0; j < n; ++j) {
    phases[j] = phases_of(observation, hypothesis, j);
    const double frequency = hypothesis.frequencies[j];
    if (!turns_so(phases[j], frequency, growth[j])) {
      pairs_.push_back({AngleForm::unknown, frequency, 0, growth[j] * unit});
      continue;
    }
    const Slope slope = slope_of(phases[j], frequency);
    pairs_.push_back({AngleForm::exact, frequency, 0, 0});
    // What is left of a slope that is the median of several, and of the number beside it; and two
    // roundings of the angle, for steps that the form does not know (a frequency kept in double),
    // where the probes leave it open.
    const bool certain = is_certain(observation, hypothesis, j);
    const double left = certain ? 0 : std::min(2 * slope.noise + 2 * unit, growth[j] * unit);
    Misfit best{.mean = std::numeric_limits<double>::infinity(), .most = 2};
    int without = 0;  // forms that all probes agree with: of several, one may be the file's
    for (const Pair& one : candidates(frequency, certain, slope.value, slope.noise, growth[j])) {
      const Misfit found = misfit(phases[j], frequency, [&](double p) { return shift(one, p); });
      without += found.leaves_none();
      if (!(found.mean < best.mean)) continue;
      best = found;
      pairs_.back() = one;
      pairs_.back().per_radian = left;
    }
    if (tight && best.leaves_none() && without == 1)
      pairs_.back().per_radian = std::min(left, 2 * slope.noise);
    if (best.suits() || certain) continue;
    unknown.push_back(j);
    pairs_.back() = {AngleForm::drifting, frequency,
                     std::clamp(slope.value, -growth[j] * unit, growth[j] * unit),
                     (4 + static_cast<double>(j)) * unit + left};
  }
  if (!unknown.empty()) step_as_dialect(observation, hypothesis, phases, unknown);
}

// Pairs of no form of their own may be stepped as a codebase does.
void AngleModel::step_as_dialect(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis,
                                 const std::vector<std::vector<Phase>>& phases,
                                 const std::vector<std::size_t>& unknown) {
  const Rotation* rotation = std::get_if<Rotation>(&observation.expected().effect);
  if (!rotation || hypothesis.frequencies != observation.truth().frequencies) return;
  const auto nearest = nearest_arithmetic(observation);
  if (!nearest || nearest->ulps > 4) return;
  const auto steps = std::make_shared<Steps>(nearest->dialect->steps(*rotation));
  std::vector<float> angles(pairs_.size());
  for (const std::size_t j : unknown) {
    const double frequency = pairs_[j].frequency;
    const auto shift = [&](double p) {
      steps->angles(p, angles.data());
      return static_cast<double>(angles[j]) - p * frequency;
    };
    if (!misfit(phases[j], frequency, shift).suits()) continue;
    pairs_[j] = {AngleForm::stepped, frequency, 0, 2 * unit};
    steps_ = steps;
  }
}

std::string AngleModel::describe() const {
  const auto has = [&](AngleForm form) {
    return std::ranges::any_of(pairs_, [&](const Pair& pair) { return pair.form == form; });
  };
  if (2 * std::ranges::count(pairs_, AngleForm::unknown, &Pair::form) >= std::ssize(pairs_))
    return "";
  if (has(AngleForm::drifting))
    return "k = 4 + j for some pairs: float32 angles with one error of frequency for each";
  if (has(AngleForm::stepped)) return "k = 2: angles stepped as a dialect does";
  if (has(AngleForm::product) || has(AngleForm::quotient))
    return "k = 2 beside what the probes leave open: one float32 product a pair, 0 where θ is 1";
  return "k = 2 beside what the probes leave open: angles in double, 0 where θ is 1";
}

}  // namespace pe
