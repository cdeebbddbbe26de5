// Units in the last place: how far apart numbers of a type lie, and what one rounding to it costs.
#pragma once

#include <span>

#include "pe/base/dtype.hpp"

namespace pe {

/// How many numbers of the type lie between two.
double ulps_between(double a, double b, DType dtype);

/// Every value rounded once to the type and widened again.
void round_to(DType dtype, std::span<const double> values, double* out);

/// Every value is a number of the type.
bool on_grid(std::span<const double> values, DType dtype);

/// Half the distance between neighbours at a value, of a type whose roundoff this is; its least
/// numbers aside.
double half_step(double value, double unit);

/// Half the distance between neighbours at `value`, relative, and half the least number, absolute:
/// one rounding to the type.
double rounding_error(double magnitude, DType dtype);

}  // namespace pe
