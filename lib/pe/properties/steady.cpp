// The fit of steady turns: two passes over a dump, and bounds as tight as its own arithmetic.
#include "pe/properties/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/team.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

using Turn = std::complex<double>;

constexpr double u = 0x1p-24, v = 0x1p-53;
constexpr Index fewest_rows = 8;  // that tell a frequency
const double root = std::sqrt(2.0);

// One pair's line through the phases, and what the errors of the turns may do to it. By least
// squares with weights w, the line at x is Σ w(1/S0 + (x−m)(q−m)/S2)·r over the phases r at q: if
// each is off by at most β, the line is off by at most Σwβ/S0 + |x−m|·Σw|q−m|β/S2. Through the
// origin the first term is absent and m = 0.
struct Line {
  double s0 = 0, s1 = 0, s2 = 0, middle = 0;                    // of the weights
  double flat = 0, flat_angle = 0;                              // Σw, Σw|angle|
  double slant = 0, slant_angle = 0;                            // Σw|x−m|, Σw|x−m||angle|
  double rest = 0, moment = 0, kept = 0, kept1 = 0, kept2 = 0;  // of the phases not trimmed away
  double level = 0, slope = 0;                                  // of the line itself
};

class Fit {
 public:
  Fit(Kept<SeenTurns> turns, Kept<Case> subject, bool still)
      : turns_(turns),
        subject_(subject),
        still_(still),
        kinds_(arithmetics_of(turns, subject)),
        start_(start_steady(turns, subject, still, entry(kinds_.back(), 1))),
        lines_(turns_.pairs) {
    bare_ =
        turns_.rows < fewest_rows && std::ranges::all_of(start_.nominal, [](char c) { return c; });
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      for (std::size_t j = 0; j < turns_.pairs; ++j)
        bounds_.push_back({entry(kinds_[k], start_.amplitudes[j]), 0, 0});
    if (bare_) {
      start_.frequencies = turns_.nominal;
      start_.phases.assign(turns_.pairs, 0);
      start_.middles.assign(turns_.pairs, 0);
      return;
    }
    weigh();
    draw();
    bound_lines();
  }
  SteadyFit judge() const;

 private:
  double entry(const Arithmetic& kind, double amplitude) const {
    return rounding_error(subject_.dtype, amplitude) + kind.value + 2 * v * amplitude;
  }
  double x_of(Index row, std::size_t j) const {
    return turns_.coordinate(row, j) - start_.middles[j];
  }
  double angle_of(Index row, std::size_t j) const {
    const double per_step = turns_.nominal.empty() ? std::fabs(start_.frequencies[j])
                                                   : std::max(std::fabs(start_.frequencies[j]),
                                                              std::fabs(turns_.nominal[j]));
    return per_step * std::fabs(turns_.coordinate(row, j));
  }
  bool is_blank(std::size_t j) const {  // a pair of zeros has no phase
    return start_.amplitudes[j] <= 4 * entry(kinds_.back(), 1e-3);
  }
  // Of a phase; asin(√2·e/A) ≤ 1.05·√2·e/A below 1/2.
  double phase_error(std::size_t k, std::size_t j, double angle) const {
    return 1.05 * root * bound(k, j).entry / start_.amplitudes[j] +
           (kinds_[k].angle(j) + 4 * v) * angle;
  }
  double weight(std::size_t j, double angle) const {
    const double beta = root * bound(loosest(), j).entry / start_.amplitudes[j] + u * angle;
    return 1 / (beta * beta);
  }
  void weigh();
  void draw();
  void bound_lines();
  Turn steady(double x, std::size_t j) const {
    const double from_middle = x - lines_[j].middle;
    return std::polar(start_.amplitudes[j], start_.frequencies[j] * x + start_.phases[j] +
                                                lines_[j].level + lines_[j].slope * from_middle);
  }
  // Of an arithmetic and a pair: what an entry may be off by, and the line's level and slope.
  struct Bound {
    double entry, level, slope;
  };
  const Bound& bound(std::size_t k, std::size_t j) const { return bounds_[k * turns_.pairs + j]; }
  std::size_t loosest() const { return kinds_.size() - 1; }
  // Where a turn stands.
  struct Standing {
    Index row;
    std::size_t pair;
    double x, angle;
  };
  // The turn's own error, and that of the steady one.
  std::pair<double, double> errors(std::size_t k, const Standing& at) const;
  double leverage(const Standing& at) const;
  std::string far_from_zero() const;
  template <typename Visit>
  void scan(Visit visit) const;

  const SeenTurns& turns_;
  const Case& subject_;
  bool still_, bare_ = false;
  std::vector<Arithmetic> kinds_;
  SteadyStart start_;
  std::vector<Line> lines_;
  std::vector<Bound> bounds_;  // [arithmetic, pair]
};

// Visits of one pair come row after row; those of several pairs side by side.
template <typename Visit>
void Fit::scan(Visit visit) const {
  const auto block = std::max<Index>(1, (Index{1} << 16) / static_cast<Index>(turns_.pairs));
  std::vector<Turn> seen(static_cast<std::size_t>(block) * turns_.pairs);
  for (Index first = 0; first < turns_.rows; first += block) {
    const Index count = std::min(block, turns_.rows - first);
    turns_.read(first, count, seen.data());
    const bool little = static_cast<std::size_t>(count) * turns_.pairs < (std::size_t{1} << 14);
    const std::size_t team = little ? 1 : std::min(team_size(0), turns_.pairs);
    side_by_side(team, [&](std::size_t member) {
      const std::size_t from = turns_.pairs * member / team,
                        to = turns_.pairs * (member + 1) / team;
      for (Index i = 0; i < count; ++i)
        for (std::size_t j = from; j < to; ++j)
          visit(first + i, j, seen[static_cast<std::size_t>(i) * turns_.pairs + j]);
    });
  }
}

void Fit::weigh() {
  for (std::size_t j = 0; j < turns_.pairs; ++j) {
    if (is_blank(j)) continue;
    Line& line = lines_[j];
    for (Index row = 0; row < turns_.rows; ++row) {
      const double w = weight(j, angle_of(row, j));
      line.s0 += w;
      line.s1 += w * x_of(row, j);
    }
    line.middle = still_ ? 0 : line.s1 / line.s0;
    for (Index row = 0; row < turns_.rows; ++row) {
      const double angle = angle_of(row, j), w = weight(j, angle),
                   x = std::fabs(x_of(row, j) - line.middle);
      line.s2 += w * x * x;
      line.flat += w;
      line.flat_angle += w * angle;
      line.slant += w * x;
      line.slant_angle += w * x * angle;
    }
  }
}

// Phases far off the beginning's line are no errors of any arithmetic and are left out, unless they
// are the most: sound turns all stay.
void Fit::draw() {
  struct Sums {
    double w = 0, x = 0, xx = 0, r = 0, xr = 0;
    Index count = 0;
    void add(double weight, double at, double rest) {
      w += weight;
      x += weight * at;
      xx += weight * at * at;
      r += weight * rest;
      xr += weight * at * rest;
      ++count;
    }
  };
  std::vector<std::array<Sums, 2>> sums(turns_.pairs);
  scan([&](Index row, std::size_t j, Turn turn) {
    if (is_blank(j) || !std::isfinite(turn.real()) || !std::isfinite(turn.imag()) ||
        turn == Turn(0))
      return;
    const double angle = angle_of(row, j), from_start = x_of(row, j),
                 x = from_start - lines_[j].middle;
    const double rest =
        std::arg(turn * std::polar(1.0, -start_.frequencies[j] * from_start - start_.phases[j]));
    const double w = weight(j, angle);
    sums[j][0].add(w, x, rest);
    const double usual =
        start_.nominal[j] ? subject_.foreign->angle(subject_.positions.at(row), j) : 0;
    if (std::fabs(rest) <= 8 * phase_error(loosest(), j, angle) + usual) sums[j][1].add(w, x, rest);
  });
  for (std::size_t j = 0; j < turns_.pairs; ++j) {
    const Sums& s = 2 * sums[j][1].count >= sums[j][0].count ? sums[j][1] : sums[j][0];
    Line& line = lines_[j];
    if (s.count == 0) continue;
    const double d = s.w * s.xx - s.x * s.x;
    if (still_) {
      line.slope = s.xx > 0 ? s.xr / s.xx : 0;
    } else if (s.count > 1 && d > 0) {
      line.slope = (s.w * s.xr - s.x * s.r) / d;
      line.level = (s.r - line.slope * s.x) / s.w;
    } else {
      line.level = s.r / s.w;
    }
  }
}

void Fit::bound_lines() {
  for (std::size_t k = 0; k < kinds_.size(); ++k)
    for (std::size_t j = 0; j < turns_.pairs; ++j) {
      if (is_blank(j)) continue;
      Bound& bound = bounds_[k * turns_.pairs + j];
      const Line& line = lines_[j];
      const double flat = 1.05 * root * bound.entry / start_.amplitudes[j],
                   relative = kinds_[k].angle(j) + 4 * v;
      bound.level = still_ ? 0 : (flat * line.flat + relative * line.flat_angle) / line.s0;
      bound.slope = line.s2 > 0 ? (flat * line.slant + relative * line.slant_angle) / line.s2 : 0;
    }
}

std::pair<double, double> Fit::errors(std::size_t k, const Standing& at) const {
  const std::size_t j = at.pair;
  const double a = start_.amplitudes[j], e = bound(k, j).entry;
  if (bare_) return {root * e + a * subject_.foreign->angle(subject_.positions.at(at.row), j), 0};
  const double own = root * e + a * (kinds_[k].angle(j) + 4 * v) * at.angle;
  if (is_blank(j)) return {own, root * e};
  const double x = std::fabs(at.x - lines_[j].middle);
  return {own, a * (bound(k, j).level + bound(k, j).slope * x) + (start_.own[j] ? root * e : 0)};
}

double Fit::leverage(const Standing& at) const {
  const std::size_t j = at.pair;
  if (bare_ || is_blank(j)) return 0;
  const Line& line = lines_[j];
  const double x = at.x - line.middle, w = weight(j, at.angle);
  return w * ((still_ ? 0 : 1 / line.s0) + (line.s2 > 0 ? x * x / line.s2 : 0));
}

// A frequency read off n rows is off by about 2β/n, and at a position beyond n/2β that is a whole
// turn: any phase there is that of some frequency.
std::string Fit::far_from_zero() const {
  if (!still_ || bare_) return "";
  for (std::size_t j = 0; j < turns_.pairs; ++j) {
    if (start_.nominal[j] || is_blank(j)) continue;
    const double x = std::fabs(turns_.coordinate(0, j));
    if (2 * phase_error(loosest(), j, angle_of(0, j)) * x > static_cast<double>(turns_.rows))
      return fmt::format(
          "pair {} does not turn by the frequency that is meant, and {} rows at position {:.9g} do "
          "not tell which other one it has",
          j, turns_.rows, x);
  }
  return "";
}

// Which arithmetic a pair's turns show: the closest whose errors hold all but one of them, or one
// in a thousand; else the closest that holds most. A fault of one cell, or of a row, so leaves the
// bound that it breaks as tight as it was.
SteadyFit Fit::judge() const {
  struct Tally {
    Index outside = 0, beyond = 0;
    double share = -1;
    SteadyPlace worst;
    // The least change that is seen where it is seen least, what the turn's own error is there, and
    // where; and the same of places where it would draw so much of the line after it that the
    // arithmetic before this one no longer holds.
    struct Change {
      double size = 0, own = 0;
      Index row = 0;
      void add(double other, double own_error, Index at) {
        if (other > size) *this = {other, own_error, at};
      }
    } change, drawn;
  };
  const std::size_t kinds = bare_ ? 1 : kinds_.size();
  std::vector<std::vector<Tally>> tallies(turns_.pairs, std::vector<Tally>(kinds));
  scan([&](Index row, std::size_t j, Turn turn) {
    const Standing at{row, j, x_of(row, j), angle_of(row, j)};
    const double distance = std::abs(turn - (is_blank(j) ? Turn(0) : steady(at.x, j)));
    const double off = std::isnan(distance) ? HUGE_VAL : distance;
    const double free = 1 - leverage(at);
    bool draws_others = false;  // under the arithmetic before
    for (std::size_t k = 0; k < kinds; ++k) {
      const auto [own, line] = errors(bare_ ? this->loosest() : k, at);
      Tally& tally = tallies[j][k];
      const double allowed = own + line, share = off / allowed;
      tally.outside += !(off <= own);
      tally.beyond += !(off <= allowed);
      if (share > tally.share) {
        tally.share = share;
        tally.worst = {distance, allowed, row, j};
      }
      const double change = free > 0.05 ? (allowed + std::min(off, allowed)) / free : HUGE_VAL;
      constexpr double spare = 0.1;  // of a turn's own error, that others have left
      if (draws_others) tally.drawn.add(change, own, row);
      draws_others = k + 1 < kinds && (1 - free) * change > spare * own;
      if (!draws_others) tally.change.add(change, own, row);
    }
  });
  SteadyFit result;
  result.untold = far_from_zero();
  std::size_t loosest = 0;
  for (std::size_t j = 0; j < turns_.pairs; ++j) {
    std::size_t k = 0;
    const auto within = [&](Index most) {
      for (k = 0; k < kinds; ++k)
        if (tallies[j][k].outside <= most) return true;
      return false;
    };
    const Index most = 1 + turns_.rows / 1000;
    // One cell more may be what the arithmetic no longer holds.
    if (!within(most - 1)) k = kinds - 1;
    auto seen_least = tallies[j][k].change;
    if (k + 1 < kinds && tallies[j][k + 1].drawn.size > seen_least.size)
      seen_least = tallies[j][k + 1].drawn;
    if (!within(most) && !within(turns_.rows / 2)) k = kinds - 1;
    const Tally& tally = tallies[j][k];
    loosest = std::max(loosest, k);
    result.pairs.push_back(
        {tally.worst,
         tally.share,
         {seen_least.size, fmt::format("{}, {:.3g} roundings of the arithmetic there",
                                       spell_place(turns_, subject_, seen_least.row, j),
                                       seen_least.size * root / seen_least.own)},
         tally.beyond});
  }
  const double e = entry(kinds_[bare_ ? kinds_.size() - 1 : loosest],
                         *std::ranges::max_element(start_.amplitudes));
  if (bare_) {
    result.bound_from = fmt::format(
        "√2·e, e = {:.3g}{}, and the angle's error in float32: too few rows to tell the file's own "
        "frequencies, so those meant are taken",
        e, spell_entry_error(subject_));
    return result;
  }
  result.bound_from = fmt::format(
      "√2·e, e = {:.3g}{}, {}, and what both may do to a line through the phases; a frequency{} "
      "for "
      "each pair fitted to its turns, the arithmetic the closest that holds all but one in a "
      "thousand",
      e, spell_entry_error(subject_), kinds_[loosest].name, still_ ? "" : " and a phase");
  return result;
}

}  // namespace

SteadyFit fit_steady(const SeenTurns& turns, const Case& subject, bool still) {
  return Fit(turns, subject, still).judge();
}

}  // namespace pe::laws
