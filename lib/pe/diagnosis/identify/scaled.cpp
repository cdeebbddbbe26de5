// Fitting scalings: the factor from the slowest pairs, the ramp from the pairs between.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pe/diagnosis/identify/bases.hpp"

namespace pe {
namespace {

// A candidate that is not made yet: what it predicts in double.
struct Sketch {
  double off = 0;
  Base base;
  Given given;
};

void keep_nearest(std::vector<Sketch>& all, std::size_t most) {
  std::ranges::stable_sort(all, {}, &Sketch::off);
  if (all.size() > most) all.resize(most);
}

std::vector<std::string> factors_of(const std::vector<double>& plain, const Measured& m) {
  std::vector<std::string> factors;
  const auto add = [&](const std::string& text) {
    if (std::atof(text.c_str()) > 1.0001 && std::ranges::find(factors, text) == factors.end())
      factors.push_back(text);
  };
  for (std::size_t back = 1; back <= 3 && back <= plain.size(); ++back) {
    const double f = m.frequencies[plain.size() - back];
    if (!(f > 0)) continue;
    for (const int digits : {1, 2, 3, 6})
      add(fmt::format("{:.{}g}", plain[plain.size() - back] / f, digits));
  }
  for (const char* s : {"2", "4", "8", "16", "32", "40", "64"}) add(s);
  return factors;
}

std::vector<double> originals() {
  std::vector<double> all;
  for (double power = 256; power <= 262144; power *= 2) {
    all.push_back(power);
    all.push_back(1.5 * power);
  }
  return all;
}

// Yarn's attention factor where it is not 0.1·ln s + 1.
void add_amplitude(Given& given, const Measured& m, double factor) {
  if (!m.has_amplitude ||
      std::fabs(m.amplitude - (0.1 * std::log(factor) + 1)) < 2e-3 * m.amplitude)
    return;
  given["attention-factor"] =
      identified(std::fabs(m.amplitude - 1) < 2e-3 ? "1" : fmt::format("{:.9g}", m.amplitude));
}

void sketch_yarn(const Measured& m, const Base& base, const std::vector<double>& plain,
                 const std::string& s, std::vector<Sketch>& all) {
  const std::size_t n = plain.size();
  const double factor = std::atof(s.c_str()), dim = 2 * static_cast<double>(n);
  for (const double original : originals())
    for (const bool truncate : {true, false}) {
      double low = dim * std::log(original / (32 * 2 * std::numbers::pi)) /
                   (2 * std::log(base.value())),
             high =
                 dim * std::log(original / (2 * std::numbers::pi)) / (2 * std::log(base.value()));
      if (truncate) {
        low = std::floor(low);
        high = std::ceil(high);
      }
      low = std::max(low, 0.0);
      high = std::min(high, dim - 1);
      if (low == high) high += 0.001;
      std::vector<double> f = plain;
      for (std::size_t j = 0; j < n; ++j) {
        const double share = std::clamp((static_cast<double>(j) - low) / (high - low), 0.0, 1.0);
        f[j] *= 1 - share + share / factor;
      }
      Given given = identified({{"scaling", "yarn"},
                                {"factor", s},
                                {"original-max-position", fmt::format("{:.0f}", original)},
                                {"truncate", truncate ? "true" : "false"}});
      add_amplitude(given, m, factor);
      all.push_back({distance_of(m, f), base, given});
    }
}

std::vector<double> llama3_of(const std::vector<double>& plain, double s, double low, double high,
                              double original) {
  std::vector<double> f = plain;
  for (double& one : f) {
    const double kept =
        std::clamp((original * one / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
    one *= kept + (1 - kept) / s;
  }
  return f;
}

// The share kept, (r − 1/s)/(1 − 1/s) with r the ratio to the plain ladder, is (L·θ/2π − low)/(high
// − low): a line in θ, which tells L/low and L/high.
void sketch_llama3(const Measured& m, const Base& base, const std::vector<double>& plain,
                   const std::string& s, std::vector<Sketch>& all) {
  const double factor = std::atof(s.c_str());
  const auto add = [&](double low, double high, double original) {
    if (!(high > low) || !(low > 0) || !(original >= 1) || !std::isfinite(original)) return;
    all.push_back({distance_of(m, llama3_of(plain, factor, low, high, original)), base,
                   identified({{"scaling", "llama3"},
                               {"factor", s},
                               {"low-freq-factor", fmt::format("{:g}", low)},
                               {"high-freq-factor", fmt::format("{:g}", high)},
                               {"original-max-position", fmt::format("{:.0f}", original)}})});
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

std::vector<Candidate> scaled_guesses(const Measured& m) {
  const std::size_t n = m.frequencies.size();
  std::vector<Candidate> all;
  if (n < 3) return all;
  const auto steps = static_cast<double>(n);
  // linear: every pair divided alike
  if (const double s = 1 / m.frequencies[0]; std::fabs(s - 1) > 1e-3 && s > 0 && s < 1e4)
    for (const int digits : {1, 2, 3, 6, 9})
      for (const Base& base : bases_of(m, steps, sharpest(m)))
        if (base.cost < 0.8 && s > 0.1)
          all.push_back(rope_guess(
              m, base,
              identified({{"scaling", "linear"}, {"factor", fmt::format("{:.{}g}", s, digits)}}),
              0.3 + base.cost + 0.02 * digits));
  const auto live = static_cast<std::size_t>(
      std::ranges::find_if(m.frequencies, [](double f) { return !(std::fabs(f) > 1e-12); }) -
      m.frequencies.begin());
  if (live > 0 && live < n &&
      std::ranges::all_of(m.frequencies.begin() + static_cast<std::ptrdiff_t>(live),
                          m.frequencies.end(),
                          [](double f) { return std::fabs(f) < 1e-12 || std::isnan(f); }))
    for (const Base& base : bases_of(m, steps, {1, live / 2, live - 1}))
      all.push_back(rope_guess(m, base,
                               identified({{"scaling", "proportional"},
                                           {"partial-rotary-factor",
                                            fmt::format("{}", static_cast<double>(live) / steps)}}),
                               0.3 + base.cost));
  std::vector<Sketch> sketches;
  for (const Base& base : bases_of(m, steps, {1, 2, 3, n / 8, n / 4})) {
    if (base.cost > 0.5) continue;
    const std::vector<double> plain = plain_of(base.value(), n);
    for (const std::string& s : factors_of(plain, m)) {
      sketch_yarn(m, base, plain, s, sketches);
      sketch_llama3(m, base, plain, s, sketches);
    }
    keep_nearest(sketches, 24);
  }
  for (const Sketch& sketch : sketches)
    all.push_back(rope_guess(m, sketch.base, sketch.given, 0.5 + sketch.base.cost));
  return all;
}

}  // namespace pe
