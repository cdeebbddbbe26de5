// Pairs of columns that keep the sum of their squares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

using Turn = std::complex<double>;

constexpr Index most_looked_at = 1024;

std::vector<double> usual_squares(const SeenTurns& turns) {
  const Index count = std::min(turns.rows, most_looked_at);
  std::vector<std::vector<double>> squares(turns.pairs);
  std::vector<Turn> row(turns.pairs);
  for (Index i = 0; i < count; ++i) {
    turns.read(count > 1 ? i * (turns.rows - 1) / (count - 1) : 0, 1, row.data());
    for (std::size_t j = 0; j < turns.pairs; ++j)
      if (std::isfinite(std::norm(row[j]))) squares[j].push_back(std::norm(row[j]));
  }
  std::vector<double> usual;
  for (std::vector<double>& of_pair : squares) {
    const auto middle = of_pair.begin() + std::ssize(of_pair) / 2;
    if (!of_pair.empty()) std::nth_element(of_pair.begin(), middle, of_pair.end());
    usual.push_back(of_pair.empty() ? 0 : *middle);
  }
  return usual;
}

}  // namespace

// Entries within e of the truth move the sum of two squares A² by at most 2√2·A·e + 2e², and the
// median of many by no more.
SteadyFit fit_round(const SeenTurns& turns, const Case& subject) {
  const std::vector<double> usual = usual_squares(turns);
  const Arithmetic closest = arithmetics_of(turns, subject).back();
  SteadyFit fit;
  std::vector<double> bounds;
  double largest = 0;
  for (std::size_t j = 0; j < turns.pairs; ++j) {
    const double a = std::sqrt(usual[j]), e = rounding_error(subject.dtype, a) + closest.value;
    bounds.push_back(2 * (2 * std::sqrt(2.0) * a * e + 2 * e * e + 0x1p-51 * a * a));
    largest = std::max(largest, e);
    fit.pairs.push_back({{0, bounds[j], 0, j}, 0, {}, 0});
  }
  std::vector<Turn> row(turns.pairs);
  for (Index i = 0; i < turns.rows; ++i) {
    turns.read(i, 1, row.data());
    for (std::size_t j = 0; j < turns.pairs; ++j) {
      const double off = std::fabs(std::norm(row[j]) - usual[j]);
      SteadyPair& pair = fit.pairs[j];
      pair.outside += !(off <= bounds[j]);
      if (!worse(off, pair.worst.off)) continue;
      pair.worst.off = off;
      pair.worst.row = i;
    }
  }
  for (std::size_t j = 0; j < turns.pairs; ++j) {
    SteadyPair& pair = fit.pairs[j];
    const double off = pair.worst.off;
    pair.share = std::isnan(off) ? HUGE_VAL : bounds[j] > 0 ? off / bounds[j] : off > 0;
    pair.power = power_of_square(std::sqrt(usual[j]), bounds[j], std::min(off, bounds[j]));
  }
  fit.bound_from = fmt::format(
      "twice 2√2·A·e + 2e² of a pair's sum of squares A², the usual one of its rows, e = "
      "{:.3g}{}",
      largest, spell_entry_error(subject));
  return fit;
}

}  // namespace pe::laws
