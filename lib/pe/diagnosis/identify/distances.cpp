// Biases that are a formula of the distance, with parameters for each head: fitted, and told where
// the whole dump agrees.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/identify/matrix.hpp"

namespace pe {
namespace {

struct Point {
  double distance, value;
};

// Of a head, at distances above 0, the nearest first: from the last query, which has come farthest.
std::vector<Point> points_of(const ScoreMatrix& m, const Stored& array, Index head) {
  std::vector<Point> points;
  const std::vector<double> row = m.row(array, head, m.queries - 1);
  const std::int64_t query = m.first_query + m.queries - 1 - m.first_key;
  for (std::int64_t key = std::min(query, m.keys) - 1; key >= 0; --key)
    if (const double value = row[static_cast<std::size_t>(key)]; std::isfinite(value))
      points.push_back({static_cast<double>(query - key), value});
  return points;
}

// What rounding to the dump's type and float32 steps may leave of a fit.
double tolerance(const std::vector<Point>& points, DType dtype) {
  double largest = 0;
  for (const Point& point : points) largest = std::max(largest, std::fabs(point.value));
  return (2 * unit_roundoff(dtype) + 16 * 0x1p-24) * largest;
}

// −r1·k(r2, d); k is 0 at distance 0.
struct Kernel {
  const char* name;
  double (*at)(double r2, double distance);
  double least, most;  // of r2
  double bend;         // r2 · distance below which it is a line, which slopes are, too
};
constexpr Kernel kernels[] = {
    {"log", [](double r2, double distance) { return std::log1p(r2 * distance); }, 1e-6, 1e6, 0.02},
    {"power", [](double r2, double distance) { return std::pow(distance, r2); }, 1e-6, 2, 0}};

// The shortest decimal within a relative distance.
std::string short_decimal(double value, double within) {
  for (int digits = 1; digits < 17; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (std::fabs(std::stod(text) / value - 1) <= within) return text;
  }
  return fmt::format("{:.17g}", value);
}

// r1 and r2 of a head: the ratio of two distances' biases falls or rises with r2.
std::optional<std::pair<double, double>> fit(const Kernel& kernel, const std::vector<Point>& points,
                                             DType dtype) {
  if (points.size() < 6) return {};
  const Point &near = points[1], &far = points.back();
  if (near.value >= 0 || far.value >= near.value) return {};
  const double wanted = far.value / near.value;
  const auto ratio = [&](double r2) {
    return kernel.at(r2, far.distance) / kernel.at(r2, near.distance);
  };
  const bool rises = ratio(kernel.most) > ratio(kernel.least);
  double low = std::log(kernel.least), high = std::log(kernel.most);
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    ((ratio(std::exp(middle)) < wanted) == rises ? low : high) = middle;
  }
  const double r2 = std::exp(low), r1 = -far.value / kernel.at(r2, far.distance);
  if (r2 * far.distance < kernel.bend) return {};
  const double near_enough = 4 * tolerance(points, dtype);
  for (const Point& point : points)
    if (std::fabs(point.value + r1 * kernel.at(r2, point.distance)) > near_enough) return {};
  return std::pair{r1, r2};
}

const char* causal_word(const ScoreMatrix& m) { return m.mask.is_causal() ? "true" : "false"; }

std::optional<Identification> told(Candidate candidate, const Dump& dump, const std::string& layout,
                                   std::string summary) {
  auto found = settle({std::move(candidate)}, dump, layout, false);
  if (!found) return {};
  found->family = "bias of the distance";
  found->summary = std::move(summary);
  found->command += fmt::format(" --fields bias --length {}", matrix_of(dump.arrays[0]).keys);
  return found;
}

std::optional<Identification> identify_kerple(const ScoreMatrix& m, const Dump& dump,
                                              const std::string& layout) {
  const Stored& array = dump.arrays[0];
  for (const Kernel& kernel : kernels) {
    std::vector<std::pair<double, double>> fits;
    for (Index head = 0; head < m.heads; ++head) {
      const auto one = fit(kernel, points_of(m, array, head), array.dtype);
      if (!one) break;
      fits.push_back(*one);
    }
    // A power of 1 in every head is a line, which slopes are.
    const bool are_lines = std::ranges::all_of(fits, [&](const auto& one) {
      return kernel.bend == 0 && std::fabs(one.second - 1) < 1e-3;
    });
    if (std::ssize(fits) < m.heads || are_lines) continue;
    // Numbers of few digits first, then what the dump's own digits give.
    for (const double within : {256 * unit_roundoff(array.dtype), 16 * unit_roundoff(array.dtype),
                                unit_roundoff(array.dtype), 0.0}) {
      std::vector<std::string> r1, r2;
      for (const auto& [a, b] : fits) {
        r1.push_back(short_decimal(a, within));
        r2.push_back(short_decimal(b, within));
      }
      if (auto found = told({.encoding = &find_encoding("kerple"),
                             .given = identified({{"heads", std::to_string(m.heads)},
                                                  {"kernel", kernel.name},
                                                  {"r1", fmt::format("{}", fmt::join(r1, ","))},
                                                  {"r2", fmt::format("{}", fmt::join(r2, ","))},
                                                  {"causal", causal_word(m)}}),
                             .cost = 0,
                             .model = {}},
                            dump, layout,
                            fmt::format("kerple, {} heads, kernel {}, r1 {}, r2 {}", m.heads,
                                        kernel.name, fmt::join(r1, ", "), fmt::join(r2, ", "))))
        return found;
    }
  }
  return {};
}

// (Σ cos(d·base^(−2i/dim)) − dim/2) / (8h/heads), i = 1 … dim/2.
bool is_sandwich(const std::vector<Point>& points, double dim, double ratio, double within) {
  return std::ranges::all_of(points, [&](const Point& point) {
    double sum = 0;
    for (double i = 1; i <= dim / 2; ++i)
      sum += std::cos(point.distance * std::pow(10000.0, -2 * i / dim)) - 1;
    return std::fabs(sum / ratio - point.value) <= within + 1e-6 * std::fabs(point.value);
  });
}

std::optional<Identification> identify_sandwich(const ScoreMatrix& m, const Dump& dump,
                                                const std::string& layout) {
  std::vector<Point> points = points_of(m, dump.arrays[0], m.heads - 1);
  if (points.size() < 6) return {};
  points.resize(std::min<std::size_t>(points.size(), 64));
  const double within = 4 * tolerance(points, dump.arrays[0].dtype);
  for (const Index dim : {64, 128, 32, 256, 96, 80, 48, 16, 160, 192, 512, 768, 1024})
    if (is_sandwich(points, static_cast<double>(dim), 8, within))
      if (auto found =
              told({.encoding = &find_encoding("sandwich"),
                    .given = identified({{"heads", std::to_string(m.heads)},
                                         {"dim", std::to_string(dim)},
                                         {"causal", causal_word(m)}}),
                    .cost = 0,
                    .model = {}},
                   dump, layout, fmt::format("sandwich, {} heads, {} channels", m.heads, dim)))
        return found;
  return {};
}

}  // namespace

std::optional<Identification> identify_distance(const Dump& dump, const std::string& layout) {
  constexpr Index most_heads = 256;
  const Stored& array = dump.arrays[0];
  if (array.shape.size() < 2 || is_integer(array.dtype)) return {};
  const ScoreMatrix m = masked_matrix_of(array);
  if (m.keys < 8 || m.queries > m.keys || m.heads > most_heads) return {};
  if (auto found = identify_kerple(m, dump, layout)) return found;
  return identify_sandwich(m, dump, layout);
}

}  // namespace pe
