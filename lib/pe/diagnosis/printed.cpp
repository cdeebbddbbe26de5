// Doubles that a shorter type's numbers were printed as.
#include "pe/diagnosis/printed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "pe/base/digits.hpp"
#include "pe/base/narrow.hpp"
#include "pe/dialects/spell.hpp"

namespace pe {

namespace {

// Text has no types: doubles that are all the shortest decimals of float32 numbers were float32
// numbers.
bool prints_floats(const Stored& array) {
  constexpr Index most = 1 << 16;
  if (array.dtype != DType::f64 || array.size() == 0) return false;
  std::vector<double> values(static_cast<std::size_t>(std::min(array.size(), most)));
  array.read(0, static_cast<Index>(values.size()), values.data());
  bool longer = false;  // some value is not the float32 number itself
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value || std::isnan(value)) continue;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, narrow).ptr;
    double again = 0;
    std::from_chars(text, end, again);
    if (again != value) return false;
    longer = true;
  }
  return longer;
}

// Whether a decimal is as short as one can be that no other number of a type is nearer to.
bool is_shortest(double decimal, DType type) {
  constexpr int most_digits = 6;
  const double number = rounded_once(decimal, type);
  int digits = 1;
  while (digits < most_digits && !has_digits(decimal, digits)) ++digits;
  if (digits == 1 || !has_digits(decimal, digits)) return digits == 1;
  const double unit = std::pow(10, std::floor(std::log10(std::fabs(number))) - (digits - 2)),
               shorter = to_digits(number, digits - 1);
  return std::ranges::none_of(std::array{shorter - unit, shorter, shorter + unit},
                              [&](double other) { return rounded_once(other, type) == number; });
}

// The same of 16-bit numbers, whose few digits many numbers must have to tell it.
std::optional<DType> prints_halves(const Stored& array) {
  constexpr Index most = 1 << 16;
  constexpr std::size_t enough = 16;
  if (array.dtype != DType::f64 || array.size() == 0) return {};
  std::vector<double> values(static_cast<std::size_t>(std::min(array.size(), most)));
  array.read(0, std::ssize(values), values.data());
  for (const DType type :
       {DType::bf16, DType::f16}) {  // every bf16 number's decimal may be an f16 number's, too
    std::set<double> longer;         // different ones: a number that is everywhere tells nothing
    const bool all = std::ranges::all_of(values, [&](double value) {
      const double number = rounded_once(value, type);
      if (number == value || !std::isfinite(value)) return true;
      if (longer.size() < enough) longer.insert(value);
      return std::isfinite(number) && is_shortest(value, type);
    });
    if (all && longer.size() >= enough) return type;
  }
  return {};
}

}  // namespace

std::vector<Stored> typed(std::vector<Stored> arrays, bool turns) {
  for (Stored& array : arrays) {
    if (const auto type = prints_halves(array))
      array = narrowed(array, *type);
    else if (prints_floats(array))
      array = narrowed(array, DType::f32);

    if (turns && array.u16) array = as_bf16(array);
  }
  return arrays;
}

}  // namespace pe
