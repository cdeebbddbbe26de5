// Runs of positions, exactly.
#include "pe/model/position.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/real.hpp"

namespace pe {

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
