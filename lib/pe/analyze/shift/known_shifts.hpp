// M_k of rows that are made of waves: each pair of channels turns by kθ.
#pragma once

#include <cstdint>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// The effect, or, of somebody's dump, the encoding that it is held against, is made of pairs of a
/// sine and a cosine.
bool has_known_shifts(const Question& question);

/// Angle, cosine, sine, channels and residual of each pair.
Sheet turn_sheet(const Question& question, const std::vector<std::int64_t>& shifts);

/// M_k itself. Throws UsageError where it is too large.
Sheet known_matrix(const Question& question, const std::vector<std::int64_t>& shifts);

/// Axes and columns of matrices, [to, from], behind the axis of several k.
Sheet matrix_sheet(const std::vector<std::int64_t>& shifts, Index width, std::vector<double> values,
                   const Error& error);
/// Throws UsageError where so many of them are too large.
void check_matrix(const std::vector<std::int64_t>& shifts, Index width);
/// The axis of several k, none of one, in front of others.
std::vector<Axis> behind_shifts(const std::vector<std::int64_t>& shifts, std::vector<Axis> axes);

}  // namespace pe
