// Numbers of few decimal digits, as people choose them.
#pragma once

namespace pe {

/// A value rounded to so many significant decimal digits.
double to_digits(double value, int digits);

/// Whether so many digits are the whole value.
inline bool has_digits(double value, int digits) { return to_digits(value, digits) == value; }

}  // namespace pe
