// Fitting ladders: the base where it is sharpest, the factor from the slowest pair, the ramp from the pairs between.
#include "pe/diagnosis/identify_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

namespace pe {
namespace {

constexpr const char* known_bases[] = {"10000", "1000000", "500000", "100000", "150000", "25000", "50000", "130000", "160000", "250000", "640000", "2000000", "5000000", "8000000", "10000000", "20000", "1000", "100"};

// The shortest decimal of the value rounded to so many digits, without an exponent where it is whole.
std::string digits_of(double value, int digits) {
  const double few = std::stod(fmt::format("{:.{}g}", value, digits));
  return few == std::floor(few) && few < 1e15 ? fmt::format("{:.0f}", few) : fmt::format("{}", few);
}

struct Base {
  std::string text;
  double cost;
  double value() const { return std::atof(text.c_str()); }
};

// The base of θ_j = θ_0 · base^(−j/steps) that pair j alone implies.
double implied_base(const Measured& m, std::size_t j, double steps) {
  const double f = m.frequencies[j], f0 = m.frequencies[0];
  if (!(f > 0) || !(f0 > 0)) return 0;
  const double base = std::pow(f / f0, -steps / static_cast<double>(j));
  return std::isfinite(base) && base > 1.0001 && base < 1e30 ? base : 0;
}

// Fits of a few pairs, rounded to few digits; bases in use.
std::vector<Base> bases_of(const Measured& m, double steps, const std::vector<std::size_t>& pairs) {
  std::vector<Base> all;
  std::set<std::string> seen;
  const auto add = [&](const std::string& text, double cost) {
    if (std::atof(text.c_str()) > 1 && seen.insert(text).second) all.push_back({text, cost});
  };
  std::vector<double> fits;
  for (const std::size_t j : pairs)
    if (const double base = j < m.frequencies.size() ? implied_base(m, j, steps) : 0; base > 0) fits.push_back(base);
  for (const char* base : known_bases)
    if (std::ranges::any_of(fits, [&](double fit) { return std::fabs(std::log(fit / std::atof(base))) < 0.2; })) add(base, 0.2);
  for (const int digits : {1, 2, 3, 4, 5, 6, 9, 12})
    for (const double fit : fits) add(digits_of(fit, digits), digits <= 6 ? 0.2 + 0.05 * digits : 0.8 + 0.01 * digits);
  return all;
}

// ln base by least squares over all pairs, θ_0 = 1: an error δ of every frequency is δ/θ_j of its logarithm, so pairs weigh θ_j².
double fitted_base(const Measured& m) {
  double above = 0, below = 0;
  const auto n = static_cast<double>(m.frequencies.size());
  for (std::size_t j = 1; j < m.frequencies.size(); ++j) {
    const double f = m.frequencies[j], x = static_cast<double>(j) / n, weight = m.exact ? 1 : f * f;
    if (f > 0) above -= weight * x * std::log(f), below += weight * x * x;
  }
  return below > 0 ? std::exp(above / below) : 0;
}

// The shortest decimal within an error.
std::string shortest_of(double value, double error) {
  for (int digits = 1; digits < 9; ++digits)
    if (std::fabs(std::stod(fmt::format("{:.{}g}", value, digits)) - value) <= error) return digits_of(value, digits);
  return digits_of(value, 9);
}

// An error δ of every frequency moves the base by δ/(j·θ_j) of it: the sharpest pairs.
std::vector<std::size_t> sharpest(const Measured& m) {
  std::vector<std::size_t> order;
  for (std::size_t j = 1; j < m.frequencies.size(); ++j)
    if (m.frequencies[j] > 0) order.push_back(j);
  if (m.exact) {
    std::ranges::reverse(order);
  } else {
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return static_cast<double>(j) * m.frequencies[j]; });
  }
  if (order.size() > 4) order.resize(4);
  return order;
}

std::string dim_of(const Measured& m) { return std::to_string(2 * m.frequencies.size()); }

Guess rope_guess(const Measured& m, const Base& base, Given more, double cost) {
  Guess guess{.encoding = &find_encoding("rope"), .given = std::move(more), .cost = cost, .model = {}};
  guess.given["dim"] = identified(dim_of(m));
  guess.given["base"] = identified(base.text);
  return guess;
}

// A guess that is not made yet: what it predicts in double.
struct Sketch {
  double off = 0;
  Base base;
  Given given;
};

void keep_nearest(std::vector<Sketch>& all, std::size_t most) {
  std::ranges::stable_sort(all, {}, &Sketch::off);
  if (all.size() > most) all.resize(most);
}

std::vector<double> plain_of(double base, std::size_t pairs) {
  std::vector<double> plain;
  for (std::size_t j = 0; j < pairs; ++j) plain.push_back(std::pow(base, -static_cast<double>(j) / static_cast<double>(pairs)));
  return plain;
}

std::vector<std::string> factors_of(const std::vector<double>& plain, const Measured& m) {
  std::vector<std::string> factors;
  const auto add = [&](const std::string& text) {
    if (std::atof(text.c_str()) > 1.0001 && std::ranges::find(factors, text) == factors.end()) factors.push_back(text);
  };
  for (std::size_t back = 1; back <= 3 && back <= plain.size(); ++back) {
    const double f = m.frequencies[plain.size() - back];
    if (!(f > 0)) continue;
    for (const int digits : {1, 2, 3, 6}) add(fmt::format("{:.{}g}", plain[plain.size() - back] / f, digits));
  }
  for (const char* s : {"2", "4", "8", "16", "32", "40", "64"}) add(s);
  return factors;
}

std::vector<double> originals() {
  std::vector<double> all;
  for (double power = 256; power <= 262144; power *= 2) all.push_back(power), all.push_back(1.5 * power);
  return all;
}

// Yarn's attention factor where it is not 0.1·ln s + 1.
void add_amplitude(Given& given, const Measured& m, double factor) {
  if (!m.has_amplitude || std::fabs(m.amplitude - (0.1 * std::log(factor) + 1)) < 2e-3 * m.amplitude) return;
  given["attention-factor"] = identified(std::fabs(m.amplitude - 1) < 2e-3 ? "1" : fmt::format("{:.9g}", m.amplitude));
}

void sketch_yarn(const Measured& m, const Base& base, const std::vector<double>& plain, const std::string& s, std::vector<Sketch>& all) {
  const std::size_t n = plain.size();
  const double factor = std::atof(s.c_str()), dim = 2 * static_cast<double>(n);
  for (const double original : originals())
    for (const bool truncate : {true, false}) {
      double low = dim * std::log(original / (32 * 2 * std::numbers::pi)) / (2 * std::log(base.value())), high = dim * std::log(original / (2 * std::numbers::pi)) / (2 * std::log(base.value()));
      if (truncate) low = std::floor(low), high = std::ceil(high);
      low = std::max(low, 0.0), high = std::min(high, dim - 1);
      if (low == high) high += 0.001;
      std::vector<double> f = plain;
      for (std::size_t j = 0; j < n; ++j) {
        const double share = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
        f[j] *= 1 - share + share / factor;
      }
      Given given = identified({{"scaling", "yarn"}, {"factor", s}, {"original-max-position", fmt::format("{:.0f}", original)}, {"truncate", truncate ? "true" : "false"}});
      add_amplitude(given, m, factor);
      all.push_back({distance_of(m, f), base, given});
    }
}

std::vector<double> llama3_of(const std::vector<double>& plain, double s, double low, double high, double original) {
  std::vector<double> f = plain;
  for (double& one : f) {
    const double kept = std::clamp((original * one / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
    one *= kept + (1 - kept) / s;
  }
  return f;
}

// The share kept, (r − 1/s)/(1 − 1/s) with r the ratio to the plain ladder, is (L·θ/2π − low)/(high − low): a line in θ, which tells L/low
// and L/high.
void sketch_llama3(const Measured& m, const Base& base, const std::vector<double>& plain, const std::string& s, std::vector<Sketch>& all) {
  const double factor = std::atof(s.c_str());
  const auto add = [&](double low, double high, double original) {
    if (!(high > low) || !(low > 0) || !(original >= 1) || !std::isfinite(original)) return;
    all.push_back({distance_of(m, llama3_of(plain, factor, low, high, original)), base,
                   identified({{"scaling", "llama3"}, {"factor", s}, {"low-freq-factor", fmt::format("{:g}", low)}, {"high-freq-factor", fmt::format("{:g}", high)}, {"original-max-position", fmt::format("{:.0f}", original)}})});
  };
  for (const double original : originals()) add(1, 4, original);
  std::vector<std::pair<double, double>> ramp;  // θ, kept
  for (std::size_t j = 0; j < plain.size(); ++j) {
    const double kept = (m.frequencies[j] / plain[j] - 1 / factor) / (1 - 1 / factor);
    if (kept > 0.02 && kept < 0.98) ramp.emplace_back(plain[j], kept);
  }
  if (ramp.size() < 2) return;
  const auto [x0, y0] = ramp.front();
  const auto [x1, y1] = ramp.back();
  const double slope = (y1 - y0) / (x1 - x0), cut = slope * x0 - y0;  // cut = low/(high − low)
  if (!(slope > 0) || !(cut > 0)) return;
  for (const double high : {1 + 1 / cut, std::round(2 * (1 + 1 / cut)) / 2}) {
    const double original = slope * 2 * std::numbers::pi * (high - 1);
    add(1, high, std::round(original));
    for (const double power : originals())
      if (std::fabs(std::log(power / original)) < 0.02) add(1, high, power);
  }
}

}  // namespace

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

std::vector<Guess> plain_guesses(const Measured& m) {
  std::vector<Guess> all;
  if (m.frequencies.empty()) return all;
  for (const Base& base : bases_of(m, static_cast<double>(m.frequencies.size()), sharpest(m))) all.push_back(rope_guess(m, base, {}, base.cost));
  if (const double base = fitted_base(m); base > 1.0001 && base < 1e30) all.push_back(rope_guess(m, {digits_of(base, 12), 0.95}, {}, 0.95));
  if (m.frequencies.size() == 1) all.push_back(rope_guess(m, {"10000", 0}, {}, 0));
  return all;
}

std::vector<Guess> scaled_guesses(const Measured& m) {
  const std::size_t n = m.frequencies.size();
  std::vector<Guess> all;
  if (n < 3) return all;
  const auto steps = static_cast<double>(n);
  // linear: every pair divided alike
  if (const double s = 1 / m.frequencies[0]; std::fabs(s - 1) > 1e-3 && s > 0 && s < 1e4)
    for (const int digits : {1, 2, 3, 6, 9})
      for (const Base& base : bases_of(m, steps, sharpest(m)))
        if (base.cost < 0.8) all.push_back(rope_guess(m, base, identified({{"scaling", "linear"}, {"factor", fmt::format("{:.{}g}", s, digits)}}), 0.3 + base.cost + 0.02 * digits));
  const auto live = static_cast<std::size_t>(std::ranges::find_if(m.frequencies, [](double f) { return !(std::fabs(f) > 1e-12); }) - m.frequencies.begin());
  if (live > 0 && live < n && std::ranges::all_of(m.frequencies.begin() + static_cast<std::ptrdiff_t>(live), m.frequencies.end(), [](double f) { return std::fabs(f) < 1e-12 || std::isnan(f); }))
    for (const Base& base : bases_of(m, steps, {1, live / 2, live - 1}))
      all.push_back(rope_guess(m, base, identified({{"scaling", "proportional"}, {"partial-rotary-factor", fmt::format("{}", static_cast<double>(live) / steps)}}), 0.3 + base.cost));
  std::vector<Sketch> sketches;
  for (const Base& base : bases_of(m, steps, {1, 2, 3, n / 8, n / 4})) {
    if (base.cost > 0.5) continue;
    const std::vector<double> plain = plain_of(base.value(), n);
    for (const std::string& s : factors_of(plain, m)) sketch_yarn(m, base, plain, s, sketches), sketch_llama3(m, base, plain, s, sketches);
    keep_nearest(sketches, 24);
  }
  for (const Sketch& sketch : sketches) all.push_back(rope_guess(m, sketch.base, sketch.given, 0.5 + sketch.base.cost));
  return all;
}

std::vector<Guess> listed_guesses(const Measured& m) {
  std::vector<Guess> all;
  const std::size_t n = m.frequencies.size();
  if (!std::ranges::all_of(m.frequencies, [](double f) { return f > 0; })) return all;
  for (const char* text : {"10000", "500000", "1000000", "100000"}) {
    const std::vector<double> plain = plain_of(std::atof(text), n);
    double least = HUGE_VAL;
    for (std::size_t j = 0; j < n; ++j) least = std::min(least, plain[j] / m.frequencies[j]);
    if (least < 0.9) continue;
    const std::string amplitude = m.has_amplitude && std::fabs(m.amplitude - 1) > 2e-3 ? fmt::format("{:.9g}", m.amplitude) : "1";
    for (const int digits : {0, 3, 5, 7, 10}) {  // 0: as few as each needs
      std::vector<std::string> list;
      for (std::size_t j = 0; j < n; ++j) {
        const double divisor = plain[j] / m.frequencies[j];
        list.push_back(digits == 0 ? shortest_of(divisor, divisor * m.error / (4 * m.frequencies[j])) : digits_of(divisor, digits));
      }
      const std::string joined = fmt::format("{}", fmt::join(list, ","));
      all.push_back(rope_guess(m, {text, 0}, identified({{"scaling", "longrope"}, {"short-factor", joined}, {"long-factor", joined}, {"original-max-position", "4096"}, {"attention-factor", amplitude}}), 2 + 0.01 * digits));
    }
    break;
  }
  return all;
}

std::vector<Guess> sinusoidal_guesses(const Measured& m, Index dim, const std::string& layout) {
  std::vector<Guess> all;
  const auto n = static_cast<double>(m.frequencies.size());
  for (const char* ladder : {"paper", "endpoint"}) {
    if (n < 2) break;
    const double steps = ladder[0] == 'p' ? n : n - 1;
    for (const Base& base : bases_of(m, steps, sharpest(m)))
      all.push_back({.encoding = &find_encoding("sinusoidal"), .given = identified({{"dim", std::to_string(dim)}, {"base", base.text}, {"ladder", ladder}, {"layout", layout}}), .cost = base.cost + (base.text == "10000" ? -0.1 : 0), .model = {}});
  }
  return all;
}

}  // namespace pe
