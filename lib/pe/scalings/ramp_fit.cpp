// A ramp is a line: through the pairs between its ends for its parameters, else through likely
// ones.
#include "pe/scalings/ramp_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "pe/scalings/ramp.hpp"

namespace pe::scaling_rows {
namespace {

constexpr double turn = 2 * std::numbers::pi;

// Whether every pair known lies where `share(j)`, the part divided by the factor, brings it.
template <typename Share>
bool holds(const MeasuredLadder& measured, double factor, Share share) {
  for (std::size_t i = 0; i < measured.pairs(); ++i) {
    const std::size_t j = measured.pairs() - 1 - i;  // the divided ones refute soonest
    if (std::isnan(measured.frequencies[j])) continue;
    const double w = std::clamp(share(j), 0.0, 1.0),
                 f = measured.plain.frequencies[j] * (1 - w + w / factor);
    if (!(std::fabs(f - measured.frequencies[j]) <= measured.errors[j])) return false;
  }
  return true;
}

// A line y = slope·(x − foot) through the pairs within a ramp, from their two ends, and the
// relative error of its rise.
struct Line {
  double foot = 0, head = 0;              // where it is 0, and 1
  double foot_error = 0, head_error = 0;  // in the unit of x
};
struct Point {
  double x, y, error;
};
std::optional<Line> line_through(const std::vector<Point>& points) {
  if (points.size() < 2) return {};
  const Point &first = points.front(), &last = points.back();
  const double slope = (last.y - first.y) / (last.x - first.x);
  if (!(std::fabs(slope) > 0)) return {};
  Line line{first.x - first.y / slope, first.x + (1 - first.y) / slope, 0, 0};
  // An end moves by the points' own errors, the farther beyond them the more.
  const double span = std::fabs(last.x - first.x), error = (first.error + last.error);
  const auto reach = [&](double end) {
    return error / std::fabs(slope) *
           (1 + std::min(std::fabs(end - first.x), std::fabs(end - last.x)) / span);
  };
  line.foot_error = reach(line.foot);
  line.head_error = reach(line.head);
  return line;
}

// The pairs strictly within the ramp: share divided by x.
std::vector<Point> within_ramp(const MeasuredLadder& measured, double factor, bool by_index) {
  std::vector<Point> points;
  for (std::size_t j = 0; j < measured.pairs(); ++j) {
    if (!measured.knows(j)) continue;
    const double r = 1 / measured.divisor(j), scale = 1 - 1 / factor, share = (1 - r) / scale,
                 error = r * measured.relative_error(j) / std::fabs(scale);
    if (share > 2 * error + 1e-9 && share < 1 - 2 * error - 1e-9)
      points.push_back({by_index ? static_cast<double>(j) : measured.plain.frequencies[j],
                        by_index ? share : 1 - share, error});
  }
  return points;
}

// The usual value where the interval has it, else the tidiest within.
TidyNumber usual_or_tidy(double lowest, double highest, double usual, double meant) {
  if (meant >= lowest && meant <= highest) return {meant, 0};
  if (usual >= lowest && usual <= highest) return {usual, 0};
  const TidyNumber tidy = tidiest_between(lowest, highest);
  return {tidy.value, 0.06 + tidy.cost};
}

struct RampEnds {
  double fast, slow, cost;
};

// Betas whose ramp has these ends, for an original length: an interval each where ends were
// rounded.
std::vector<RampEnds> betas_of(const MeasuredLadder& measured, const Line& line, double original) {
  std::vector<RampEnds> all;
  const double rate = 2 * std::log(measured.plain.base) / static_cast<double>(measured.plain.dim);
  const auto beta_at = [&](double pair) { return original / turn * std::exp(-rate * pair); };
  const double meant_fast = number_in(measured.context, "beta-fast", 0),
               meant_slow = number_in(measured.context, "beta-slow", 0);
  const double low = std::round(line.foot), high = std::round(line.head);
  const bool truncated = std::fabs(line.foot - low) <= line.foot_error + 1e-6 &&
                         std::fabs(line.head - high) <= line.head_error + 1e-6;
  if (truncated) {
    // A lower end clamped to 0 has any beta above.
    const TidyNumber fast = usual_or_tidy(beta_at(low + 1) * (1 + 1e-9),
                                          low <= 0 ? 1e6 : beta_at(low), 32, meant_fast),
                     slow = usual_or_tidy(beta_at(high) * (1 + 1e-12), beta_at(high - 1), 1,
                                          meant_slow);
    all.push_back({fast.value, slow.value, fast.cost + slow.cost});
  }
  const auto around = [&](double pair, double error, double usual, double meant) {
    return usual_or_tidy(beta_at(pair + error + 1e-9), beta_at(pair - error - 1e-9), usual, meant);
  };
  const TidyNumber fast = around(line.foot, line.foot_error, 32, meant_fast),
                   slow = around(line.head, line.head_error, 1, meant_slow);
  all.push_back({fast.value, slow.value, fast.cost + slow.cost});
  return all;
}

// Whether every pair known lies between the plain frequency and that divided by the factor: where
// one does not, no share brings it there.
bool lies_between(const MeasuredLadder& measured, double factor) {
  for (std::size_t j = 0; j < measured.pairs(); ++j) {
    const double plain = measured.plain.frequencies[j], found = measured.frequencies[j];
    if (std::isnan(found)) continue;
    const double divided = plain / factor, low = std::min(plain, divided),
                 high = std::max(plain, divided);
    // Beyond the ends by more than the error, and what the sum of two shares rounds to.
    const double error = measured.errors[j] + 1e-15 * (std::fabs(plain) + std::fabs(low));
    if (!(found >= low - error && found <= high + error)) return false;
  }
  return true;
}

void add_index_ramps(const MeasuredLadder& measured, const TidyNumber& factor, ScalingFits& fits) {
  if (!lies_between(measured, factor.value)) return;
  const auto line = line_through(within_ramp(measured, factor.value, true));
  const double meant_fast = number_in(measured.context, "beta-fast", 32),
               meant_slow = number_in(measured.context, "beta-slow", 1);
  const std::size_t before = fits.size();
  for (const TidyNumber& original : known_lengths(measured)) {
    std::vector<RampEnds> ends{{32, 1, 0}};
    if (meant_fast != 32 || meant_slow != 1) ends.push_back({meant_fast, meant_slow, 0});
    if (line) {
      for (const RampEnds& one : betas_of(measured, *line, original.value)) ends.push_back(one);
    } else {
      for (const double fast : {8.0, 16.0, 24.0, 48.0, 64.0, 128.0})
        for (const double slow : {0.5, 1.0, 2.0, 4.0}) ends.push_back({fast, slow, 0.12});
    }
    for (const RampEnds& end : ends)
      for (const bool truncate : {true, false})
        for (const char* clamp : {"dim", "pairs", "none"}) {
          if (!(end.fast > 0) || !(end.slow > 0)) continue;
          const Ramp<double> ramp = index_ramp(measured.plain, original.value, end.fast, end.slow,
                                               truncate, ramp_limit<double>(clamp, measured.plain));
          if (!holds(measured, factor.value, [&](std::size_t j) {
                return (static_cast<double>(j) - ramp.low) / (ramp.high - ramp.low);
              }))
            continue;
          fits.push_back({{{"factor", factor.value},
                           {"original-max-position", original.value},
                           {"ramp", std::string("index")},
                           {"beta-fast", end.fast},
                           {"beta-slow", end.slow},
                           {"truncate", truncate},
                           {"ramp-clamp", std::string(clamp)}},
                          factor.cost + original.cost + end.cost + (truncate ? 0 : 0.01) +
                              (clamp[0] == 'd' ? 0 : 0.02)});
          break;  // another clamp that agrees says nothing more
        }
    if (fits.size() > before + 24) break;
  }
}

struct Ends {
  double low, high, cost;
};

// Ends, in turns, of a ramp that one pair lies within, or none. With the lower end the pair tells
// the upper one, which then has few digits if it was meant.
std::vector<Ends> likely_ends(const std::vector<Point>& points, double scale) {
  constexpr double likely[] = {1, 2, 4, 0.5, 1.5, 3, 8, 0.25};
  constexpr double few_digits = 0.04;
  std::vector<Ends> all;
  for (const double low : likely) {
    if (points.empty()) {
      for (const double high : {2.0, 4.0, 6.0, 8.0, 16.0, 32.0, 1.0})
        if (high > low) all.push_back({low, high, 0.12});
      continue;
    }
    const Point& point = points.front();
    const double rise = scale * point.x - low;
    if (!(rise > 0)) continue;
    const TidyNumber high = tidiest_between((low + rise / (point.y + point.error)) * (1 - 1e-9),
                                            (low + rise / (point.y - point.error)) * (1 + 1e-9));
    if (high.cost <= few_digits) all.push_back({low, high.value, 0.1 + high.cost});
  }
  return all;
}

}  // namespace

std::vector<BandFit> fitted_bands(const MeasuredLadder& measured,
                                  const std::vector<std::pair<double, double>>& usual) {
  std::vector<BandFit> fits;
  for (const TidyNumber& factor : fitted_factors(measured)) {
    if (!lies_between(measured, factor.value)) continue;
    const auto points = within_ramp(measured, factor.value, false);
    const auto line = line_through(points);
    for (const TidyNumber& original : known_lengths(measured)) {
      std::vector<BandFit> tried;
      double cost = 0;
      for (const auto& [low, high] : usual) {
        tried.push_back({factor.value, low, high, original.value, cost});
        cost = 0.04;
      }
      if (line) {
        const double scale = original.value / turn;
        const auto around = [&](double x, double error, double at) {
          return usual_or_tidy(std::max(scale * (x - error), 1e-9) * (1 - 1e-9),
                               scale * (x + error) * (1 + 1e-9), at, at);
        };
        const TidyNumber low = around(line->foot, line->foot_error, usual[0].first),
                         high = around(line->head, line->head_error, usual[0].second);
        tried.push_back(
            {factor.value, low.value, high.value, original.value, low.cost + high.cost});
      } else {
        for (const Ends& ends : likely_ends(points, original.value / turn))
          tried.push_back({factor.value, ends.low, ends.high, original.value, ends.cost});
      }
      for (BandFit& band : tried) {
        if (!(band.high >= band.low) || !(band.low > 0)) continue;
        const auto share = [&](std::size_t j) {
          const double turns = band.original * measured.plain.frequencies[j] / turn;
          if (band.high == band.low) return turns < band.low ? 1.0 : 0.0;
          return 1 - (turns - band.low) / (band.high - band.low);
        };
        if (!holds(measured, band.factor, share)) continue;
        band.cost += factor.cost + original.cost;
        fits.push_back(band);
      }
      if (fits.size() > 48) return fits;
    }
  }
  return fits;
}

ScalingFits fitted_ramps(const MeasuredLadder& measured, bool index) {
  ScalingFits fits;
  if (index) {
    for (const TidyNumber& factor : fitted_factors(measured))
      add_index_ramps(measured, factor, fits);
    return fits;
  }
  for (const BandFit& band : fitted_bands(measured, {{1, 32}}))
    fits.push_back({{{"factor", band.factor},
                     {"original-max-position", band.original},
                     {"ramp", std::string("rotation")},
                     {"beta-fast", band.high},
                     {"beta-slow", band.low},
                     {"truncate", true},
                     {"ramp-clamp", std::string("dim")}},
                    band.cost});
  return fits;
}

}  // namespace pe::scaling_rows
