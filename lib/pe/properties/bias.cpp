// Laws of biases, over a square of queries and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

constexpr Index widest = 512;  // queries and keys looked at

// One head's biases [query, key], as stored in the dtype.
struct Square {
  PositionRange positions;
  std::vector<double> values;
  double at(Index query, Index key) const {
    return values[static_cast<std::size_t>(query * positions.count + key)];
  }
};

Square square_of(const Bias& bias, const Case& subject, Index head) {
  const PositionRange there = existing(bias, subject.positions);
  Square square{there.slice(0, std::min(widest, there.count)), {}};
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
  const Index n = std::min(widest, existing(bias, subject.positions).count);
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

// |a − b|, with equal infinities no distance apart.
double apart(double a, double b) { return a == b ? 0 : std::fabs(a - b); }

// By how many places a pair moves back to where its diagonal begins: the least query and key of the
// same offset. In a window the offset is one of rows and one of columns.
Index back_to_start(const Bias& bias, Index query, Index key) {
  const Index width = bias.window_width;
  if (width == 0) return std::min(query, key);
  return std::min(query / width, key / width) * width + std::min(query % width, key % width);
}

// Whether the places of a square are those of a window from its first row on.
bool counted_by_rows(const Bias& bias, const PositionRange& positions) {
  return bias.window_width == 0 ||
         (positions.step == 1 && positions.first % bias.window_width == 0);
}

const char* const needs_rows =
    "the places of a window are compared from the start of a row on, in steps of 1";

}  // namespace

Measurement toeplitz(const Bias& bias, const Case& subject) {
  if (!counted_by_rows(bias, subject.positions)) return not_told(needs_rows);
  Measurement result =
      over_squares(bias, subject, [&](const Square& square, Index query, Index key) {
        const Index start = back_to_start(bias, query, key);
        return apart(square.at(query, key), square.at(query - start, key - start));
      });
  result.bound_from = "the same number rounded the same way: no difference";
  if (!subject.foreign) return result;
  result.bound = 2 * subject.foreign->value;
  result.bound_from = fmt::format("twice {}", subject.foreign->value_from);
  if (result.holds()) return result;
  Measurement relative = bias_relative_only(bias, subject);
  if (relative.holds()) relative.bound_from += ": the same but for constants";
  return relative.holds() ? relative : result;
}

// Softmax cannot see a constant for each query row, so each row is taken from its own diagonal.
Measurement bias_relative_only(const Bias& bias, const Case& subject) {
  if (!bias.fill && bias.buckets) return bias_buckets_by_offset(bias, subject);
  if (!counted_by_rows(bias, subject.positions)) return not_told(needs_rows);
  double largest = 0;
  Measurement result =
      over_squares(bias, subject, [&](const Square& square, Index query, Index key) {
        if (std::isfinite(square.at(query, key)))
          largest = std::max(largest, std::fabs(square.at(query, key)));
        const Index start = back_to_start(bias, query, key), q = query - start, k = key - start;
        return apart(square.at(query, key) - square.at(query, query),
                     square.at(q, k) - square.at(q, q));
      });
  result.bound = 4 * entry_error(subject, largest);
  result.bound_from = fmt::format(
      "four roundings to {} of numbers up to {:.6g}; a constant for each query row is taken off{}",
      name_of(subject.dtype), largest,
      subject.foreign ? ", and four times " + subject.foreign->value_from : "");
  return result;
}

Measurement zero_diagonal(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        return query == key ? std::fabs(square.at(query, key)) : 0.0;
      });
  result.bound_from = "zero is a number of every dtype";
  return result;
}

Measurement falls_with_distance(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        if (key == query) return 0.0;
        const double nearer = square.at(query, key < query ? key + 1 : key - 1),
                     here = square.at(query, key);
        return here == nearer              ? 0.0
               : std::isnan(here - nearer) ? HUGE_VAL
                                           : std::max(0.0, here - nearer);
      });
  result.bound_from = "rounding is monotone: no rise";
  return result;
}

Measurement causal(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        return key > query && square.at(query, key) != -HUGE_VAL ? 1.0 : 0.0;
      });
  result.bound_from = "a key after its query that is not −inf: 1";
  return result;
}

Measurement symmetric(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        return apart(square.at(query, key), square.at(key, query));
      });
  result.bound_from = "the same number rounded the same way: no difference";
  if (subject.foreign) {
    result.bound = 2 * subject.foreign->value;
    result.bound_from = fmt::format("twice {}", subject.foreign->value_from);
  }
  return result;
}

// Heads 1 … p follow 2^(−8h/p), p the greatest power of two not above the count; the others take
// every second one of 2p (Press et al. 2022 and `get_slopes`). Read off the biases themselves: the
// penalty of one position of distance.
Measurement slopes(const Bias& bias, const Case& subject) {
  if (!bias.fill || bias.slopes.empty()) return not_told("the bias has no head slopes");
  if (subject.foreign && existing(bias, subject.positions).count < 2)
    return not_told("the dump has no two positions");
  Measurement result;
  Index power = 1;
  while (2 * power <= bias.heads) power *= 2;
  for (Index head = 0; head < bias.heads; ++head) {
    const double exponent =
        head < power
            ? -8.0 * static_cast<double>(head + 1) / static_cast<double>(power)
            : -4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power);
    const double expected = std::exp2(exponent);
    std::byte bytes[16];
    double values[2];
    const std::int64_t first = subject.foreign ? subject.positions.at(0) : 0;
    bias.fill(head, first + 1, {first, 1, 2, 0}, subject.dtype, bytes);
    widen(bytes, subject.dtype, values);
    const double slope =
        values[1] - values[0];  // one position of distance, in either form of the bias
    const double off = std::fabs(slope - expected) / expected;
    if (!worse(off, result.worst)) continue;
    result.worst = off;
    result.witness = fmt::format("head {}: {:.9g}, the rule gives {:.9g}", head, slope, expected);
  }
  result.bound = unit_roundoff(subject.dtype) + 4 * 0x1p-53;
  result.bound_from =
      fmt::format("relative: one rounding to {} and exp2 in double", name_of(subject.dtype));
  if (subject.foreign) {
    result.bound += subject.foreign->slope;
    result.bound_from += ", and " + subject.foreign->slope_from;
  }
  result.coverage =
      fmt::format("all {} heads, ladder of {}{}", bias.heads, power,
                  power < bias.heads ? fmt::format(" and every second of {}", 2 * power) : "");
  result.exhaustive = true;
  return result;
}

}  // namespace pe::laws
