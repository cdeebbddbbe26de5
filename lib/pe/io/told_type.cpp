// Holds the type that is told to what a file says, or to the digits that text has.
#include "pe/io/told_type.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/ulp.hpp"
#include "pe/io/printed.hpp"

namespace pe::io {
namespace {

bool are_numbers_of(const Stored& array, DType type) {
  constexpr Index chunk = 1 << 14;
  std::vector<double> values;
  for (Index first = 0; first < array.size(); first += chunk) {
    values.resize(static_cast<std::size_t>(std::min(chunk, array.size() - first)));
    array.read(first, std::ssize(values), values.data());
    if (!on_grid(values, type)) return false;
  }
  return true;
}

// Text's numbers are read as doubles, unless a JSON field says another type.
bool is_untyped(const Stored& array, bool has_types) {
  return !has_types && array.dtype == DType::f64;
}

bool is_longer(DType a, DType b) { return unit_roundoff(a) < unit_roundoff(b); }

// Shortest decimals of bf16 numbers may be those of f16 numbers: which they are is told.
bool prints(const Stored& array, DType told) {
  const auto printed = printed_type(array);
  return are_printed_whole(array, told) ||
         (printed && !is_longer(told, *printed) && may_be_printed(array, told));
}

bool takes_type(const Stored& array, DType told, bool has_types) {
  if (!is_untyped(array, has_types)) return array.dtype == told;
  const auto printed = type_of_digits(array);
  return may_be_printed(array, told) && !(printed && is_longer(told, *printed));
}

bool is_whole(const Stored& array) { return is_integer(array.dtype) && !array.u16; }

}  // namespace

void take_type(DType told, bool has_types, std::vector<Stored>& arrays) {
  for (Stored& array : arrays) {
    if (is_integer(array.dtype) || !is_longer(array.dtype, told)) continue;
    if (are_numbers_of(array, told) || (is_untyped(array, has_types) && prints(array, told)))
      array = narrowed(array, told);
  }
}

std::optional<UsageError> refused_type(DType told, bool has_types,
                                       const std::vector<Stored>& arrays) {
  if (std::ranges::all_of(arrays, is_whole) || std::ranges::any_of(arrays, [&](const Stored& one) {
        return takes_type(one, told, has_types);
      }))
    return {};
  const Stored& first = *std::ranges::find_if_not(arrays, is_whole);
  const std::string start = fmt::format("the type {} is told, and {}", name_of(told), first.shown);
  if (is_untyped(first, has_types)) {
    const auto printed = type_of_digits(first);
    return UsageError(
        fmt::format("{} holds numbers {}: leave it out, the digits of text say its type", start,
                    printed ? fmt::format("that are printed as {}", name_of(*printed))
                            : "that are none of that type"));
  }
  return UsageError(fmt::format("{} says {} itself{}: leave it out, it is for raw files", start,
                                first.u16 ? "u16" : name_of(first.dtype),
                                !first.u16 && is_longer(first.dtype, told)
                                    ? ", with numbers that are none of that type"
                                    : ""));
}

}  // namespace pe::io
