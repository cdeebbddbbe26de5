// Laws of biases, over a square of queries and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/properties/bias_squares.hpp"

namespace pe::laws {
namespace {

// |a − b|, with equal infinities no distance apart.
double apart(double a, double b) { return a == b ? 0 : std::fabs(a - b); }

// By how many places a pair moves back to where its diagonal begins: the least query and key of the
// same offset; of one that is at one end and the other at the other, the first such. In a window
// the offset is one of rows and one of columns.
Index back_to_start(const Bias& bias, const Square& square, Index query, Index key) {
  const Index width = bias.window_width;
  if (width == 0) {
    const SquarePlaces& places = square.positions;
    const bool are_apart = (places.behind(query) == query) != (places.behind(key) == key);
    return are_apart ? std::min(places.behind(query), places.behind(key)) : std::min(query, key);
  }
  return std::min(query / width, key / width) * width + std::min(query % width, key % width);
}

// Whether the places of a square are those of a window from its first row on.
bool counted_by_rows(const Bias& bias, const PositionRange& positions) {
  return bias.window_width == 0 ||
         (positions.step == 1 && positions.first % bias.window_width == 0);
}

const char* const corners = "a cell alone on its diagonal is compared with none";

const char* const needs_rows =
    "the places of a window are compared from the start of a row on, in steps of 1";

}  // namespace

Measurement toeplitz(const Bias& bias, const Case& subject) {
  if (!counted_by_rows(bias, subject.positions)) return not_told(needs_rows);
  const auto look = [&](const Square& square, Index query, Index key) {
    const Index start = back_to_start(bias, square, query, key);
    const double here = square.at(query, key), there = square.at(query - start, key - start);
    return Seen{apart(here, there), {here, there}, start != 0};
  };
  if (!subject.foreign) {
    Measurement result = over_squares(
        bias, subject,
        [&](const Square& square, Index query, Index key) { return look(square, query, key).off; });
    result.bound_from = "the same number rounded the same way: no difference";
    result.power = {0, fmt::format("any cell; {}", corners)};
    return result;
  }
  Measurement result = over_foreign(bias, subject, false, look);
  result.power.at += fmt::format("; {}", corners);
  Measurement relative = bias_relative_only(bias, subject);
  if (relative.power.change > result.power.change) result.power = relative.power;
  if (result.holds()) return result;
  if (relative.holds()) relative.bound_from += ": the same but for constants";
  return relative.holds() ? relative : result;
}

// Softmax cannot see a constant for each query row, so each row is taken from its own diagonal.
Measurement bias_relative_only(const Bias& bias, const Case& subject) {
  if (!bias.fill && bias.buckets) return bias_buckets_by_offset(bias, subject);
  if (!counted_by_rows(bias, subject.positions)) return not_told(needs_rows);
  double largest = 0;
  const auto look = [&](const Square& square, Index query, Index key) {
    if (std::isfinite(square.at(query, key)))
      largest = std::max(largest, std::fabs(square.at(query, key)));
    const Index start = back_to_start(bias, square, query, key), q = query - start, k = key - start;
    const double here = square.at(query, key), own = square.at(query, query),
                 there = square.at(q, k), first = square.at(q, q);
    return Seen{apart(here - own, there - first), {here, own, there, first}, start != 0};
  };
  if (subject.foreign) {
    Measurement result = over_foreign(bias, subject, true, look);
    result.bound_from += "; a constant for each query row is taken off";
    result.power.at += fmt::format("; {}", corners);
    return result;
  }
  Measurement result = over_squares(
      bias, subject,
      [&](const Square& square, Index query, Index key) { return look(square, query, key).off; });
  result.bound = 4 * entry_error(subject, largest);
  result.bound_from = fmt::format(
      "four roundings to {} of numbers up to {:.6g}; a constant for each query row is taken off",
      name_of(subject.dtype), largest);
  result.power = {result.bound + std::min(result.worst, result.bound),
                  fmt::format("any cell; {}", corners)};
  return result;
}

Measurement zero_diagonal(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        return query == key ? std::fabs(square.at(query, key)) : 0.0;
      });
  result.bound_from = "zero is a number of every dtype";
  result.power = {0, "any cell of the diagonal; no other is looked at"};
  return result;
}

Measurement falls_with_distance(const Bias& bias, const Case& subject) {
  double drop = 0;  // the most that a bias falls over one step, and so may rise unseen
  Measurement result =
      over_squares(bias, subject, [&](const Square& square, Index query, Index key) {
        if (key == query) return 0.0;
        const double nearer = square.at(query, key < query ? key + 1 : key - 1),
                     here = square.at(query, key);
        if (std::isfinite(nearer - here)) drop = std::max(drop, nearer - here);
        return here == nearer              ? 0.0
               : std::isnan(here - nearer) ? HUGE_VAL
                                           : std::max(0.0, here - nearer);
      });
  result.bound_from = "rounding is monotone: no rise";
  result.power = {drop,
                  "a cell that is raised, or lowered where another is farther off; no rise of a "
                  "diagonal is seen"};
  return result;
}

Measurement causal(const Bias& bias, const Case& subject) {
  Measurement result =
      over_squares(bias, subject, [](const Square& square, Index query, Index key) {
        return key > query && square.at(query, key) != -HUGE_VAL ? 1.0 : 0.0;
      });
  result.bound_from = "a key after its query that is not −inf: 1";
  result.power = {0, "any key after its query; no other is looked at"};
  return result;
}

Measurement symmetric(const Bias& bias, const Case& subject) {
  const auto look = [](const Square& square, Index query, Index key) {
    const double here = square.at(query, key), there = square.at(key, query);
    return Seen{apart(here, there), {here, there}, query != key};
  };
  const char* const diagonal = "a cell of the diagonal is its own counterpart";
  if (subject.foreign) {
    Measurement result = over_foreign(bias, subject, false, look);
    result.power.at += fmt::format("; {}", diagonal);
    return result;
  }
  Measurement result = over_squares(
      bias, subject,
      [&](const Square& square, Index query, Index key) { return look(square, query, key).off; });
  result.bound_from = "the same number rounded the same way: no difference";
  result.power = {0, fmt::format("any cell; {}", diagonal)};
  return result;
}

namespace {

// The slope that a pair of a dump shows, relative to the one that is meant, beyond what rounding
// its two numbers may have done: the penalty of a key is taken from the query's own. 0 where one
// of them is hidden.
double slope_off(const Square& square, Index query, Index key, double expected, DType dtype) {
  const double own = square.at(query, query), there = square.at(query, key);
  if (!std::isfinite(own) || there == -HUGE_VAL) return 0;
  const double distance = square.positions.value(query) - square.positions.value(key);
  double rounded = 0;
  for (const double number : {own, there})
    rounded += rounding_error(dtype, std::fabs(number)) + 0x1p-24 * std::fabs(number);
  const double off = std::fabs(own - there - expected * distance);
  return std::isnan(off) ? off : std::max(0.0, off - rounded) / (expected * distance);
}

}  // namespace

// Heads 1 … p follow 2^(−8h/p), p the greatest power of two not above the count; the others take
// every second one of 2p (Press et al. 2022 and `get_slopes`). Read off the biases themselves: the
// penalty of one position of distance, and of a dump that of every key before its query.
Measurement slopes(const Bias& bias, const Case& subject) {
  if (const std::string_view lacks = lacks_slopes(subject.effect); !lacks.empty())
    return not_told(std::string(lacks));
  if (subject.foreign && existing(bias, subject.positions).count < 2)
    return not_told("the dump has no two positions");
  Measurement result;
  const SquarePlaces places(bias, subject);
  double largest = 0, steepest = 0;
  Index power = 1;
  while (2 * power <= bias.heads) power *= 2;
  for (Index head = 0; head < bias.heads; ++head) {
    const double exponent =
        head < power
            ? -8.0 * static_cast<double>(head + 1) / static_cast<double>(power)
            : -4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power);
    const double expected = std::exp2(exponent);
    steepest = std::max(steepest, expected);
    std::byte bytes[16];
    double values[2];
    const std::int64_t first = subject.foreign ? subject.positions.at(0) : 0;
    bias.fill(head, first + 1, {first, 1, 2, 0}, subject.dtype, bytes);
    widen(bytes, subject.dtype, values);
    const double slope =
        values[1] - values[0];  // one position of distance, in either form of the bias
    const double off = std::fabs(slope - expected) / expected;
    if (worse(off, result.worst)) {
      result.worst = off;
      result.witness = fmt::format("head {}: {:.9g}, the rule gives {:.9g}", head, slope, expected);
    }
    if (!subject.foreign || existing(bias, subject.positions).count == 2) continue;
    Square square(bias, subject, places, head);
    for (Index query = 1; query < places.count(); ++query) {
      square.go_to(query);
      for (Index key = 0; key < query; ++key) {
        const double there = slope_off(square, query, key, expected, subject.dtype);
        largest = std::max(largest, std::fabs(square.at(query, key)));
        if (!worse(there, result.worst)) continue;
        result.worst = there;
        result.witness = fmt::format(
            "head {}, query {}, key {}: {:.9g} below the query's own, the rule gives {:.9g}", head,
            square.positions.value(query), square.positions.value(key),
            square.at(query, query) - square.at(query, key),
            expected * (square.positions.value(query) - square.positions.value(key)));
      }
    }
  }
  result.bound = unit_roundoff(subject.dtype) + 4 * 0x1p-53;
  result.bound_from =
      fmt::format("relative: one rounding to {} and exp2 in double", name_of(subject.dtype));
  if (subject.foreign) {
    result.bound += subject.foreign->slope;
    result.bound_from += ", and " + subject.foreign->slope_from;
  }
  result.power = {steepest * (result.bound + std::min(result.worst, result.bound)),
                  "the steepest head, at one position of distance; no farther one is looked at"};
  result.coverage =
      fmt::format("all {} heads, ladder of {}{}", bias.heads, power,
                  power < bias.heads ? fmt::format(" and every second of {}", 2 * power) : "");
  result.exhaustive = true;
  if (subject.foreign && existing(bias, subject.positions).count > 2) {
    const double farthest =
        steepest * (places.value(places.count() - 1) - places.value(0)) * result.bound;
    result.power = {
        2 * (farthest + 2 * (rounding_error(subject.dtype, largest) + 0x1p-24 * largest)),
        "a far key of the steepest head; keys behind their queries are not looked at"};
    result.coverage += fmt::format(", {}", places.spell());
    result.exhaustive = places.is_all();
  }
  return result;
}

}  // namespace pe::laws
