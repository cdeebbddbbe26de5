// Runs of positions from text, exactly.
#include "pe/model/position.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pe/base/decimal.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 53;

// Digits behind the point once the exponent is taken in: 2.50e1 has 1.
int decimals_of(const Decimal& number) {
  Real value = number.real();
  int decimals = 0;
  while (trunc(value) != value && decimals <= 18) {
    value *= 10;
    ++decimals;
  }
  return decimals;
}

}  // namespace

double PositionRange::value(Index i) const {
  if (decimals == 0) return static_cast<double>(at(i));
  return to_double(Real(at(i)) / pow(Real(10), decimals));
}

Index PositionRange::length() const {
  if (count == 0) return 0;
  std::int64_t unit = 1;
  for (int i = 0; i < decimals; ++i) unit *= 10;
  const std::int64_t last = std::max(at(0), at(count - 1));
  return last < 0 ? 0 : last / unit + 1;
}

PositionRange parse_positions(std::string_view text) {
  const auto refuse = [&](std::string_view why) -> UsageError {
    return UsageError(fmt::format("--positions takes START:STOP[:STEP], got '{}': {}", text, why));
  };
  if (text.find(',') != std::string_view::npos)
    throw refuse("a list, which pe-gen takes for tables and turns; here it is a run");
  std::vector<Decimal> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t colon = std::min(text.find(':', start), text.size());
    try {
      parts.emplace_back(text.substr(start, colon - start));
    } catch (const UsageError& error) {
      throw refuse(error.what());
    }
    start = colon + 1;
  }
  if (parts.size() < 2 || parts.size() > 3) throw refuse("two or three numbers are needed");
  if (parts.size() == 2) parts.emplace_back(1);

  PositionRange range;
  for (const Decimal& part : parts) range.decimals = std::max(range.decimals, decimals_of(part));
  if (range.decimals > 15) throw refuse("at most 15 digits behind the point");
  std::int64_t whole[3];
  for (int i = 0; i < 3; ++i) {
    const Real scaled = parts[static_cast<std::size_t>(i)].real() * pow(Real(10), range.decimals);
    if (abs(scaled) > Real(largest))
      throw refuse(range.decimals ? "more digits than 2^53 can count"
                                  : "positions reach 2^53 at most");
    whole[i] = scaled.convert_to<std::int64_t>();
  }
  const auto [start, stop, step] = whole;
  if (step == 0) throw refuse("the step is zero");
  const std::int64_t distance = step > 0 ? stop - start : start - stop,
                     stride = step > 0 ? step : -step;
  if (distance <= 0) throw refuse("no position lies in it");
  range.first = start;
  range.step = step;
  range.count = (distance + stride - 1) / stride;
  return range;
}

std::string spell(const PositionRange& positions) {
  const auto number = [&](std::int64_t scaled) {
    if (positions.decimals == 0) return fmt::format("{}", scaled);
    return (Real(scaled) / pow(Real(10), positions.decimals)).str(20);
  };
  const std::int64_t stop = positions.at(positions.count);
  std::string text = number(positions.first) + ":" + number(stop);
  if (positions.step != 1 || positions.decimals != 0) text += ":" + number(positions.step);
  return text;
}

}  // namespace pe
