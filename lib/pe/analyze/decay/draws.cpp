// Drawing queries and keys, and scoring them.
#include "pe/analyze/decay/draws.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pe/analyze/curve.hpp"
#include "pe/analyze/work.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

using Turns = std::vector<std::complex<double>>;

constexpr double most_numbers = 0x1p28;    // drawn; half as many products are kept
constexpr Index draws_between_looks = 64;  // at the clock

Index draws_of(const Question& question) {
  if (question.options.has("draws")) return question.options.integer("draws");
  const Index draws = question.options.has("seed") ? 1000 : 0;
  question.decide("draws", fmt::format("{}", draws));
  return draws;
}

}  // namespace

Draws::Draws(const DecaySetting& setting, std::uint64_t seed, Index draws)
    : draws_(draws), pairs_(setting.pairs) {
  std::uint64_t counter = 0;
  const double rest = std::sqrt(1 - setting.correlation * setting.correlation);
  for (Index draw = 0; draw < draws; ++draw) {
    if (draw % draws_between_looks == 0) ask_time();
    const auto next = [&](double& q, double& k) {
      const double g = random_normal(seed, counter), h = random_normal(seed, counter + 1);
      counter += 2;
      q = setting.mean + g;
      k = setting.mean + setting.correlation * g + rest * h;
    };
    double q[2], k[2];
    for (Index pair = 0; pair < pairs_; ++pair) {
      next(q[0], k[0]);
      next(q[1], k[1]);
      products_.emplace_back(q[0] * k[0] + q[1] * k[1], q[1] * k[0] - q[0] * k[1]);
    }
    Sum passed;
    for (Index channel = 0; channel < setting.passed; ++channel) {
      next(q[0], k[0]);
      passed.add(q[0] * k[0]);
    }
    passed_.push_back(passed.value());
  }
}

// Re(h̄·u) summed over the pairs: c(q1k1 + q2k2) + s(q1k2 − q2k1), for a query that is turned.
std::pair<double, double> Draws::scores(const Turns& turns, double scale) const {
  std::vector<double> scores;
  Sum total, squares;
  for (Index draw = 0; draw < draws_; ++draw) {
    if (draw % draws_between_looks == 0) ask_time();
    Sum sum;
    sum.add(passed_[static_cast<std::size_t>(draw)]);
    for (Index pair = 0; pair < pairs_; ++pair) {
      const auto& h = products_[static_cast<std::size_t>(draw * pairs_ + pair)];
      const auto& u = turns[static_cast<std::size_t>(pair)];
      sum.add(h.real() * u.real() - h.imag() * u.imag());
    }
    scores.push_back(sum.value() * scale);
    total.add(scores.back());
  }
  const double mean = total.value() / static_cast<double>(draws_);
  for (const double score : scores) squares.add((score - mean) * (score - mean));
  return {mean, std::sqrt(squares.value() / static_cast<double>(draws_))};
}

Draws draws_for(const Question& question, const DecaySetting& setting, std::size_t distances) {
  const Index draws = draws_of(question);
  const auto count = static_cast<double>(draws), pairs = static_cast<double>(setting.pairs),
             numbers = count * (4 * pairs + 2 * static_cast<double>(setting.passed)),
             at = static_cast<double>(distances);
  if (numbers > most_numbers)
    throw UsageError(fmt::format("--draws {} of {} pairs take more than a GiB: give {:.0f} or less",
                                 draws, setting.pairs, most_numbers / numbers * count));
  // A normal number takes as long as some thirty terms.
  begin(
      {.what = fmt::format("{} draws of {} pairs at {} distances", draws, setting.pairs, distances),
       .operations = at * pairs * (count + 10) + 30 * numbers,
       .per_second = 2e8,
       .levers = {{"draws", count}},
       .other = "--points, such as 100"});
  const bool seeded = question.options.has("seed");
  return {setting, seeded ? static_cast<std::uint64_t>(question.options.integer("seed")) : 0,
          draws};
}

}  // namespace pe
