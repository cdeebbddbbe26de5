// Types that text forgets, by the digits that it has.
#include "pe/io/printed.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "pe/base/digits.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"

namespace pe::io {
namespace {

// The first of them tell.
std::vector<double> sample_of(const Stored& array) {
  constexpr Index most = 1 << 16;
  std::vector<double> values(static_cast<std::size_t>(std::min(array.size(), most)));
  array.read(0, std::ssize(values), values.data());
  return values;
}

// Text has no types: doubles that are all the shortest decimals of float32 numbers were float32
// numbers.
bool print_floats(const std::vector<double>& values) {
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
  while (digits < most_digits && to_digits(decimal, digits) != decimal) ++digits;
  if (digits == 1 || to_digits(decimal, digits) != decimal) return digits == 1;
  const double unit = std::pow(10, std::floor(std::log10(std::fabs(number))) - (digits - 2)),
               shorter = to_digits(number, digits - 1);
  return std::ranges::none_of(std::array{shorter - unit, shorter, shorter + unit},
                              [&](double other) { return rounded_once(other, type) == number; });
}

// The same of 16-bit numbers, whose few digits many numbers must have to tell it.
std::optional<DType> print_halves(const std::vector<double>& values) {
  constexpr std::size_t enough = 16;
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

// Significant digits of the shortest decimal that reads back to a double.
int digits_of(double value) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return static_cast<int>(
      std::count_if(text, std::find(text, end, 'e'), [](char c) { return c >= '0' && c <= '9'; }));
}

int most_digits(const std::vector<double>& values) {
  int most = 0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, digits_of(value));
  return most;
}

// Whether the number of a type that is nearest to a decimal is printed so with some digits.
bool reads_like(double decimal, DType type, int digits) {
  if (!std::isfinite(decimal)) return true;
  const double number = rounded_once(decimal, type);
  return number == decimal || (std::isfinite(number) && to_digits(number, digits) == decimal);
}

// As many as two numbers of a type never have in common.
int telling_digits(DType type) {
  constexpr double log10_of_2 = 0.30103;
  return static_cast<int>(std::ceil(1 - std::log2(unit_roundoff(type)) * log10_of_2));
}

}  // namespace

std::optional<DType> printed_type(const Stored& array) {
  if (array.dtype != DType::f64 || array.size() == 0) return {};
  const std::vector<double> values = sample_of(array);
  if (const auto type = print_halves(values)) return type;
  return print_floats(values) ? std::optional(DType::f32) : std::nullopt;
}

bool may_be_printed(const Stored& array, DType type) {
  return std::ranges::all_of(
      sample_of(array), [&](double value) { return reads_like(value, type, digits_of(value)); });
}

std::optional<DType> type_of_digits(const Stored& array) {
  const auto type = printed_type(array);
  if (!type || !may_be_printed(array, *type)) return {};
  return most_digits(sample_of(array)) >= telling_digits(*type) - 1 ? type : std::nullopt;
}

bool are_printed_whole(const Stored& array, DType type) {
  const std::vector<double> values = sample_of(array);
  const int digits = most_digits(values);
  return digits >= telling_digits(type) &&
         std::ranges::all_of(values, [&](double value) { return reads_like(value, type, digits); });
}

}  // namespace pe::io
