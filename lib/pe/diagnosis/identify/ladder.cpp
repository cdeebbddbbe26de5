// Fitting ladders: the base where it is sharpest, the factor from the slowest pair, the ramp from
// the pairs between.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "pe/base/digits.hpp"
#include "pe/diagnosis/identify/bases.hpp"
#include "pe/diagnosis/known_bases.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

constexpr double rare_bases[] = {2e4, 1e3, 1e2};
constexpr double largest_base = 1e30;

// Without an exponent where it is whole.
std::string spelled(double base) {
  return base == std::floor(base) && base < 1e15 ? fmt::format("{:.0f}", base)
                                                 : fmt::format("{}", base);
}

// The base of θ_j = θ_0 · base^(−j/steps) that pair j alone implies.
double implied_base(const Measured& m, std::size_t j, double steps) {
  const double f = m.frequencies[j], f0 = m.frequencies[0];
  if (!(f > 0) || !(f0 > 0)) return 0;
  const double base = std::pow(f / f0, -steps / static_cast<double>(j));
  return std::isfinite(base) && base > 1.0001 && base < largest_base ? base : 0;
}

}  // namespace

std::vector<Base> bases_in_use() {
  std::vector<Base> all;
  for (const double base : known_bases) all.push_back({base, 0.2});
  for (const double base : rare_bases) all.push_back({base, 0.2});
  return all;
}

// Fits of a few pairs, rounded to few digits; bases in use.
std::vector<Base> bases_of(const Measured& m, double steps, const std::vector<std::size_t>& pairs) {
  std::vector<Base> all;
  std::set<double> seen;
  const auto add = [&](double base, double cost) {
    if (base > 1 && seen.insert(base).second) all.push_back({base, cost});
  };
  std::vector<double> fits;
  for (const std::size_t j : pairs)
    if (const double base = j > 0 && j < m.frequencies.size() ? implied_base(m, j, steps) : 0;
        base > 0)
      fits.push_back(base);
  for (const Base& base : bases_in_use())
    if (std::ranges::any_of(
            fits, [&](double fit) { return std::fabs(std::log(fit / base.value)) < 0.2; }))
      add(base.value, base.cost);
  for (const int digits : {1, 2, 3, 4, 5, 6, 9, 12})
    for (const double fit : fits)
      add(to_digits(fit, digits), digits <= 6 ? 0.2 + 0.05 * digits : 0.8 + 0.01 * digits);
  return all;
}

namespace {

// The bases that every pair allows of θ_j = base^(−j/n), with what float32 steps leave of each; the
// simplest of them, and the middle. Nothing where pairs contradict one another.
std::vector<Base> bases_within(const Measured& m) {
  const auto n = static_cast<double>(m.frequencies.size());
  double low = 0, high = std::log(largest_base);
  for (std::size_t j = 1; j < m.frequencies.size(); ++j) {
    const double f = m.frequencies[j], x = static_cast<double>(j),
                 error = m.errors[j] + f * (10 + x) * 0x1p-24;
    if (!(f > 0) || error > 0.5 * f) continue;
    low = std::max(low, -n / x * std::log(f + error));
    high = std::min(high, -n / x * std::log(f - error));
  }
  if (!(low < high) || low <= 0 || high == std::log(largest_base)) return {};
  const TidyNumber simple = tidiest_between(std::exp(low), std::exp(high));
  return {{simple.value, 0.5 + std::min(simple.cost, 0.4)},
          {to_digits(std::exp((low + high) / 2), 12), 0.95}};
}

}  // namespace

// An error δ_j of a frequency moves the base by δ_j/(j·θ_j) of it: the sharpest pairs.
std::vector<std::size_t> sharpest(const Measured& m) {
  std::vector<std::size_t> order;
  for (std::size_t j = 1; j < m.frequencies.size(); ++j)
    if (m.frequencies[j] > 0) order.push_back(j);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) {
    return static_cast<double>(j) * m.frequencies[j] / m.errors[j];
  });
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
  candidate.given["base"] = identified(spelled(base.value));
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

bool is_within(const Measured& measured, const std::vector<double>& frequencies) {
  for (std::size_t j = 0; j < frequencies.size(); ++j)
    if (std::fabs(measured.frequencies[j] - frequencies[j]) >
        measured.errors[j] + frequencies[j] * (10 + static_cast<double>(j)) * 0x1p-24)
      return false;
  return true;
}

std::vector<Candidate> plain_guesses(const Measured& m) {
  std::vector<Candidate> all;
  if (m.frequencies.empty()) return all;
  for (const Base& base : bases_of(m, static_cast<double>(m.frequencies.size()), sharpest(m)))
    all.push_back(rope_guess(m, base, {}, base.cost));
  for (const Base& base : bases_within(m)) all.push_back(rope_guess(m, base, {}, base.cost));
  if (m.frequencies.size() == 1) all.push_back(rope_guess(m, {1e4, 0}, {}, 0));
  return all;
}

namespace {

// In use since Vaswani et al. 2017, whoever else has the same numbers.
constexpr double usual_base = 1e4;

}  // namespace

bool is_of_sinusoids_alone(const Candidate& candidate) {
  return candidate.given.at("ladder").text == "endpoint" &&
         candidate.given.at("base").text == spelled(usual_base);
}

namespace {

Candidate sinusoidal_guess(const Base& base, Index dim, const char* ladder,
                           const std::string& layout) {
  return {.encoding = &find_encoding("sinusoidal"),
          .given = identified({{"dim", std::to_string(dim)},
                               {"base", spelled(base.value)},
                               {"ladder", ladder},
                               {"layout", layout}}),
          .cost = base.cost + (base.value == usual_base ? -0.1 : 0),
          .model = {}};
}

}  // namespace

std::vector<Candidate> sinusoidal_guesses(const Measured& m, Index dim, const std::string& layout) {
  std::vector<Candidate> all;
  const auto n = static_cast<double>(m.frequencies.size());
  for (const char* ladder : {"paper", "endpoint"}) {
    if (n < 2) break;
    const double steps = ladder[0] == 'p' ? n : n - 1;
    for (const Base& base : bases_of(m, steps, sharpest(m)))
      all.push_back(sinusoidal_guess(base, dim, ladder, layout));
  }
  return all;
}

std::vector<Candidate> guesses_of_bases(const Measured& m, Index dim, const std::string& layout) {
  std::vector<Candidate> all;
  for (const Base& base : bases_in_use()) {
    all.push_back(rope_guess(m, base, {}, base.cost));
    if (layout.empty()) continue;
    for (const char* ladder : {"paper", "endpoint"})
      all.push_back(sinusoidal_guess(base, dim, ladder, layout));
  }
  return all;
}

std::vector<Candidate> divided_guesses(const std::vector<Candidate>& scaled, const Measured& m,
                                       Index dim, const std::string& layout) {
  std::vector<Candidate> all;
  const auto n = static_cast<double>(m.frequencies.size());
  for (const Candidate& one : scaled) {
    if (n < 2 || !one.given.contains("factor") || one.given.at("scaling").text != "linear")
      continue;
    const double divisor = std::strtod(one.given.at("factor").text.c_str(), nullptr),
                 base = std::strtod(one.given.at("base").text.c_str(), nullptr);
    all.push_back(
        {.encoding = &find_encoding("sinusoidal"),
         .given = identified({{"dim", std::to_string(dim)},
                              {"base", fmt::format("{}", divisor * std::pow(base, 1 - 1 / n))},
                              {"ladder", "endpoint"},
                              {"min-timescale", one.given.at("factor").text},
                              {"layout", layout}}),
         .cost = one.cost,
         .model = {}});
  }
  return all;
}

}  // namespace pe
