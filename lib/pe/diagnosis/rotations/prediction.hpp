// Turn prediction: the rows that a hypothesis makes, and how far any may lie from them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"

namespace pe {

class AngleModel;

/// The distance between neighbours of a type at a value: the power of two below it over that of the
/// significant bits, but no less than the distance between the least numbers.
class Spacing {
 public:
  explicit Spacing(DType type);
  double at(double value) const {
    const double power =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000);
    return std::max(power * share_, least_);
  }
  /// What so many roundings to the type may have done to a value; to bfloat16 by way of binary16,
  /// whose own rounding and least numbers they have, too.
  double rounding(double value, double roundings) const {
    return std::max(at(value) / 2 * (roundings + twice_), twice_least_);
  }
  /// How many neighbours lie between two numbers, as they lie at the larger one.
  double between(double a, double b) const {
    return a == b ? 0 : std::fabs(a - b) / at(std::max(std::fabs(a), std::fabs(b)));
  }

 private:
  double share_, least_, twice_ = 0, twice_least_ = 0;
};

/// What rounding to the file's type adds, in units of its roundoff at the value: one rounding; of a
/// 16-bit type three where there is an attention factor m, for some round the cosine and the factor
/// before they multiply (CTranslate2): m of one, one, and the factor's at the value, 2/m at most.
double roundings_to(double file_unit, double amplitude);

/// A hypothesis's frequencies as its own types hold them, ready to predict rows.
class RotationPrediction {
 public:
  /// `unit`: roundoff of the arithmetic (2^−24, 2^−53). `values`: cells are numbers of the file's
  /// type, and what rounding to it adds is as small as they are.
  RotationPrediction(Kept<RotationHypothesis> hypothesis, const std::vector<double>& growth,
                     double unit, DType file, bool values);
  /// With the file's own angles: each cell is held to what they give there. `values`: cells are
  /// numbers of the file, not turns between its vectors.
  RotationPrediction(Kept<RotationHypothesis> hypothesis, Kept<AngleModel> angles, DType file,
                     bool values);

  /// Cosine, sine (times their magnitudes and the pair's scale) of each pair of a row, and the
  /// bound of the difference from them, less rounding(); of as many pairs as there is room for,
  /// which a reading of narrower vectors has.
  void row(Index row, std::span<double> cosine, std::span<double> sine,
           std::span<double> bound) const;
  /// What rounding to the file's type may add at a predicted cosine or sine.
  double rounding(double value) const {
    return spacing_ ? spacing_->rounding(value, roundings_) : 0;
  }
  bool allows(double got, double want, double bound) const {
    return std::fabs(got - want) <= bound + rounding(want);
  }
  /// The larger of cosine's and sine's magnitude, where nothing else is said of a row.
  double amplitude() const {
    return std::max(std::fabs(hypothesis_.cosine_magnitude), std::fabs(hypothesis_.sine_magnitude));
  }
  /// Frequencies and their bounds, for a file that holds those.
  void frequencies(double* frequency, double* bound) const;

 private:
  const RotationHypothesis& hypothesis_;
  std::vector<double> frequencies_, tied_, split_, growth_;
  double unit_, file_unit_, roundings_ = 1;
  const AngleModel* angles_ = nullptr;
  std::optional<Spacing> spacing_;
};

/// Roundings of a cosine or sine beside those of its float32 angle: the function's, within one unit
/// in the last place, and the attention factor's; and those of an angle that was taken into one
/// turn, or made a part of one, in double first: 7u at most, and no more than a small angle.
inline double value_roundings(double angle) { return 3 + std::min(std::fabs(angle), 7.0); }

/// What a single step into one turn adds to an angle: −k·(fl(2π) − 2π), k the turns in it.
double single_step_shift(double angle);

/// `value` rounded to the 11 significant bits of TF32.
double rounded_to_tf32(double value, Tf32 way);

}  // namespace pe
