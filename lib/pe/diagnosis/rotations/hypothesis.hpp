// Turn hypothesis: what generates a table of turns, step by step, so that one step at a time can be
// told otherwise.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pe/base/kept.hpp"
#include "pe/kinds/effect.hpp"
#include "pe/model/settings.hpp"

namespace pe {

/// The turns that are meant: pair j turns by coordinate · frequencies[j].
struct RotationTruth {
  std::vector<double> frequencies, unscaled;
  double magnitude = 1;
  std::vector<std::size_t> axis;  // of the positions, that each pair reads; empty: there is one
  std::function<double(double position, std::size_t axis)> coordinate;  // null: the position itself
  Index dim = 0;  // channels of a head, or of a row
  std::vector<Index> cosine_columns = {},
                     sine_columns = {};  // of a grid's table: where a row keeps each pair
  std::vector<std::size_t> parts = {};   // and which of the row's parts a pair belongs to
  std::int64_t shift = 0;                // added to every position (a sinusoidal table's offset)
  Index blocks = 1;                      // halves of vectors pair up within each of so many
  /// xPos: what multiplies a turned pair of a query at a position; null: nothing does.
  std::function<double(double position, std::size_t pair)> scale;
  /// Relative error of a float32 angle in units of 2^−24: see angle_ulps_of().
  std::vector<double> growth;
};

/// Nothing where the effect is no rotation and no table of waves along one axis.
std::optional<RotationTruth> rotation_truth(const Effect& effect);

/// How far float32 arithmetic may carry pair j's angle from the truth, in units of 2^−24 of it.
/// Roundings, one unit each where nothing else is said: the exponent 2j/d, which moves the power by
/// ln(base)·2j/d; the power (2: one unit in the last place); the base; the reciprocal; four of a
/// scaling; position times frequency; and the argument of cosine (1). A ramp's share w rounds by 4
/// units and moves the frequency by (1 − 1/s)·w/r = (1 − r)/r of each, r the ratio to the unscaled
/// frequency. A power taken by j multiplications (ggml) rounds j times more, and its factor's own
/// error is taken j times: 2j.
std::vector<double> angle_ulps_of(const std::vector<double>& frequencies,
                                  const std::vector<double>& unscaled, bool ramped);

/// How cosine and sine of an angle were taken.
enum class Trigonometry {
  sound,        // within one unit in the last place
  single_step,  // of angle − k·fl(2π): one float32 step into one turn
  fast,         // a processor's approximations, whose error grows with the angle
};

/// How the 13 bits that TF32 lacks are dropped: to nearest even, to nearest with halves away from
/// zero (PTX cvt.rna.tf32), or cut off (tensor cores that are given float32).
enum class Tf32 { even, away, cut };

/// What a single step into one turn adds to an angle: −k·(fl(2π) − 2π), k the turns in it.
double single_step_shift(double angle);

struct RotationHypothesis {
  Settings changes;                 // parameters told otherwise
  std::vector<double> frequencies;  // radians per position
  std::vector<double> angle_ulps;   // of these frequencies; empty: those of what is meant
  double cosine_magnitude = 1, sine_magnitude = 1;
  std::vector<std::size_t> axis;
  std::function<double(Index row, std::size_t axis)> position;
  bool reversed = false, swapped = false;  // the other direction; sine in cosine's place
  std::function<double(double position, std::size_t pair)> scale;  // of a pair; null: 1
  double scale_power = 1;  // the scale is taken so often: 0 not at all, −1 as its reciprocal

  /// Rows that tell otherwise: at position 0, zero, or not held to anything.
  enum class Row { turns, still, blank, free };
  std::function<Row(Index row)> row;
  /// Rows from this one on have other frequencies.
  struct Split {
    Index row = 0;
    std::vector<double> frequencies;
    double magnitude = 1;
  };
  std::optional<Split> split;
  std::vector<char> free_pairs;  // pairs not held to anything; empty: none

  /// Types that are shorter than float32 somewhere on the way.
  std::optional<DType> frequency_type, position_type, angle_type, table_type;
  std::optional<Tf32> tf32;  // both factors of the product have 11 significant bits
  Trigonometry trigonometry = Trigonometry::sound;
};

/// A scale at a position, and its relative error in units of 2^−24 when float32 arithmetic makes it
/// as ζ^x: two roundings of ζ and one of x move it by 2|x| + |ln s|, x no more than |ln s| of the
/// first pair (|ln ζ| is largest there, 1.25); the power itself, two more.
struct ScaleAt {
  double scale = 1, units = 0;
};
ScaleAt scale_at(const RotationHypothesis& hypothesis, double position, std::size_t pair);

/// The hypothesis of the truth over rows at `first`, `first`+1, … as slot_of(row) counts them.
RotationHypothesis hypothesis_of(const RotationTruth& truth, std::int64_t first,
                                 const std::function<Index(Index row)>& slot);

/// Where pair j of a row stands, in the type that the hypothesis gives positions.
double position_of(const RotationHypothesis& hypothesis, Index row, std::size_t pair);

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

 private:
  double share_, least_;
};

/// What rounding to the file's type adds, in units of its roundoff at the value: one rounding; of a
/// 16-bit type two where there is an attention factor m, for some round the cosine before they
/// multiply it (CTranslate2): m of one, and one.
double roundings_to(double file_unit, double amplitude);

/// A hypothesis's frequencies as its own types hold them, ready to predict rows.
class RotationPrediction {
 public:
  /// `unit`: roundoff of the arithmetic (2^−24, 2^−53); `file_unit`: of the file's type.
  RotationPrediction(Kept<RotationHypothesis> hypothesis, const std::vector<double>& growth,
                     double unit, double file_unit);
  /// With the file's own angles: each cell is held to what they give there. `values`: cells are
  /// numbers of the file, not turns between its vectors.
  RotationPrediction(Kept<RotationHypothesis> hypothesis, Kept<AngleModel> angles, DType file,
                     bool values);

  /// Cosine, sine (times their magnitudes and the pair's scale) of each pair of a row, and the
  /// bound of the difference from them, less rounding().
  void row(Index row, double* cosine, double* sine, double* bound) const;
  /// What rounding to the file's type may add at a predicted cosine or sine.
  double rounding(double value) const {
    return spacing_ ? spacing_->at(value) / 2 * roundings_ : 0;
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

/// `value` rounded once to nearest even in `type`; to 11 significant bits for TF32.
double rounded(double value, DType type);
double rounded_to_tf32(double value, Tf32 way);

}  // namespace pe
