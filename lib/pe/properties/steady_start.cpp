// Where the fit of steady turns begins: frequencies read off the turns between rows that stand 1,
// 2, 4, … apart.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

using Turn = std::complex<double>;

constexpr Index most_looked_at = 256;

// Indices of at most `most` rows spread over 0 … rows−1.
std::vector<Index> spread_rows(Index rows, Index most) {
  const Index count = std::min(rows, most);
  std::vector<Index> picked;
  for (Index i = 0; i < count; ++i)
    picked.push_back(count > 1 ? i * (rows - 1) / (count - 1) : rows / 2);
  return picked;
}

Turn unit_of(Turn turn) {
  const double size = std::abs(turn);
  return size > 0 && std::isfinite(size) ? turn / size : Turn(0);
}

// The mean turn between rows that stand `lag` apart, less the turn by `frequencies`.
std::vector<double> turned_over(const SeenTurns& turns, Index lag,
                                const std::vector<double>& frequencies) {
  std::vector<Turn> here(turns.pairs), there(turns.pairs), sum(turns.pairs);
  for (const Index row : spread_rows(turns.rows - lag, most_looked_at)) {
    turns.read(row, 1, here.data());
    turns.read(row + lag, 1, there.data());
    for (std::size_t j = 0; j < turns.pairs; ++j)
      sum[j] += unit_of(std::conj(here[j]) * there[j]) *
                std::polar(1.0, -static_cast<double>(lag) * frequencies[j]);
  }
  std::vector<double> over;
  for (const Turn& turn : sum) over.push_back(std::arg(turn));
  return over;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Most turns at the rows looked at lie where the nominal frequency puts them.
std::vector<char> agree(const SeenTurns& turns, const Case& subject, const std::vector<Index>& rows,
                        const std::vector<Turn>& seen, double value) {
  std::vector<char> agrees(turns.pairs);
  if (turns.nominal.empty()) return agrees;
  for (std::size_t j = 0; j < turns.pairs; ++j) {
    std::size_t within = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Turn turn = unit_of(seen[i * turns.pairs + j]);
      const double off = std::fabs(
          std::arg(turn * std::polar(1.0, -turns.nominal[j] * turns.coordinate(rows[i], j))));
      within += off <= subject.foreign->angle(subject.positions.at(rows[i]), j) + 4 * value;
    }
    agrees[j] = 2 * within >= rows.size();
  }
  return agrees;
}

}  // namespace

SteadyStart start_steady(const SeenTurns& turns, const Case& subject, bool still, double value) {
  const std::size_t n = turns.pairs;
  const std::vector<Index> rows = spread_rows(turns.rows, 4 * most_looked_at);
  std::vector<Turn> seen(rows.size() * n);
  for (std::size_t i = 0; i < rows.size(); ++i) turns.read(rows[i], 1, &seen[i * n]);
  SteadyStart start;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < rows.size(); ++i) sizes.push_back(std::abs(seen[i * n + j]));
    std::erase_if(sizes, [](double size) { return !std::isfinite(size); });
    const double usual = median(std::move(sizes));
    const bool own =
        !(turns.amplitude > 0 && (still || std::fabs(usual - turns.amplitude) <= 2 * value));
    start.amplitudes.push_back(own ? usual : turns.amplitude);
    start.own.push_back(own);
  }
  start.nominal = agree(turns, subject, rows, seen, value);
  start.frequencies.assign(n, 0);
  if (!turns.nominal.empty()) start.frequencies = turns.nominal;
  if (turns.in_steps_of_one && turns.rows > 1) {
    const std::vector<double> first = turned_over(turns, 1, std::vector<double>(n, 0.0));
    for (std::size_t j = 0; j < n; ++j)
      if (!start.nominal[j]) start.frequencies[j] = first[j];
    for (Index lag = 1; lag < turns.rows; lag *= 2) {
      const std::vector<double> over = turned_over(turns, lag, start.frequencies);
      for (std::size_t j = 0; j < n; ++j)
        if (!(still && start.nominal[j]))  // far from 0 the nominal one tells whole turns better
          start.frequencies[j] += over[j] / static_cast<double>(lag);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double middle = still ? 0 : turns.coordinate(turns.rows / 2, j);
    Turn sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      sum += unit_of(seen[i * n + j]) *
             std::polar(1.0, -start.frequencies[j] * (turns.coordinate(rows[i], j) - middle));
    start.middles.push_back(middle);
    start.phases.push_back(still || sum == Turn(0) ? 0 : std::arg(sum));
  }
  return start;
}

}  // namespace pe::laws
