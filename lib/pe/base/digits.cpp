// Rounding to decimal digits by way of their text, which alone rounds right.
#include "pe/base/digits.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace pe {

double to_digits(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

}  // namespace pe
