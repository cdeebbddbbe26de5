// Differences of rows, channel by channel.
#include "pe/analyze/similarity/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/curve.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

// How many channels, from the first on, hold a share of what all of them have.
Index channels_of_share(const std::vector<double>& squares, double share) {
  double all = 0, sum = 0;
  for (const double square : squares) all += square;
  for (std::size_t c = 0; c < squares.size(); ++c)
    if ((sum += squares[c]) >= share * all) return static_cast<Index>(c) + 1;
  return static_cast<Index>(squares.size());
}

}  // namespace

Sheet neighbours_sheet(const Rows& rows, Index lag) {
  if (lag >= rows.positions.count)
    throw UsageError(fmt::format("--lag {}: there are {} positions", lag, rows.positions.count));
  const auto width = static_cast<std::size_t>(rows.width);
  const auto pairs = static_cast<double>(rows.positions.count - lag);
  std::vector<Sum> sums(width), squares(width);
  std::vector<double> mean, rms, most(width), square;
  for (Index i = 0; i + lag < rows.positions.count; ++i)
    for (std::size_t c = 0; c < width; ++c) {
      const double apart = std::fabs(rows.row(i + lag)[c] - rows.row(i)[c]);
      sums[c].add(apart);
      squares[c].add(apart * apart);
      most[c] = std::max(most[c], apart);
    }
  for (std::size_t c = 0; c < width; ++c) {
    mean.push_back(sums[c].value() / pairs);
    square.push_back(squares[c].value() / pairs);
    rms.push_back(std::sqrt(square.back()));
  }
  // A difference of values off by e is off by 2e and a rounding of itself, at most 2^-53·2·largest;
  // means of them, and root means (a norm), by no more, and a few roundings of their own.
  const Error error{.absolute = 2 * rows.entry, .relative = 0x1p-51};
  return {.axes = {counted_axis("dim", rows.width, "channel")},
          .columns = {{"mean", "mean |difference| of rows --lag apart", std::move(mean), error},
                      {"rms", "root mean square of the differences", std::move(rms), error},
                      {"largest", "largest |difference|", std::move(most), error}},
          .notes = {fmt::format("the first {} of {} channels hold nine tenths of the squared "
                                "differences of rows {} apart",
                                channels_of_share(square, 0.9), rows.width, lag)}};
}

}  // namespace pe
