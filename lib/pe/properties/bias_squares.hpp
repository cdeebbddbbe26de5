// Squares of queries and keys, and what the laws of biases find over them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {

// The positions of a square: all that a dump has; of a bias that is made, and of windows, as many
// as are looked at, from either end, for a bias may change where the sequence is long.
class SquarePlaces {
 public:
  SquarePlaces(const Bias& bias, const Case& subject)
      : near_(existing(bias, subject.positions)), total_(near_.count) {
    const bool is_window = bias.window_width > 0;
    if (total_ <= bias_side || (subject.foreign && !is_window)) return;
    const PositionRange there = near_;
    near_ = there.slice(0, is_window ? bias_side : bias_side / 2);
    if (!is_window) far_ = there.slice(total_ - bias_side / 2, bias_side / 2);
  }
  Index count() const { return near_.count + far_.count; }
  std::int64_t at(Index i) const {
    return i < near_.count ? near_.at(i) : far_.at(i - near_.count);
  }
  double value(Index i) const {
    return i < near_.count ? near_.value(i) : far_.value(i - near_.count);
  }
  bool is_all() const { return count() == total_; }
  // By how many places i lies behind the first of its end.
  Index behind(Index i) const { return i < near_.count ? i : i - near_.count; }
  // The biases of a query with all of them.
  void read(const Bias& bias, const Case& subject, Index head, Index query, double* out) const {
    std::vector<std::byte> line(static_cast<std::size_t>(near_.count) * size_of(subject.dtype));
    for (const PositionRange* keys : {&near_, &far_}) {
      if (keys->count == 0) continue;
      bias.fill(head, at(query), *keys, subject.dtype, line.data());
      widen(line.data(), subject.dtype, std::span(out, static_cast<std::size_t>(keys->count)));
      out += keys->count;
    }
  }
  // Those of some queries in a row with keys in a row, where all are near.
  void read_near(const Bias& bias, const Case& subject, Index head, Index query, Index key,
                 Index count, double* out) const {
    std::vector<std::byte> line(static_cast<std::size_t>(count) * size_of(subject.dtype));
    bias.fill(head, at(query), near_.slice(key, count), subject.dtype, line.data());
    widen(line.data(), subject.dtype, std::span(out, static_cast<std::size_t>(count)));
  }
  std::string spell() const {
    return far_.count == 0
               ? fmt::format("{0} x {0} positions", count())
               : fmt::format("the first and last {} of {} positions", near_.count, total_);
  }

 private:
  PositionRange near_, far_;
  Index total_;
};

// One head's biases [query, key], as stored in the dtype. A large one is held by some queries at a
// time, with those of the first query, of the first key, of each position with itself, and of the
// same positions as keys.
class Square {
 public:
  Square(Kept<Bias> bias, Kept<Case> subject, Kept<SquarePlaces> places, Index head)
      : positions(places),
        bias_(bias),
        subject_(subject),
        head_(head),
        n_(positions.count()),
        held_(std::min(n_, std::max<Index>(1, most / std::max<Index>(1, n_)))) {
    if (held_ < n_) read_edges();
    read_block(0);
  }

  const SquarePlaces& positions;

  double at(Index query, Index key) const {
    if (query >= first_ && query < first_ + held_) return rows_[cell(query - first_, key, n_)];
    if (key >= first_ && key < first_ + held_) return columns_[cell(query, key - first_, held_)];
    if (query == 0) return top_[static_cast<std::size_t>(key)];
    if (key == 0) return left_[static_cast<std::size_t>(query)];
    return diagonal_[static_cast<std::size_t>(std::max(query, key))];  // the same
  }
  // Before at() is asked of a query, with any key; queries ascend.
  void go_to(Index query) {
    if (query >= first_ + held_) read_block(query);
  }

 private:
  static constexpr Index most = Index{1} << 18;  // numbers of the rows that are held
  static std::size_t cell(Index row, Index column, Index width) {
    return static_cast<std::size_t>(row * width + column);
  }
  void read_edges() {
    for (auto* edge : {&top_, &left_, &diagonal_}) edge->resize(static_cast<std::size_t>(n_));
    positions.read(bias_, subject_, head_, 0, top_.data());
    for (Index i = 0; i < n_; ++i) {
      positions.read_near(bias_, subject_, head_, i, 0, 1, &left_[static_cast<std::size_t>(i)]);
      positions.read_near(bias_, subject_, head_, i, i, 1, &diagonal_[static_cast<std::size_t>(i)]);
    }
  }
  void read_block(Index first) {
    first_ = first;
    const Index count = std::min(held_, n_ - first);
    rows_.resize(static_cast<std::size_t>(held_ * n_));
    for (Index i = 0; i < count; ++i)
      positions.read(bias_, subject_, head_, first + i, &rows_[cell(i, 0, n_)]);
    if (held_ == n_) return;
    columns_.resize(static_cast<std::size_t>(held_ * n_));
    for (Index i = 0; i < n_; ++i)
      positions.read_near(bias_, subject_, head_, i, first, count, &columns_[cell(i, 0, held_)]);
  }

  const Bias& bias_;
  const Case& subject_;
  Index head_, n_, held_, first_ = 0;
  std::vector<double> rows_, columns_, top_, left_, diagonal_;
};

// The deviation that `off` finds at (head, query, key), worst over the square of every head; it may
// look at the whole square.
template <typename Off>
Measurement over_squares(const Bias& bias, const Case& subject, Off off) {
  if (!bias.fill) return not_told("the bias is trained and was not given (--weights)");
  Measurement result;
  const SquarePlaces places(bias, subject);
  const Index n = places.count();
  for (Index head = 0; head < bias.heads; ++head) {
    Square square(bias, subject, places, head);
    for (Index query = 0; query < n; ++query) {
      square.go_to(query);
      for (Index key = 0; key < n; ++key) {
        const double deviation = off(square, query, key);
        if (!worse(deviation, result.worst)) continue;
        result.worst = deviation;
        result.witness =
            fmt::format("head {}, query {}, key {}: {:.9g}", head, square.positions.value(query),
                        square.positions.value(key), square.at(query, key));
      }
    }
  }
  result.coverage = fmt::format("{} heads, {}", bias.heads, places.spell());
  result.exhaustive = places.is_all();
  return result;
}

// What a law sees at (head, query, key): how far off, the magnitudes of the numbers in it, and
// whether it compares different cells.
struct Seen {
  double off = 0;
  std::array<double, 4> numbers{};
  bool compares = true;
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
  // No less than that, and told faster.
  double at_most(double magnitudes, DType dtype) const {
    return times * (2 * unit_roundoff(dtype) + 0x1p-24) * magnitudes + 4 * more;
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
  const SquarePlaces places(bias, subject);
  const Index n = places.count();
  const BiasArithmetic kinds[] = {{1, 0}, {4, 0}, {1, subject.foreign->value}};
  double share = -1;
  for (Index head = 0; head < bias.heads; ++head) {
    Square square(bias, subject, places, head);
    BiasTally tallies[std::size(kinds)];
    for (Index query = 0; query < n; ++query) {
      square.go_to(query);
      for (Index key = 0; key < n; ++key) {
        const Seen seen = look(square, query, key);
        const double off = std::isnan(seen.off) ? HUGE_VAL : seen.off;
        double magnitudes = 0;
        for (const double number : seen.numbers)
          magnitudes += std::isfinite(number) ? std::fabs(number) : 0;
        for (std::size_t k = 0; k < std::size(kinds); ++k) {
          BiasTally& tally = tallies[k];
          if (off == 0 && tally.share >= 0 &&
              (!seen.compares || kinds[k].at_most(magnitudes, subject.dtype) <= tally.power))
            continue;
          const double allowed = kinds[k].of(seen, subject.dtype);
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
          if (!seen.compares || allowed + std::min(off, allowed) <= tally.power) continue;
          tally.power = allowed + std::min(off, allowed);
          tally.weakest = place();
        }
      }
    }
    const Index most = 1 + n * n / 1000;
    std::size_t k = 0, changed = 0;  // one cell more may be what the arithmetic no longer holds
    while (k + 1 < std::size(kinds) && tallies[k].outside > most) ++k;
    while (changed + 1 < std::size(kinds) && tallies[changed].outside > most - 1) ++changed;
    if (tallies[k].outside > n * n / 2) k = 0;
    const BiasTally& seen_least = tallies[by_rows ? std::size(kinds) - 1 : changed];
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
  result.coverage = fmt::format("{} heads, {}", bias.heads, places.spell());
  result.exhaustive = places.is_all();
  return result;
}

}  // namespace pe::laws
