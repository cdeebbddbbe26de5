// The measures behind the catalogue of laws, and what they share.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "pe/properties/property.hpp"

namespace pe::laws {

// any.cpp
Measurement finite(const Case&);
Measurement deterministic(const Case&);
Measurement length_invariant(const Case&);
// order.cpp
Measurement order_sensitive(const Case&);
// table.cpp
Measurement bounded(const Table&, const Case&);
Measurement unique(const Table&, const Case&);
Measurement constant_norm(const Table&, const Case&);
Measurement distance_by_offset(const Table&, const Case&);
Measurement table_relative_only(const Table&, const Case&);
// grid.cpp
Measurement separable(const Table&, const Case&);
// collision.cpp
Measurement collision_free(const Table&, const Case&);
// linear_shift.cpp
Measurement linear_shift(const Table&, const Case&);
// fitted_shift.cpp: M_k fitted on half of the positions and tried on the others
Measurement fitted_shift(const Table&, const Case&);
// rotation.cpp
Measurement identity_at_zero(const Rotation&, const Case&);
Measurement unit_pairs(const Rotation&, const Case&);
Measurement turns_add(const Rotation&, const Case&);
Measurement rotation_relative_only(const Rotation&, const Case&);
Measurement frequencies_decrease(const Rotation&, const Case&);
// rotation_forms.cpp
Measurement norm_preserving(const Rotation&, const Case&);
Measurement matrix_form(const Rotation&, const Case&);
// bias.cpp
Measurement bias_relative_only(const Bias&, const Case&);
Measurement toeplitz(const Bias&, const Case&);
Measurement zero_diagonal(const Bias&, const Case&);
Measurement falls_with_distance(const Bias&, const Case&);
Measurement causal(const Bias&, const Case&);
Measurement symmetric(const Bias&, const Case&);
Measurement slopes(const Bias&, const Case&);
// buckets.cpp, of a bias and of a relative encoding
Measurement bias_buckets_total(const Bias&, const Case&);
Measurement bias_buckets_by_offset(const Bias&, const Case&);
Measurement bias_buckets_monotone(const Bias&, const Case&);
Measurement bias_buckets_covered(const Bias&, const Case&);
Measurement bias_clipped(const Bias&, const Case&);
Measurement buckets_total(const Relative&, const Case&);
Measurement buckets_by_offset(const Relative&, const Case&);
Measurement buckets_monotone(const Relative&, const Case&);
Measurement buckets_covered(const Relative&, const Case&);
Measurement clipped(const Relative&, const Case&);
// relative.cpp
Measurement expansion(const Relative&, const Case&);
Measurement rel_shift(const Relative&, const Case&);

// meaning.cpp: why the laws of these have nothing to look at; empty where they have
std::string_view lacks_grid(const Effect&);
std::string_view lacks_slopes(const Effect&);
std::string_view lacks_buckets(const Effect&);
std::string_view lacks_offsets(const Effect&);  // buckets that are a function of the offset
std::string_view lacks_limit(const Effect&);    // those that end at some distance

/// The largest error of one rounding to `dtype` of numbers up to `largest` in magnitude: half an
/// ulp of the binade below it (f64 values are promised within a whole ulp, so twice that).
double rounding_error(DType dtype, double largest);

/// What is no number is worse than any, and stays so.
inline bool worse(double off, double worst) {
  return off > worst || (std::isnan(off) && !std::isnan(worst));
}

/// How far a stored number up to `largest` in magnitude may lie from the law's own: one rounding to
/// the dtype, and what a foreign arithmetic does before it.
double entry_error(const Case& subject, double largest);
/// " (one rounding to f32)", with the foreign arithmetic where there is one.
std::string spell_entry_error(const Case& subject);

/// Offsets worth trying on L positions: 1, 2, 3, powers of two, L/2 and L−1.
std::vector<std::int64_t> usual_shifts(Index positions);
std::vector<std::int64_t> shifts_of(const Case& subject);
/// "offsets 1, 2, 3, 4, … 1023"
std::string spell_shifts(const std::vector<std::int64_t>& shifts);

/// The table's rows at positions, as stored in the dtype, widened: [position, dim].
std::vector<double> rows_of(const Table& table, const PositionRange& positions, DType dtype);

/// The positions that exist: without those beyond a table's or a bias's rows.
PositionRange existing(std::optional<Index> rows, const PositionRange& positions);
inline PositionRange existing(const Table& table, const PositionRange& positions) {
  return existing(table.rows, positions);
}
inline PositionRange existing(const Bias& bias, const PositionRange& positions) {
  return existing(bias.rows, positions);
}

/// Calls visit(index of the block's first position, its positions) over runs of at most about a
/// megabyte of doubles.
void for_blocks(const PositionRange& positions, Index width,
                const std::function<void(Index, const PositionRange&)>& visit);

Measurement not_told(std::string why);

/// Queries and keys of each head of a bias that laws of every kind look at, and laws of biases.
inline constexpr Index any_side = 128, bias_side = 512;

/// The power of a law that sees the squares of two cells that sum to a². A change c of one that is
/// v moves the sum by 2vc + c², away from 0 at least: where v is 0 the law sees c² alone.
Power power_of_square(double a, double bound, double worst);

/// cos + i·sin, [position, pair], as stored in the dtype.
using Turns = std::vector<std::complex<double>>;
Turns turns_of(const Rotation& rotation, const PositionRange& positions, DType dtype);

/// How far a foreign rotation lies from turns in proportion to the position: one turn decides, for
/// the law's bound is of every pair of positions. `still`: turns that stand still at position 0.
struct Farthest {
  double off = 0, allowed = 0, amplitude = 1;
  std::string witness, allowed_from, untold;
  Power power;
};
Farthest farthest_turn(const Rotation& rotation, const Case& subject, bool still);

struct SteadyTable;
/// A law of a foreign table that its steady pairs obey; the other columns by `of_rest`.
Measurement foreign_columns(const SteadyTable& steady, const Table& table, const Case& subject,
                            Measurement (*of_rest)(const Table&, const Case&));

/// The turns that the waves make, [position, pair], to f64.
Turns exact_turns(const Rotation& rotation, const PositionRange& positions);

/// The axis that each pair turns along; 0 for all where positions are numbers.
std::vector<std::size_t> axes_of(const Rotation& rotation);

/// How far products of turns spread that should be the same, and where.
struct Spread {
  double worst = 0;
  std::string witness;
};
/// Of a rotation of several axes: products of the turns of two positions, gathered by how far apart
/// they stand along the pair's own axis.
Spread spread_along_axes(const Rotation& rotation, const Case& subject);

/// Holds xPos' scales to depending on the offset alone, and takes the result over when they are
/// what fails.
void add_scales(const Rotation& rotation, const Case& subject, Measurement& result);

}  // namespace pe::laws
