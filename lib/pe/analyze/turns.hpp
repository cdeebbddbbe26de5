// Relative turns of a rotation: what a pair of channels contributes to a score, by distance.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

/// Along which of several axes two positions are apart; "all": along each of them alike, as text
/// is. Throws UsageError that names the axes.
std::string axis_of_turns(const Rotation& rotation, const Question& question);

/// The run of positions that distances are measured along, from its first: the subject's, or along
/// an axis as many as a grid has cells.
PositionRange distances_of(const Question& question);

/// The query at each distance from a key at the first position: for each pair the scaled turn
/// s(m)·A²·e^{imθ_j}, in the order of the pairs, as stored in the dtype. Within 2^-49 of its
/// magnitude. Throws MathError where a scale overflows. `visit(index of the chosen point, turns)`.
void for_turns(
    const Question& question, const std::vector<Index>& chosen,
    const std::function<void(std::size_t point, const std::vector<std::complex<double>>&)>& visit);

}  // namespace pe
