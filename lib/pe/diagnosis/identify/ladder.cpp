// Fitting ladders: the base where it is sharpest, the factor from the slowest pair, the ramp from
// the pairs between.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/diagnosis/identify/bases.hpp"

namespace pe {
namespace {

constexpr const char* known_bases[] = {
    "10000",  "1000000", "500000",  "100000",  "150000",  "25000",    "50000", "130000", "160000",
    "250000", "640000",  "2000000", "5000000", "8000000", "10000000", "20000", "1000",   "100"};

// The shortest decimal of the value rounded to so many digits, without an exponent where it is
// whole.
std::string digits_of(double value, int digits) {
  const double few = std::stod(fmt::format("{:.{}g}", value, digits));
  return few == std::floor(few) && few < 1e15 ? fmt::format("{:.0f}", few) : fmt::format("{}", few);
}

// The base of θ_j = θ_0 · base^(−j/steps) that pair j alone implies.
double implied_base(const Measured& m, std::size_t j, double steps) {
  const double f = m.frequencies[j], f0 = m.frequencies[0];
  if (!(f > 0) || !(f0 > 0)) return 0;
  const double base = std::pow(f / f0, -steps / static_cast<double>(j));
  return std::isfinite(base) && base > 1.0001 && base < 1e30 ? base : 0;
}

}  // namespace

// Fits of a few pairs, rounded to few digits; bases in use.
std::vector<Base> bases_of(const Measured& m, double steps, const std::vector<std::size_t>& pairs) {
  std::vector<Base> all;
  std::set<std::string> seen;
  const auto add = [&](const std::string& text, double cost) {
    if (std::atof(text.c_str()) > 1 && seen.insert(text).second) all.push_back({text, cost});
  };
  std::vector<double> fits;
  for (const std::size_t j : pairs)
    if (const double base = j < m.frequencies.size() ? implied_base(m, j, steps) : 0; base > 0)
      fits.push_back(base);
  for (const char* base : known_bases)
    if (std::ranges::any_of(
            fits, [&](double fit) { return std::fabs(std::log(fit / std::atof(base))) < 0.2; }))
      add(base, 0.2);
  for (const int digits : {1, 2, 3, 4, 5, 6, 9, 12})
    for (const double fit : fits)
      add(digits_of(fit, digits), digits <= 6 ? 0.2 + 0.05 * digits : 0.8 + 0.01 * digits);
  return all;
}

namespace {

// ln base by least squares over all pairs, θ_0 = 1: an error δ of every frequency is δ/θ_j of its
// logarithm, so pairs weigh θ_j².
double fitted_base(const Measured& m) {
  double above = 0, below = 0;
  const auto n = static_cast<double>(m.frequencies.size());
  for (std::size_t j = 1; j < m.frequencies.size(); ++j) {
    const double f = m.frequencies[j], x = static_cast<double>(j) / n, weight = m.exact ? 1 : f * f;
    if (f > 0) {
      above -= weight * x * std::log(f);
      below += weight * x * x;
    }
  }
  return below > 0 ? std::exp(above / below) : 0;
}

}  // namespace

// An error δ of every frequency moves the base by δ/(j·θ_j) of it: the sharpest pairs.
std::vector<std::size_t> sharpest(const Measured& m) {
  std::vector<std::size_t> order;
  for (std::size_t j = 1; j < m.frequencies.size(); ++j)
    if (m.frequencies[j] > 0) order.push_back(j);
  if (m.exact) {
    std::ranges::reverse(order);
  } else {
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) {
      return static_cast<double>(j) * m.frequencies[j];
    });
  }
  if (order.size() > 4) order.resize(4);
  return order;
}

namespace {

std::string dim_of(const Measured& m) { return std::to_string(2 * m.frequencies.size()); }

}  // namespace

Candidate rope_guess(const Measured& m, const Base& base, Given more, double cost) {
  Candidate candidate{
      .encoding = &find_encoding("rope"), .given = std::move(more), .cost = cost, .model = {}};
  candidate.given["dim"] = identified(dim_of(m));
  candidate.given["base"] = identified(base.text);
  return candidate;
}

std::vector<double> plain_of(double base, std::size_t pairs) {
  std::vector<double> plain;
  for (std::size_t j = 0; j < pairs; ++j)
    plain.push_back(std::pow(base, -static_cast<double>(j) / static_cast<double>(pairs)));
  return plain;
}

double distance_of(const Measured& measured, const std::vector<double>& frequencies) {
  if (measured.frequencies.size() != frequencies.size() || frequencies.empty()) return 1;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const double got = measured.frequencies[j], want = frequencies[j];
    if (std::isnan(got)) continue;
    ++count;
    // A wave that hardly turns within the table has a frequency that is hardly known.
    if (!measured.exact && std::fabs(got - want) < 1e-7) continue;
    sum += got > 0 && want > 0 ? std::min(std::fabs(std::log(got / want)), 1.0) : 1;
  }
  return count > 0 ? sum / static_cast<double>(count) : 1;
}

std::vector<Candidate> plain_guesses(const Measured& m) {
  std::vector<Candidate> all;
  if (m.frequencies.empty()) return all;
  for (const Base& base : bases_of(m, static_cast<double>(m.frequencies.size()), sharpest(m)))
    all.push_back(rope_guess(m, base, {}, base.cost));
  if (const double base = fitted_base(m); base > 1.0001 && base < 1e30)
    all.push_back(rope_guess(m, {digits_of(base, 12), 0.95}, {}, 0.95));
  if (m.frequencies.size() == 1) all.push_back(rope_guess(m, {"10000", 0}, {}, 0));
  return all;
}

std::vector<Candidate> sinusoidal_guesses(const Measured& m, Index dim, const std::string& layout) {
  std::vector<Candidate> all;
  const auto n = static_cast<double>(m.frequencies.size());
  for (const char* ladder : {"paper", "endpoint"}) {
    if (n < 2) break;
    const double steps = ladder[0] == 'p' ? n : n - 1;
    for (const Base& base : bases_of(m, steps, sharpest(m)))
      all.push_back({.encoding = &find_encoding("sinusoidal"),
                     .given = identified({{"dim", std::to_string(dim)},
                                          {"base", base.text},
                                          {"ladder", ladder},
                                          {"layout", layout}}),
                     .cost = base.cost + (base.text == "10000" ? -0.1 : 0),
                     .model = {}});
  }
  return all;
}

}  // namespace pe
