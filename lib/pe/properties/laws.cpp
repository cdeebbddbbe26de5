// What the measures share: rounding bounds, offsets, blocks.
#include "pe/properties/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "pe/base/narrow.hpp"

namespace pe::laws {

namespace {

// The largest power of two below a number.
double binade_of(double largest) {
  const auto bits = std::bit_cast<std::uint64_t>(largest);
  constexpr std::uint64_t one = std::uint64_t{1} << 52, infinite = 0x7ff;
  if (const std::uint64_t stored = bits / one; stored > 1 && stored < infinite)  // normal, positive
    return std::bit_cast<double>((stored - (bits % one == 0)) * one);
  int exponent;
  const bool power_of_two =
      std::frexp(largest, &exponent) == 0.5;  // largest = m·2^exponent, m in [1/2, 1)
  return std::ldexp(1.0, power_of_two ? exponent - 2 : exponent - 1);
}

}  // namespace

double rounding_error(DType dtype, double largest) {
  if (largest == 0) return 0;
  const double binade = binade_of(largest);
  return unit_roundoff(dtype) * binade * (dtype == DType::f64 ? 2 : 1);
}

double entry_error(const Case& subject, double largest) {
  return rounding_error(subject.dtype, largest) + (subject.foreign ? subject.foreign->value : 0);
}

std::string spell_entry_error(const Case& subject) {
  const std::string rounding = is_integer(subject.dtype)
                                   ? "no rounding"
                                   : fmt::format("one rounding to {}", name_of(subject.dtype));
  return subject.foreign && subject.foreign->value > 0
             ? fmt::format(" ({}, and {})", rounding, subject.foreign->value_from)
             : fmt::format(" ({})", rounding);
}

std::vector<std::int64_t> usual_shifts(Index positions) {
  std::vector<std::int64_t> shifts{1, 2, 3};
  for (std::int64_t shift = 4; shift < positions; shift *= 4) shifts.push_back(shift);
  shifts.push_back(positions / 2);
  shifts.push_back(positions - 1);
  std::ranges::sort(shifts);
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  std::erase_if(shifts, [&](std::int64_t shift) { return shift < 1 || shift >= positions; });
  return shifts;
}

std::vector<std::int64_t> shifts_of(const Case& subject) {
  return subject.shifts.empty() ? usual_shifts(subject.positions.count) : subject.shifts;
}

std::string spell_shifts(const std::vector<std::int64_t>& shifts) {
  return fmt::format("offset{} {}", shifts.size() == 1 ? "" : "s", fmt::join(shifts, ", "));
}

std::vector<double> rows_of(const Table& table, const PositionRange& positions, DType dtype) {
  std::vector<double> values(static_cast<std::size_t>(positions.count * table.width));
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  table.fill(positions, dtype, bytes.data());
  widen(bytes.data(), dtype, values);
  return values;
}

PositionRange existing(std::optional<Index> rows, const PositionRange& positions) {
  if (!rows) return positions;
  const PositionRange& all = positions;
  if (all.count == 0 || all.step == 0)
    return all.count > 0 && all.first >= *rows ? PositionRange{} : all;
  // How many steps from the first position to the end of the table, rounded up, forwards or back.
  const Index size = std::abs(all.step),
              away = all.step > 0 ? *rows - all.first : all.first - *rows + 1;
  const Index steps = away <= 0 ? 0 : std::min(all.count, 1 + (away - 1) / size);
  return all.step > 0 ? all.slice(0, steps) : all.slice(steps, all.count - steps);
}

void for_blocks(const PositionRange& positions, Index width,
                const std::function<void(Index, const PositionRange&)>& visit) {
  const Index block = std::max<Index>(1, (Index{1} << 17) / std::max<Index>(1, width));
  for (Index first = 0; first < positions.count; first += block)
    visit(first, positions.slice(first, std::min(block, positions.count - first)));
}

Measurement not_told(std::string why) {
  Measurement measurement;
  measurement.skipped = std::move(why);
  return measurement;
}

Power power_of_square(double a, double bound, double worst) {
  const double above = bound + worst, half = a / 2;
  return {std::sqrt(above),
          fmt::format("a cell that is 0, of which the law sees the square, and so not that a cell "
                      "changes its sign; where a cell is {:.3g} it sees {:.3g}",
                      half, std::sqrt(half * half + above) - half)};
}

}  // namespace pe::laws
