// s(p, p+k) − s(0, k): what rounding takes from a score's being relative.
#include "pe/analyze/precision/precision_shifts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/team.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Index most_numbers = Index{1} << 26;  // drawn: 1 GiB

constexpr Index draws_between_looks = 64;  // at the clock
constexpr std::size_t numbers_between_looks = 4096;

// The pair (x0, x1) turned by a stored cosine and sine: kept in a type, multiplied and added in
// one, and kept again.
std::pair<double, double> turned(const double* x, double cosine, double sine, DType type,
                                 DType kept) {
  const double a = rounded_once(x[0], kept), b = rounded_once(x[1], kept);
  const auto product = [&](double number, double entry) {
    return rounded_once(number * entry, type);
  };
  const double first = product(a, cosine) - product(b, sine),
               second = product(b, cosine) + product(a, sine);
  return {rounded_once(rounded_once(first, type), kept),
          rounded_once(rounded_once(second, type), kept)};
}

}  // namespace

ShiftDraws::ShiftDraws(const Question& question, const PrecisionSubject& subject) {
  if (!subject.turns || subject.turns->rows) return;
  count = question.options.integer("draws");
  width = 2 * subject.turns->pairs;
  if (width * count > most_numbers)
    throw UsageError(fmt::format("--draws {} of {} channels are too many to keep: at most {}",
                                 count, width, most_numbers / width));
  const auto seed = static_cast<std::uint64_t>(question.options.integer("seed"));
  const auto drawn = [&](std::uint64_t tensor) {
    const std::uint64_t stream = random_stream(seed, tensor);
    std::vector<double> numbers(static_cast<std::size_t>(width * count));
    fill_together(numbers, team_size(question.threads), [&](std::size_t first, std::size_t past) {
      for (std::size_t i = first; i < past; ++i) {
        if (i % numbers_between_looks == 0) ask_time();
        numbers[i] = random_normal(stream, i);
      }
    });
    return numbers;
  };
  queries = drawn(0);
  keys = drawn(1);
  double sum = 0;
  for (std::size_t i = 0; i < queries.size(); i += 2) {
    if (i % static_cast<std::size_t>(width) == 0) sum = 0;
    sum += (std::fabs(queries[i]) + std::fabs(queries[i + 1])) *
           (std::fabs(keys[i]) + std::fabs(keys[i + 1]));
    magnitudes = std::max(magnitudes, sum);
  }
  magnitudes /= std::sqrt(static_cast<double>(subject.turns->channels));
}

// A sum of 2n products, each of numbers up to A² times those drawn, rounds 2n + 8 times; two sums.
Error drawn_error(const PrecisionSubject& subject, const ShiftDraws& draws) {
  if (!subject.turns) return {};
  if (subject.turns->rows) return expected_error(subject);
  const auto n = static_cast<double>(subject.turns->pairs);
  return {.absolute = (4 * n + 16) * 0x1p-53 * subject.largest * subject.largest * draws.magnitudes,
          .relative = 0x1p-30};
}

// Each α and β is within 6·2^-53·A², and so is the root of the mean of 2n ≤ d of their squares; of
// a table n of the former are added, and n of 2A² each rounded, over √d.
Error expected_error(const PrecisionSubject& subject) {
  if (!subject.turns) return {};
  const double square = subject.largest * subject.largest,
               n = static_cast<double>(subject.turns->pairs),
               terms = subject.turns->rows
                           ? n * (n + 4) / std::sqrt(static_cast<double>(subject.turns->channels))
                           : 1;
  return {.absolute = 0x1p-50 * square * terms, .relative = 0x1p-35};
}

Shifts::Shifts(const Question& question, Kept<PrecisionSubject> subject, Kept<Pipeline> pipeline,
               Kept<RowErrors> errors, Kept<ShiftDraws> draws)
    : subject_(subject),
      pipeline_(pipeline),
      errors_(errors),
      draws_(draws),
      k_(question.options.integer("k")),
      rows_(rows_of(question.subject.effect)) {
  const PositionRange zero{0, 1, 1, 0};
  if (!subject_.turns || !is_shift(zero)) return;
  zero_ = ends(zero);
  start_ = turn(zero_);
}

void Shifts::score_at_zero(std::span<Shifts> all, const Question& question) {
  std::vector<Shifts*> turning;
  for (Shifts& one : all)
    if (!one.start_[0].empty()) turning.push_back(&one);
  if (turning.empty()) return;
  const std::size_t count = turning.size();
  std::vector<double> scores(count * static_cast<std::size_t>(turning[0]->draws_.count));
  fill_together(scores, team_size(question.threads), [&](std::size_t first, std::size_t past) {
    for (std::size_t i = first; i < past; ++i) {
      if (i % draws_between_looks == 0) ask_time();
      const Shifts& one = *turning[i % count];
      scores[i] = one.score(one.zero_, static_cast<Index>(i / count));
    }
  });
  for (std::size_t i = 0; i < scores.size(); ++i) turning[i % count]->scores_.push_back(scores[i]);
}

PositionRange Shifts::further(const PositionRange& place) const {
  std::int64_t step = k_;
  for (int i = 0; i < place.decimals; ++i) step *= 10;
  return {place.first + step, 1, 1, place.decimals};
}

bool Shifts::is_shift(const PositionRange& place) const {
  const PairTurns& turns = *subject_.turns;
  if (rows_ && (k_ >= *rows_ || place.first < 0 || place.first + k_ >= *rows_)) return false;
  if (turns.on_a_line) return true;
  const auto at = [&](std::int64_t position) {
    std::vector<double> places(static_cast<std::size_t>(turns.pairs));
    turns.places({position, 1, 1, 0}, places.data());
    return places;
  };
  const auto here = at(place.first), there = at(place.first + k_), start = at(0), end = at(k_);
  for (std::size_t j = 0; j < here.size(); ++j)
    if (there[j] - here[j] != end[j] - start[j]) return false;
  return true;
}

Shifts::Ends Shifts::ends(const PositionRange& place) const {
  Ends at;
  for (const std::size_t end : {0u, 1u}) {
    at[end].resize(static_cast<std::size_t>(2 * subject_.turns->pairs));
    errors_.stored(end == 0 ? place : further(place), at[end].data());
  }
  return at;
}

// R(p)ᵀR(p+k) = αI + βJ for each pair.
Shifts::Turn Shifts::turn(const Ends& at) const {
  const auto n = static_cast<std::size_t>(subject_.turns->pairs);
  const auto& [p, m] = at;
  Turn turn;
  for (std::size_t j = 0; j < n; ++j) {
    turn[0].push_back(p[j] * m[j] + p[n + j] * m[n + j]);
    turn[1].push_back(m[n + j] * p[j] - m[j] * p[n + j]);
  }
  return turn;
}

double Shifts::score(const Ends& at, Index draw) const {
  const auto n = static_cast<std::size_t>(subject_.turns->pairs);
  const DType kept = pipeline_.vectors.value_or(pipeline_.turning);
  const double *q = draws_.queries.data() + draw * draws_.width,
               *k = draws_.keys.data() + draw * draws_.width;
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j, q += 2, k += 2) {
    const auto left = turned(q, at[0][j], at[0][n + j], pipeline_.turning, kept),
               right = turned(k, at[1][j], at[1][n + j], pipeline_.turning, kept);
    sum += left.first * right.first + left.second * right.second;
  }
  return sum / std::sqrt(static_cast<double>(subject_.turns->channels));
}

// q·(αI + βJ)k is α(q·k) + β(q1·k0 − q0·k1), of variance 2(α² + β²) for Gaussian numbers.
void Shifts::add_to(PrecisionPoint& point, const PositionRange& place) const {
  point.score_rms = point.score_worst = point.score_expected = none;
  if (start_[0].empty() || !is_shift(place)) return;
  const auto channels = static_cast<double>(subject_.turns->channels);
  const Ends at = ends(place);
  const Turn here = turn(at);
  double sum = 0, squares = 0;
  for (std::size_t j = 0; j < here[0].size(); ++j) {
    const double alpha = here[0][j] - start_[0][j], beta = here[1][j] - start_[1][j];
    sum += alpha;
    squares += 2 * (alpha * alpha + beta * beta);
  }
  if (subject_.turns->rows) {
    point.score_rms = point.score_worst = point.score_expected =
        std::fabs(sum) / std::sqrt(channels);
    return;
  }
  point.score_expected = std::sqrt(squares / channels);
  double worst = 0;
  squares = 0;
  for (Index draw = 0; draw < draws_.count; ++draw) {
    if (draw % draws_between_looks == 0) ask_time();
    const double off = std::fabs(score(at, draw) - scores_[static_cast<std::size_t>(draw)]);
    worst = std::isnan(worst) || off <= worst ? worst : off;
    squares += off * off;
  }
  point.score_worst = worst;
  point.score_rms = std::sqrt(squares / static_cast<double>(draws_.count));
}

}  // namespace pe
