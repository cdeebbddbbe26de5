// Predicting turns: frequency, position, angle, value, each in the type that the hypothesis says.
#include "pe/diagnosis/rotations/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/rotations/angles.hpp"

namespace pe {

double rounded_to_tf32(double value, Tf32 way) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent;
  const double mantissa = std::frexp(value, &exponent);
  const double scaled = std::ldexp(mantissa, 11);
  const double whole = way == Tf32::even   ? std::nearbyint(scaled)
                       : way == Tf32::away ? std::round(scaled)
                                           : std::trunc(scaled);
  return std::ldexp(whole, exponent - 11);
}

namespace {

// A value and, where error may carry it over a tie, the distance to the number on the other side.
template <typename Round>
std::pair<double, double> with_tie(double value, double relative, Round round) {
  const double low = round(value * (1 - relative)), high = round(value * (1 + relative));
  return {round(value), std::fabs(high - low)};
}

}  // namespace

Spacing::Spacing(DType type) {
  struct Format {
    int bits, least;
  };
  const Format format = type == DType::f64   ? Format{53, -1074}
                        : type == DType::f32 ? Format{24, -149}
                        : type == DType::f16 ? Format{11, -24}
                                             : Format{8, -133};
  share_ = std::ldexp(1.0, 1 - format.bits);
  least_ = std::ldexp(1.0, format.least);
  if (type != DType::bf16) return;
  twice_ = 0x1p-3;
  twice_least_ = 0x1p-25;
}

double roundings_to(double file_unit, double amplitude) {
  const bool is_short = file_unit > short_unit;
  if (!is_short || amplitude == 1 || !(amplitude > 0)) return 1;
  return 1 + amplitude + std::exp2(std::floor(std::log2(amplitude)) + 1) / amplitude;
}

RotationPrediction::RotationPrediction(Kept<RotationHypothesis> hypothesis,
                                       const std::vector<double>& growth, double unit, DType file,
                                       bool values)
    : hypothesis_(hypothesis),
      frequencies_(hypothesis_.frequencies),
      tied_(hypothesis_.frequencies.size()),
      growth_(hypothesis_.angle_ulps.empty() ? growth : hypothesis_.angle_ulps),
      unit_(unit),
      file_unit_(unit_roundoff(file)),
      roundings_(roundings_to(file_unit_, amplitude())) {
  if (values) spacing_ = Spacing(file);
  if (hypothesis_.split) split_ = hypothesis_.split->frequencies;
  growth_.resize(frequencies_.size(), growth.empty() ? 16 : growth.back());
  for (std::size_t j = 0; j < frequencies_.size(); ++j) {
    double& f = frequencies_[j];
    const double relative = growth_[j] * unit;
    if (hypothesis_.frequency_type)
      std::tie(f, tied_[j]) = with_tie(
          f, relative, [&](double x) { return rounded_once(x, *hypothesis_.frequency_type); });
    if (hypothesis_.tf32) {
      std::tie(f, tied_[j]) =
          with_tie(f, relative, [&](double x) { return rounded_to_tf32(x, *hypothesis_.tf32); });
    }
  }
}

double single_step_shift(double angle) {
  constexpr double turn = 2 * std::numbers::pi,
                   narrow = static_cast<double>(static_cast<float>(turn));
  return -std::nearbyint(angle / turn) * (narrow - turn);
}

RotationPrediction::RotationPrediction(Kept<RotationHypothesis> hypothesis, Kept<AngleModel> angles,
                                       DType file, bool values)
    : RotationPrediction(hypothesis, {}, 0x1p-24, file, values) {
  angles_ = &angles.get();
}

void RotationPrediction::frequencies(double* frequency, double* bound) const {
  // Below 2^−14 a half has steps of 2^−24, whatever the number.
  const double half_step = file_unit_ == unit_roundoff(DType::f16) ? 0x1p-25 : 0;
  for (std::size_t j = 0; j < frequencies_.size(); ++j) {
    frequency[j] = frequencies_[j];
    const bool free = !hypothesis_.free_pairs.empty() && hypothesis_.free_pairs[j];
    bound[j] = free ? std::numeric_limits<double>::infinity()
                    : std::fabs(frequencies_[j]) * (growth_[j] * unit_ + file_unit_) + half_step +
                          tied_[j];
  }
}

void RotationPrediction::row(Index row, std::span<double> cosine, std::span<double> sine,
                             std::span<double> bound) const {
  const RotationHypothesis::Row what =
      hypothesis_.row ? hypothesis_.row(row) : RotationHypothesis::Row::turns;
  const bool later = hypothesis_.split && hypothesis_.split->holds(row);
  thread_local std::vector<double> own;
  if (hypothesis_.ladder) {
    own.resize(frequencies_.size());
    hypothesis_.ladder(row, own.data());
  }
  const std::vector<double>& f = hypothesis_.ladder ? own : later ? split_ : frequencies_;
  const double a = later ? hypothesis_.split->magnitude : hypothesis_.cosine_magnitude,
               b = later ? a : hypothesis_.sine_magnitude,
               amplitude = std::max(std::fabs(a), std::fabs(b));
  const bool blank = what == RotationHypothesis::Row::blank,
             untouched = what == RotationHypothesis::Row::untouched,
             still = untouched || what == RotationHypothesis::Row::still;
  const double table_unit =
      hypothesis_.table_type ? unit_roundoff(*hypothesis_.table_type) : hypothesis_.table_unit;
  if (what == RotationHypothesis::Row::free) {
    std::ranges::fill(bound, std::numeric_limits<double>::infinity());
    std::ranges::fill(cosine, 0.0);
    std::ranges::fill(sine, 0.0);
    return;
  }
  const bool has_axes = !hypothesis_.axis.empty();
  const double only_place = has_axes ? 0 : position_of(hypothesis_, row, 0);
  thread_local std::vector<double> positions, shift;
  if (angles_) {
    positions.resize(f.size());
    shift.resize(f.size());
    for (std::size_t j = 0; j < f.size(); ++j)
      positions[j] = has_axes ? position_of(hypothesis_, row, j) : only_place;
    if (still) std::ranges::fill(positions, 0.0);
    if (hypothesis_.axis.empty())
      angles_->shifts(positions[0], shift.data());
    else
      angles_->shifts(positions.data(), shift.data());
  }
  const bool sines_otherwise = !hypothesis_.sine_frequencies.empty();
  for (std::size_t j = 0; j < std::min(f.size(), cosine.size()); ++j) {
    double p = has_axes ? position_of(hypothesis_, row, j) : only_place;
    if (still) p = 0;
    if (hypothesis_.tf32) p = rounded_to_tf32(p, *hypothesis_.tf32);
    double angle = p * f[j], tie = std::fabs(p) * tied_[j];
    if (hypothesis_.angle_type) {
      double over = 0;
      std::tie(angle, over) = with_tie(angle, growth_[j] * unit_, [&](double x) {
        return rounded_once(x, *hypothesis_.angle_type);
      });
      tie += over;
    }
    const double whole = std::fabs(angle);  // before it was taken into one turn
    if (hypothesis_.angle_map) {
      double over = 0;
      std::tie(angle, over) = with_tie(angle, growth_[j] * unit_, hypothesis_.angle_map);
      tie += over;
    }
    if (angles_) angle += shift[j];
    // Unknown beside the angle's own error: two roundings of k·fl(2π); of fast functions eight, and
    // the 2^−20 that they are allowed at any angle (CUDA's programming guide has 2^−21.4 within
    // ±π).
    if (hypothesis_.trigonometry == Trigonometry::single_step) {
      tie += 3 * unit_ * std::fabs(angle);
      angle += single_step_shift(angle);
    } else if (hypothesis_.trigonometry == Trigonometry::fast) {
      tie += 8 * unit_ * std::fabs(angle) + 0x1p-20;
    }
    const double turn = hypothesis_.reversed ? -angle : angle;
    const auto [scale, scale_units] = scale_at(hypothesis_, p, j);
    const double phase = hypothesis_.sine_phases.empty() ? 0 : hypothesis_.sine_phases[j],
                 other = sines_otherwise ? p * hypothesis_.sine_frequencies[j] + phase : angle,
                 sine_turn = hypothesis_.reversed ? -other : other;
    double c = std::cos(turn), s = std::sin(turn), formula_units = 0;  // one call for both
    if (sines_otherwise) s = std::sin(sine_turn);
    if (const TurnFormula* formula = hypothesis_.formula) {
      formula_units = formula->units(c, s);
      std::tie(c, s) = std::pair(formula->cosine(c, s), formula->sine(c, s));
    }
    c = blank ? 0 : scale * a * c;
    s = blank ? 0 : scale * b * s;
    if (hypothesis_.copied == RotationHypothesis::Copied::cosine) s = c;
    if (hypothesis_.copied == RotationHypothesis::Copied::sine) c = s;
    c = std::min(c, hypothesis_.table_most);
    s = std::min(s, hypothesis_.table_most);
    if (hypothesis_.swapped) std::swap(c, s);
    if (untouched) std::tie(c, s) = std::pair(1.0, 0.0);
    // Angle's error, the value's own roundings, and those of the file and the table.
    const double per_radian = angles_ ? angles_->per_radian(j) : growth_[j] * unit_;
    bound[j] = scale * amplitude *
                   (per_radian * std::max({whole, std::fabs(angle), std::fabs(other)}) + tie +
                    (value_roundings(angle) + scale_units + formula_units) * unit_ + table_unit +
                    (spacing_ ? 0 : roundings_ * file_unit_)) +
               hypothesis_.table_step / 2;

    cosine[j] = c;
    sine[j] = s;
  }
}

}  // namespace pe
