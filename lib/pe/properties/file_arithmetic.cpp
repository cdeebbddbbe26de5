// What may have rounded a dump's numbers, and what fits of turns have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

constexpr double u = 0x1p-24, v = 0x1p-53;

}  // namespace

// From the closest to the loosest. An angle is a product of position and frequency, rounded once;
// twice where the position is a quotient; j times more where each frequency is the one before times
// a factor (ggml); once to the file's type where the file holds angles.
std::vector<Arithmetic> arithmetics_of(const SeenTurns& turns, const Case& subject) {
  const double value = subject.foreign->value;
  std::vector<Arithmetic> list;
  if (subject.dtype == DType::f64) {
    list.push_back({4 * v, 2 * v, 0, "all in float64"});
    list.push_back({4 * v, u, 0, "angles rounded to float32, their cosines in float64"});
  }
  list.push_back({value, 0, 0, "angles in float64 or exact"});
  list.push_back({value, u, 0, "angles that are one float32 product"});
  list.push_back({value, 2 * u, 0, "angles of two float32 roundings"});
  list.push_back({value, 2 * u, u, "angles of 2 + j float32 roundings"});
  const double stored = unit_roundoff(subject.dtype);
  if (stored <= u || turns.nominal.empty() || turns.rows < 2) return list;
  const auto far = static_cast<std::size_t>(turns.rows - 1);
  const double x = std::fabs(turns.coordinate(static_cast<Index>(far), 0) * turns.nominal[0]),
               angle = subject.foreign->angle(subject.positions.at(static_cast<Index>(far)), 0);
  if (angle >= stored * x)
    list.push_back(
        {value, stored + 2 * u, u, fmt::format("angles stored as {}", name_of(subject.dtype))});
  return list;
}

Index SteadyFit::outside() const {
  Index sum = 0;
  for (const SteadyPair& pair : pairs) sum += pair.outside;
  return sum;
}

const SteadyPair& SteadyFit::worst() const {
  return *std::ranges::max_element(pairs, {}, &SteadyPair::share);
}

Power SteadyFit::power() const {
  return std::ranges::max_element(pairs, {},
                                  [](const SteadyPair& pair) { return pair.power.change; })
      ->power;
}

std::string spell_place(const SeenTurns& turns, const Case& subject, Index row, std::size_t pair) {
  const std::string name =
      turns.columns.empty()
          ? fmt::format("pair {}", pair)
          : fmt::format("channels {} and {}", turns.columns[pair][0], turns.columns[pair][1]);
  return fmt::format("position {}, {}", subject.positions.value(row), name);
}

}  // namespace pe::laws
