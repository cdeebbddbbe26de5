// The one way from a double that a file decides to a whole number.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>

namespace pe {

/// Whether `value`, rounded towards zero, is a number of T: casting another one is undefined.
template <std::integral T>
constexpr bool fits(double value) {
  // −2^63 is a double, and so is 2^63, the first number beyond; max() need not be one.
  constexpr double beyond = 2 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1),
                   least = static_cast<double>(std::numeric_limits<T>::min());
  return value > least - 1 || value == least ? value < beyond : false;  // NaN is neither
}

/// `value` rounded towards zero; nothing for NaN and what T has no room for.
template <std::integral T>
constexpr std::optional<T> whole(double value) {
  if (!fits<T>(value)) return std::nullopt;
  return static_cast<T>(value);
}

/// `value` rounded towards zero, the nearest end of T's range where it lies beyond, 0 for NaN.
template <std::integral T>
constexpr T saturated(double value) {
  if (fits<T>(value)) return static_cast<T>(value);
  if (std::isnan(value)) return 0;
  return value < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace pe
