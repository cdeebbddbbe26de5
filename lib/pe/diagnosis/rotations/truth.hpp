// Turn truth: the turns that an effect means, pair by pair.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pe/kinds/effect.hpp"
#include "pe/model/settings.hpp"

namespace pe {

/// The turns that are meant: pair j turns by coordinate · frequencies[j].
struct RotationTruth {
  std::vector<double> frequencies, unscaled;
  /// What a field of frequencies has in their place: those of one cell where coordinates count
  /// other steps, or those of the pair that a cut table has one side of, too. Empty: the same.
  std::vector<double> field = {};
  double magnitude = 1;
  std::vector<std::size_t> axis;  // of the positions, that each pair reads; empty: there is one
  std::function<double(double position, std::size_t axis)> coordinate;  // null: the position itself
  Index dim = 0;  // channels of a head, or of a row
  std::vector<Index> cosine_columns = {},
                     sine_columns = {};  // of a grid's table: where a row keeps each pair
  std::vector<Index> lone = {};          // a table's columns that no pair has both sides of
  bool is_cut = false;                   // the last of these is a side of such a pair
  std::vector<std::size_t> parts = {};   // and which of the row's parts a pair belongs to
  std::int64_t shift = 0;                // added to every position (a sinusoidal table's offset)
  Index blocks = 1;                      // halves of vectors pair up within each of so many
  bool backward = false;                 // vectors turn by −angle
  bool last = false;                     // the channels that turn are a head's last, not its first
  /// xPos: the logarithm of what multiplies a turned pair of a query at a position; null: nothing
  /// does.
  std::function<double(double position, std::size_t pair)> log_scale;
  /// Relative error of a float32 angle in units of 2^−24: see angle_ulps_of().
  std::vector<double> growth;
  /// What was told otherwise to have the pairs of a dump of another width.
  Settings width = {};
};

/// Whether an effect has a rotation truth, which takes much longer to make.
bool is_of_turns(const Effect& effect);

/// Nothing where the effect is no rotation and no table of waves along one axis.
std::optional<RotationTruth> rotation_truth(const Effect& effect);

/// How far float32 arithmetic may carry pair j's angle from the truth, in units of 2^−24 of it.
/// Roundings, one unit each where nothing else is said: the exponent 2j/d, which moves the power by
/// ln(base)·2j/d; the power (2: one unit in the last place); the base; the reciprocal; four of a
/// scaling; position times frequency; and the argument of cosine (1). A power taken by j
/// multiplications (ggml) rounds j times more, and its factor's own error is taken j times: 2j. A
/// ramp's share w rounds by 4 units and moves the frequency by (1 − 1/s)·w/r = (1 − r)/r of each, r
/// the ratio to the unscaled frequency. A band's share is u/(high − low) of its turns u, which the
/// errors of the frequency move, too, and again by (1 − 1/s)/r.
std::vector<double> angle_ulps_of(const std::vector<double>& frequencies,
                                  const std::vector<double>& unscaled,
                                  const BasicRecipe<double>& recipe);

}  // namespace pe
