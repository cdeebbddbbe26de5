// Squares of queries and keys, and what the laws of biases find over them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {

// One head's biases [query, key], as stored in the dtype.
struct Square {
  PositionRange positions;
  std::vector<double> values;
  double at(Index query, Index key) const {
    return values[static_cast<std::size_t>(query * positions.count + key)];
  }
};

inline Square square_of(const Bias& bias, const Case& subject, Index head) {
  const PositionRange there = existing(bias, subject.positions);
  Square square{there.slice(0, std::min(bias_side, there.count)), {}};
  const Index n = square.positions.count;
  square.values.resize(static_cast<std::size_t>(n * n));
  std::vector<std::byte> line(static_cast<std::size_t>(n) * size_of(subject.dtype));
  for (Index query = 0; query < n; ++query) {
    bias.fill(head, square.positions.at(query), square.positions, subject.dtype, line.data());
    widen(line.data(), subject.dtype,
          std::span(square.values)
              .subspan(static_cast<std::size_t>(query * n), static_cast<std::size_t>(n)));
  }
  return square;
}

// The deviation that `off` finds at (head, query, key), worst over the square of every head; it may
// look at the whole square.
template <typename Off>
Measurement over_squares(const Bias& bias, const Case& subject, Off off) {
  if (!bias.fill) return not_told("the bias is trained and was not given (--weights)");
  Measurement result;
  const Index n = std::min(bias_side, existing(bias, subject.positions).count);
  for (Index head = 0; head < bias.heads; ++head) {
    const Square square = square_of(bias, subject, head);
    for (Index query = 0; query < n; ++query)
      for (Index key = 0; key < n; ++key) {
        const double deviation = off(square, query, key);
        if (!worse(deviation, result.worst)) continue;
        result.worst = deviation;
        result.witness =
            fmt::format("head {}, query {}, key {}: {:.9g}", head, square.positions.value(query),
                        square.positions.value(key), square.at(query, key));
      }
  }
  result.coverage = fmt::format("{} heads, {} x {} positions", bias.heads, n, n);
  result.exhaustive = n == existing(bias, subject.positions).count;
  return result;
}

// What a law sees at (head, query, key): how far off, and the magnitudes of the numbers in it.
struct Seen {
  double off = 0;
  std::array<double, 4> numbers{};
};

// A number that a file holds is off by K of its own roundings, in float32 and to the file's type:
// one of each, or four, or what the encoding's arithmetic allows at most. K is the least that holds
// all but one of a head's numbers, or one in a thousand.
struct BiasArithmetic {
  double times = 0, more = 0;
  double of(const Seen& seen, DType dtype) const {
    double sum = 0;
    for (const double number : seen.numbers)
      if (std::isfinite(number) && number != 0)
        sum +=
            times * (rounding_error(dtype, std::fabs(number)) + 0x1p-24 * std::fabs(number)) + more;
    return sum;
  }
};

struct BiasTally {
  Index outside = 0;
  double share = -1, off = 0, allowed = 0, power = 0;
  std::string witness, weakest;
};

// The same over the squares of a dump, each number held to the file's own arithmetic. `look` gives
// Seen. `by_rows`: one cell may move a whole row, which then passes for the loosest arithmetic.
template <typename Look>
Measurement over_foreign(const Bias& bias, const Case& subject, bool by_rows, Look look) {
  if (!bias.fill) return not_told("the bias is trained and was not given (--weights)");
  Measurement result;
  const Index n = std::min(bias_side, existing(bias, subject.positions).count);
  const BiasArithmetic kinds[] = {{1, 0}, {4, 0}, {1, subject.foreign->value}};
  double share = -1;
  for (Index head = 0; head < bias.heads; ++head) {
    const Square square = square_of(bias, subject, head);
    BiasTally tallies[std::size(kinds)];
    for (Index query = 0; query < n; ++query)
      for (Index key = 0; key < n; ++key) {
        const Seen seen = look(square, query, key);
        const double off = std::isnan(seen.off) ? HUGE_VAL : seen.off;
        for (std::size_t k = 0; k < std::size(kinds); ++k) {
          const double allowed = kinds[k].of(seen, subject.dtype);
          BiasTally& tally = tallies[k];
          const auto place = [&] {
            return fmt::format("head {}, query {}, key {}", head, square.positions.value(query),
                               square.positions.value(key));
          };
          tally.outside += !(off <= allowed);
          const double part = off == 0 ? 0 : off / allowed;
          if (part > tally.share) {
            tally.share = part;
            tally.off = seen.off;
            tally.allowed = allowed;
            tally.witness = fmt::format("{}: {:.9g}", place(), square.at(query, key));
          }
          if (allowed + std::min(off, allowed) <= tally.power) continue;
          tally.power = allowed + std::min(off, allowed);
          tally.weakest = place();
        }
      }
    std::size_t k = 0;
    while (k + 1 < std::size(kinds) && tallies[k].outside > 1 + n * n / 1000) ++k;
    if (tallies[k].outside > n * n / 2) k = 0;
    const BiasTally& seen_least = by_rows ? tallies[std::size(kinds) - 1] : tallies[k];
    if (seen_least.power > result.power.change || head == 0)
      result.power = {seen_least.power, seen_least.weakest};
    if (!(tallies[k].share > share)) continue;
    share = tallies[k].share;
    result.worst = tallies[k].off;
    result.bound = tallies[k].allowed;
    result.witness = tallies[k].witness;
    result.bound_from =
        k == 2
            ? subject.foreign->value_from
            : fmt::format("{} to float32 and to {} of each number compared: head {} shows no more",
                          k == 0 ? "one rounding" : "four roundings", name_of(subject.dtype), head);
  }
  result.coverage = fmt::format("{} heads, {} x {} positions", bias.heads, n, n);
  result.exhaustive = n == existing(bias, subject.positions).count;
  return result;
}

}  // namespace pe::laws
