// Turn hypothesis: what generates a table of turns, step by step, so that one step at a time can be
// told otherwise.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "pe/diagnosis/rotations/truth.hpp"
#include "pe/model/settings.hpp"

namespace pe {

/// How cosine and sine of an angle were taken.
enum class Trigonometry {
  sound,        // within one unit in the last place
  single_step,  // of angle − k·fl(2π): one float32 step into one turn
  fast,         // a processor's approximations, whose error grows with the angle
};

/// How the 13 bits that TF32 lacks are dropped: to nearest even, to nearest with halves away from
/// zero (PTX cvt.rna.tf32), or cut off (tensor cores that are given float32).
enum class Tf32 { even, away, cut };

/// What stands in the place of a turn's cosine and sine, as functions of these, and what its own
/// steps may be off by in units of 2^−24.
struct TurnFormula {
  const char* sentence;
  double (*cosine)(double cosine, double sine);
  double (*sine)(double cosine, double sine);
  double (*units)(double cosine, double sine);
};

struct RotationHypothesis {
  Settings changes;                      // parameters told otherwise
  std::vector<double> frequencies;       // radians per position
  std::vector<double> sine_frequencies;  // where sines go by others than cosines; empty: the same
  std::vector<double> sine_phases;       // and what is added to their angles; empty: nothing
  std::vector<double> copy_frequencies;  // of the second columns; empty: the same
  std::vector<double> angle_ulps;        // of these frequencies; empty: those of what is meant
  double cosine_magnitude = 1, sine_magnitude = 1;
  std::vector<std::size_t> axis;  // of the positions, that each pair reads; empty: there is one
  std::function<double(Index row, std::size_t axis)> position;
  bool reversed = false, swapped = false;  // the other direction; sine in cosine's place
  /// A side that stands in the place of the other, too.
  enum class Copied { none, cosine, sine };
  Copied copied = Copied::none;
  const TurnFormula* formula = nullptr;  // of both sides; null: they are as they are
  std::function<double(double position, std::size_t pair)> log_scale;  // of a pair; null: 0
  double scale_power = 1;  // the scale is taken so often: 0 not at all, −1 as its reciprocal

  /// Rows that tell otherwise: at position 0; vectors that are what they were, neither turned nor
  /// multiplied; zero; not held to anything.
  enum class Row { turns, still, untouched, blank, free };
  std::function<Row(Index row)> row;
  /// Rows of which this holds have other frequencies.
  struct Split {
    std::function<bool(Index row)> holds;
    std::vector<double> frequencies;
    double magnitude = 1;
  };
  std::optional<Split> split;
  /// The frequencies of a row, where each has its own; null: one ladder for all.
  std::function<void(Index row, double* frequencies)> ladder;
  std::vector<char> free_pairs;  // pairs not held to anything; empty: none

  /// Types that are shorter than float32 somewhere on the way.
  std::optional<DType> frequency_type, position_type, angle_type, table_type;
  /// What became of an angle before its cosine and sine were taken, within one turn; null: nothing.
  std::function<double(double angle)> angle_map;
  double table_step = 0;         // every value was rounded to a multiple of it, as decimals are
  double table_most = HUGE_VAL;  // no value is larger: that of fixed point has no 1
  double table_unit = 0;         // roundoff of a type that is shorter than any DType
  std::optional<Tf32> tf32;      // both factors of the product have 11 significant bits
  Trigonometry trigonometry = Trigonometry::sound;

  /// Whether vectors at position 0 are not what they were.
  bool multiplies() const { return cosine_magnitude != 1 || log_scale; }
  std::size_t axes() const { return axis.empty() ? 1 : std::ranges::max(axis) + 1; }
  std::size_t axis_of(std::size_t pair) const { return axis.empty() ? 0 : axis[pair]; }
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

/// Positions up to here are what they are in the type that the hypothesis gives them.
double last_exact_position(const RotationHypothesis& hypothesis);

/// How far its roundings of frequencies and of angles may move an angle, as a share of it.
double rounding_of_angles(const RotationHypothesis& hypothesis);

/// Where pair j of a row stands, in the type that the hypothesis gives positions.
double position_of(const RotationHypothesis& hypothesis, Index row, std::size_t pair);

}  // namespace pe
