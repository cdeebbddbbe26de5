// One pass in blocks, each thread a part of the rows: observed turns, exact ones, their difference
// and its bound.
#include "pe/diagnosis/rotations/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <thread>

#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/team.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, fine = 0x1p-53;

// Exact turns of a run of rows, [row, pair] each, in double and rounded to the file's type and
// widened again.
struct Exact {
  std::vector<double> cosine, sine, rounded_cosine, rounded_sine;
};

class Oracle {
 public:
  Oracle(Kept<RotationObservation> observation, Kept<Effect> effect)
      : observation_(observation),
        rotation_(std::get_if<Rotation>(&effect.get())),
        table_(std::get_if<Table>(&effect.get())) {}

  void fill(Index first, Index count, Exact& exact) const {
    const auto size = static_cast<std::size_t>(count) * observation_.pairs();
    for (auto* side : {&exact.cosine, &exact.sine, &exact.rounded_cosine, &exact.rounded_sine})
      side->resize(size);
    const bool angles = observation_.reading().form == RotationReading::Form::angles;
    if (angles || observation_.reading().run > 0) {  // in double
      const RotationHypothesis truth = observation_.start();
      for (Index r = 0; r < count; ++r)
        for (std::size_t j = 0; j < observation_.pairs(); ++j) {
          const std::size_t at = static_cast<std::size_t>(r) * observation_.pairs() + j;
          const double position = truth.position(first + r, truth.axis.empty() ? 0 : truth.axis[j]),
                       angle = position * truth.frequencies[j],
                       scale = truth.scale ? scale_at(truth, position, j).scale : 1;
          exact.cosine[at] = angles ? angle : scale * truth.cosine_magnitude * std::cos(angle);
          exact.sine[at] = angles ? angle : scale * truth.sine_magnitude * std::sin(angle);
        }
      exact.rounded_cosine = exact.cosine;
      exact.rounded_sine = exact.sine;
      if (observation_.reading().form != RotationReading::Form::vectors)
        for (auto* side : {&exact.rounded_cosine, &exact.rounded_sine})
          for (double& value : *side) value = rounded(value, observation_.dtype());
      return;
    }
    turns(first, count, DType::f64, exact.cosine, exact.sine);
    if (observation_.dtype() == DType::f64) {
      exact.rounded_cosine = exact.cosine;
      exact.rounded_sine = exact.sine;
    } else {
      turns(first, count, observation_.dtype(), exact.rounded_cosine, exact.rounded_sine);
    }
  }

 private:
  void turns(Index first, Index count, DType type, std::vector<double>& cosine,
             std::vector<double>& sine) const {
    const PositionRange positions{
        observation_.expected().position(first) + observation_.truth().shift,
        observation_.expected().step, count, 0};
    const std::size_t size = cosine.size(), bytes = size * size_of(type);
    if (rotation_) {
      std::vector<std::byte> c(bytes), s(bytes);
      rotation_->fill(positions, type, c.data(), s.data());
      widen(c.data(), type, cosine);
      widen(s.data(), type, sine);
      return;
    }
    const Index n = static_cast<Index>(observation_.pairs());
    if (const RotationTruth& truth = observation_.truth(); !truth.cosine_columns.empty()) {
      std::vector<std::byte> rows(static_cast<std::size_t>(count * table_->width) * size_of(type));
      table_->fill(positions, type, rows.data());
      std::vector<double> wide(static_cast<std::size_t>(count * table_->width));
      widen(rows.data(), type, wide);
      for (Index r = 0; r < count; ++r)
        for (std::size_t j = 0; j < observation_.pairs(); ++j) {
          const double* row = wide.data() + r * table_->width;
          cosine[static_cast<std::size_t>(r * n) + j] = row[truth.cosine_columns[j]];
          sine[static_cast<std::size_t>(r * n) + j] = row[truth.sine_columns[j]];
        }
      return;
    }
    std::vector<std::byte> both(2 * bytes);
    table_->waves->first.fill(
        positions, {.width = 2 * n, .sine = Place{n, 1}, .cosine = Place{0, 1}}, type, both.data());
    std::vector<double> wide(2 * size);
    widen(both.data(), type, wide);
    for (Index r = 0; r < count; ++r) {
      std::copy_n(wide.begin() + r * 2 * n, n, cosine.begin() + r * n);
      std::copy_n(wide.begin() + r * 2 * n + n, n, sine.begin() + r * n);
    }
  }

  const RotationObservation& observation_;
  const Rotation* rotation_;
  const Table* table_;
};

// What one thread has seen.
struct Part {
  RotationResiduals residuals;
  std::array<double, 64>
      curve;  // worst error by the number of the position's binary digits; below 0: none was seen
  Index worst_row = -1;
  Index worst_pair = 0;
  bool worst_sine = false;

  Part() { curve.fill(-1); }
};

// Rows of turns straight from the arrays: angles as they stand.
void read_raw_rows(const Dump& dump, const RotationReading& reading, Index first, Index count,
                   std::vector<double>& c, std::vector<double>& s, std::vector<double>& slack) {
  const auto size = static_cast<std::size_t>(count * reading.pairs);
  c.resize(size);
  s.resize(size);
  slack.resize(size);
  if (reading.form != RotationReading::Form::angles)
    return read_turns(dump, reading, first, count, c.data(), s.data(), slack.data());
  std::vector<double> row(static_cast<std::size_t>(count * reading.width));
  dump.arrays[reading.cosine.array].read(first * reading.width, count * reading.width, row.data());
  for (Index r = 0; r < count; ++r)
    for (Index j = 0; j < reading.pairs; ++j)
      c[static_cast<std::size_t>(r * reading.pairs + j)] =
          row[static_cast<std::size_t>(r * reading.width + reading.cosine.at(j))];
  s = c;
  std::ranges::fill(slack, 0.0);
}

void suspect(RotationResiduals& residuals, Index row) {
  if ((residuals.suspects.size() < 6 || row % 509 == 0) && residuals.suspects.size() < 24)
    residuals.suspects.push_back(row);
}

void keep(Part& part, const RotationObservation& observation, Index row, double worst) {
  double& bin = part.curve[static_cast<std::size_t>(
      std::bit_width(static_cast<std::uint64_t>(observation.slot(row))))];
  bin = std::max(bin, worst);
}

// One row of turns beside the exact ones.
struct Line {
  const double *cosine, *sine, *exact_cosine, *exact_sine, *rounded_cosine, *rounded_sine, *shift,
      *per_radian, *per_fine;
  std::size_t pairs;
};

// The exact turn carried on by a small angle, within 2^−40 below 1/4.
struct Turned {
  double cosine, sine;
};
Turned carried(double cosine, double sine, double by) {
  const double square = by * by;
  const double s = by *
                   (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))),
               c = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)));
  return {cosine * c - sine * s, sine * c + cosine * s};
}

struct Glance {
  Index rounded_otherwise = 0, beyond = 0,
        coarse = 0;  // beyond: the bound; coarse: that of angles in double
  double worst = 0, ulps = 0;
};

// Without a branch, so that several values are looked at in one step. What is no number is beyond
// every bound, and its ulps are lost.
Glance glance_at(const Line& line, double position, double amplitude, double constant,
                 double constant_fine, const Spacing& spacing, double roundings) {
  Glance glance;
  const double along = amplitude * position;
  for (std::size_t j = 0; j < line.pairs; ++j) {
    const double bound = along * line.per_radian[j] + constant,
                 finer = along * line.per_fine[j] + constant_fine;
    const double off_cosine = std::fabs(line.cosine[j] - line.exact_cosine[j]),
                 off_sine = std::fabs(line.sine[j] - line.exact_sine[j]);
    const Turned own = carried(line.exact_cosine[j], line.exact_sine[j], line.shift[j]);
    glance.beyond +=
        !(std::fabs(line.cosine[j] - own.cosine) <=
          bound + roundings * spacing.at(own.cosine) / 2) +
        !(std::fabs(line.sine[j] - own.sine) <= bound + roundings * spacing.at(own.sine) / 2);
    glance.coarse += !(off_cosine <= finer + spacing.at(line.exact_cosine[j]) / 2) +
                     !(off_sine <= finer + spacing.at(line.exact_sine[j]) / 2);
    glance.worst = std::max({glance.worst, off_cosine, off_sine});
  }
  for (std::size_t j = 0; j < line.pairs; ++j)
    glance.rounded_otherwise +=
        (line.cosine[j] != line.rounded_cosine[j]) + (line.sine[j] != line.rounded_sine[j]);
  if (glance.rounded_otherwise == 0) return glance;
  const auto ulps = [&](double got, double round) {
    return std::fabs(got - round) / spacing.at(std::max(std::fabs(got), std::fabs(round)));
  };
  for (std::size_t j = 0; j < line.pairs; ++j)
    glance.ulps = std::max({glance.ulps, ulps(line.cosine[j], line.rounded_cosine[j]),
                            ulps(line.sine[j], line.rounded_sine[j])});
  return glance;
}

bool all_finite(const double* values, std::size_t count) {
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i)
    finite += std::fabs(values[i]) <= std::numeric_limits<double>::max();
  return finite == count;
}

// Channels that do not turn are passed through, bit for bit: those that are not.
struct RestCell {
  Index row, channel;
  double before, after;
};
std::vector<RestCell> changed_rest(const Dump& dump, const RotationReading& reading, Index first,
                                   Index count) {
  const Index turning = 2 * reading.pairs, width = reading.width;
  std::vector<RestCell> changed;
  if (reading.form != RotationReading::Form::vectors || turning >= width) return changed;
  std::vector<double> before(static_cast<std::size_t>(count * width)), after = before;
  dump.before[0].read(first * width, count * width, before.data());
  dump.arrays[0].read(first * width, count * width, after.data());
  for (Index r = 0; r < count; ++r)
    for (Index k = turning; k < width; ++k) {
      const auto at = static_cast<std::size_t>(r * width + k);
      if (after[at] != before[at] && !(std::isnan(after[at]) && std::isnan(before[at])))
        changed.push_back({first + r, k, before[at], after[at]});
    }
  return changed;
}

void look_at_rest(const RotationObservation& observation, const Dump& dump, Index first,
                  Index count, RotationResiduals& residuals) {
  const RotationReading& reading = observation.reading();
  if (reading.form == RotationReading::Form::vectors)
    residuals.cells += count * (reading.width - 2 * reading.pairs);
  for (const RestCell& cell : changed_rest(dump, reading, first, count)) {
    ++residuals.beyond;
    suspect(residuals, cell.row);
    const std::string row = spell_place(observation, cell.row, 0, false);
    if (!residuals.first_wrong)
      residuals.first_wrong =
          Cell{fmt::format("{}, channel {}", row.substr(0, row.find(", pair")), cell.channel),
               cell.before, cell.after};
  }
}

void look(const RotationObservation& observation, const Dump& dump, const Oracle& oracle,
          const AngleModel* own, Index first, Index count, Part& part, Exact& exact) {
  const RotationReading& reading = observation.reading();
  const std::size_t n = observation.pairs();
  const bool vectors = reading.form == RotationReading::Form::vectors,
             angles = reading.form == RotationReading::Form::angles;
  std::vector<double> c, s, slack, c2, s2;
  read_raw_rows(dump, reading, first, count, c, s, slack);
  if (reading.cosine_copy) {
    c2.resize(c.size());
    s2.resize(c.size());
    std::vector<double> unused(c.size());
    read_turns(dump, reading, first, count, c2.data(), s2.data(), unused.data(), true);
    if (angles)
      for (std::size_t i = 0; i < c.size(); ++i) {
        c2[i] = c2[i] == std::cos(c[i]) && s2[i] == std::sin(c[i]) ? c[i] : std::nan("");
        s2[i] = c2[i];
      }
  }
  oracle.fill(first, count, exact);
  // The side that is not there has nothing against it.
  if (!observation.has_cosine()) c = c2 = exact.rounded_cosine = exact.cosine;
  if (!observation.has_sine()) s = s2 = exact.rounded_sine = exact.sine;
  if (!reading.cosine_copy) c2 = s2 = {};
  RotationResiduals& residuals = part.residuals;
  look_at_rest(observation, dump, first, count, residuals);
  const std::vector<double>& growth = observation.truth().growth;
  const double amplitude = angles ? 0 : std::max(observation.truth().magnitude, 1e-300),
               file = unit_roundoff(observation.dtype());
  const RotationHypothesis start = observation.start();
  const std::vector<double>& f = observation.truth().frequencies;
  const Spacing spacing(observation.dtype());
  const double roundings =
      angles ? 1 : roundings_to(unit_roundoff(observation.dtype()), observation.truth().magnitude);
  std::vector<double> per_radian(n), per_fine(n), shift(n), places(n);
  for (std::size_t j = 0; j < n; ++j) {
    per_radian[j] = (own ? own->per_radian(j) : growth[j] * unit) * std::fabs(f[j]);
    per_fine[j] = growth[j] * fine * std::fabs(f[j]);
  }
  for (Index r = 0; r < count; ++r) {
    double worst = 0;
    bool bad = false, copies = true;
    const double p0 = start.position(first + r, 0);
    const std::size_t at_row = static_cast<std::size_t>(r) * n;
    if (own && start.axis.empty()) {
      own->shifts(p0, shift.data());
    } else if (own) {
      for (std::size_t j = 0; j < n; ++j) places[j] = start.position(first + r, start.axis[j]);
      own->shifts(places.data(), shift.data());
    }
    const bool repeats = c2.empty() || (std::equal(&c[at_row], &c[at_row] + n, &c2[at_row]) &&
                                        std::equal(&s[at_row], &s[at_row] + n, &s2[at_row]));
    if (!angles && !vectors && repeats && start.axis.empty()) {
      // Most rows hold nothing to be named: no worst value, not the first one wrong, no number that
      // is none.
      const Glance glance = glance_at(
          {&c[at_row], &s[at_row], &exact.cosine[at_row], &exact.sine[at_row],
           &exact.rounded_cosine[at_row], &exact.rounded_sine[at_row], shift.data(),
           per_radian.data(), per_fine.data(), n},
          std::fabs(p0), amplitude, amplitude * 3 * unit, amplitude * 3 * fine, spacing, roundings);
      const bool named =
          part.worst_row < 0 || glance.worst > residuals.worst ||
          (glance.beyond > 0 &&
           (!residuals.first_wrong || !all_finite(&c[at_row], n) || !all_finite(&s[at_row], n)));
      if (!named) {
        residuals.cells += static_cast<Index>(2 * n);
        residuals.rounded_otherwise += glance.rounded_otherwise;
        residuals.ulps = std::max(residuals.ulps, glance.ulps);
        if (glance.coarse > 0) residuals.in_double = false;
        residuals.beyond += glance.beyond;
        if (glance.beyond > 0) suspect(residuals, first + r);
        keep(part, observation, first + r, glance.worst);
        continue;
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = static_cast<std::size_t>(r) * n + j;
      if (!c2.empty() && (c2[at] != c[at] || s2[at] != s[at]) &&
          !(std::isnan(c[at]) && std::isnan(c2[at])))
        copies = false;
      const double p = start.axis.empty() ? p0 : start.position(first + r, start.axis[j]),
                   angle = std::fabs(p * f[j]);
      const ScaleAt grown = start.scale ? scale_at(start, p, j) : ScaleAt{};
      const double scale = angles ? angle : amplitude * grown.scale;
      const double unknown = own ? own->per_radian(j) : growth[j] * unit;
      const Turned turned = angles ? Turned{exact.cosine[at] + shift[j], exact.sine[at] + shift[j]}
                                   : carried(exact.cosine[at], exact.sine[at], shift[j]);
      const double allowed = angles
                                 ? angle * unknown + std::max(angle * file, spacing.at(angle) / 2)
                                 : scale * (unknown * angle + (3 + grown.units) * unit) + slack[at];
      const double finer = angles ? angle * growth[j] * fine
                                  : scale * (growth[j] * fine * angle + 3 * fine) + slack[at];
      for (const bool sine : {false, true}) {
        if (sine && angles) continue;
        const double got = sine ? s[at] : c[at], want = sine ? exact.sine[at] : exact.cosine[at],
                     round = sine ? exact.rounded_sine[at] : exact.rounded_cosine[at];
        ++residuals.cells;
        if (std::isinf(slack[at])) continue;
        const double off = std::fabs(got - want), carried_to = sine ? turned.sine : turned.cosine,
                     bound = allowed + (angles    ? 0
                                        : vectors ? scale * file
                                                  : roundings * spacing.at(carried_to) / 2);
        if (!vectors && got != round) {
          ++residuals.rounded_otherwise;
          const double ulps =
              std::fabs(got - round) /
              (std::isfinite(got) ? std::max(spacing.at(round), spacing.at(got)) : 1);
          if (!(ulps <= residuals.ulps)) residuals.ulps = ulps;
        }
        if (!std::isfinite(got)) {
          if (residuals.not_finite++ == 0)
            residuals.first_not_finite =
                Cell{spell_place(observation, first + r, static_cast<Index>(j), sine), want, got};
          bad = true;
          continue;
        }
        if (residuals.in_double && !(off <= finer + spacing.at(want) / 2))
          residuals.in_double = false;
        if (!(std::fabs(got - carried_to) <= bound)) {
          bad = true;
          ++residuals.beyond;
          if (!residuals.first_wrong)
            residuals.first_wrong =
                Cell{spell_place(observation, first + r, static_cast<Index>(j), sine), want, got};
        }
        worst = std::max(worst, off);
        if (part.worst_row < 0 || off > residuals.worst) {
          residuals.worst = off;
          residuals.bound = bound + std::fabs(carried_to - want);
          residuals.worst_cell = {"", want, got};
          part.worst_row = first + r;
          part.worst_pair = static_cast<Index>(j);
          part.worst_sine = sine;
        }
      }
    }
    if (!copies && residuals.copies_differ++ == 0) residuals.first_copy = first + r;
    for (std::size_t j = 0; !copies && j < n; ++j)
      residuals.copy_cells += (c2[at_row + j] != c[at_row + j]) + (s2[at_row + j] != s[at_row + j]);
    if (bad) suspect(residuals, first + r);
    keep(part, observation, first + r, worst);
  }
}

void merge(RotationResiduals& into, const Part& part) {
  const RotationResiduals& from = part.residuals;
  into.cells += from.cells;
  into.rounded_otherwise += from.rounded_otherwise;
  into.not_finite += from.not_finite;
  into.copies_differ += from.copies_differ;
  into.copy_cells += from.copy_cells;
  into.beyond += from.beyond;
  into.in_double = into.in_double && from.in_double;
  into.ulps = std::max(into.ulps, from.ulps);
  if (!into.first_wrong) into.first_wrong = from.first_wrong;
  if (!into.first_not_finite) into.first_not_finite = from.first_not_finite;
  if (into.first_copy < 0) into.first_copy = from.first_copy;
  if (into.worst_cell.place.empty() || from.worst > into.worst) {
    into.worst = from.worst;
    into.bound = from.bound;
    into.worst_cell = from.worst_cell;
  }
  into.suspects.insert(into.suspects.end(), from.suspects.begin(), from.suspects.end());
}

// One point for each doubling of the position.
std::vector<Diagnosis::Point> curve_of(const RotationObservation& observation,
                                       const std::vector<Part>& parts) {
  std::vector<Diagnosis::Point> curve;
  std::array<double, 64> worst = parts.front().curve;
  for (const Part& part : parts)
    for (std::size_t i = 0; i < worst.size(); ++i) worst[i] = std::max(worst[i], part.curve[i]);
  for (std::size_t i = 0; i < worst.size(); ++i)
    if (worst[i] >= 0)
      curve.push_back({observation.expected().position(std::min<std::int64_t>(
                           i == 0 ? 0 : (std::int64_t{1} << i) - 1, observation.slots() - 1)),
                       worst[i]});
  return curve;
}

// Runs `work(part, first, count)` over all rows in blocks, each thread a contiguous part.
template <typename Work>
void in_blocks(Index rows, Index block, std::size_t threads, Work work) {
  std::vector<std::exception_ptr> faults(threads);
  side_by_side(threads, [&](std::size_t t) {
    try {
      const Index from = rows * static_cast<Index>(t) / static_cast<Index>(threads),
                  to = rows * static_cast<Index>(t + 1) / static_cast<Index>(threads);
      for (Index first = from; first < to; first += block)
        work(t, first, std::min(block, to - first));
    } catch (...) {
      faults[t] = std::current_exception();
    }
  });
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
}

std::size_t threads_for(const RotationReading& reading) {
  return reading.rows * reading.pairs < 1 << 16
             ? 1
             : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

Index block_of(const RotationReading& reading) {
  return std::max<Index>(1, (1 << 16) / std::max<Index>(1, reading.pairs));
}

}  // namespace

std::string spell_place(const RotationObservation& observation, Index row, Index pair, bool sine) {
  const RotationReading& reading = observation.reading();
  std::string place;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1)
      place += fmt::format("{} {}, ", name_of_axis(reading, axis), reading.along(row, axis));
  place += fmt::format("position {}, pair {}, {}",
                       observation.expected().position(observation.slot(row)), pair,
                       reading.form == RotationReading::Form::angles ? "angle"
                       : sine                                        ? "sin"
                                                                     : "cos");
  return reading.run > 0 && reading.rows != reading.run && reading.extents.empty()
             ? fmt::format("row {}, {}", row, place)
             : place;
}

RotationResiduals residuals_from_truth(const RotationObservation& observation, const Dump& dump,
                                       const Effect& effect) {
  const RotationReading& reading = observation.reading();
  const std::size_t threads = threads_for(reading);
  std::vector<Part> parts(threads);
  const Oracle oracle(observation, effect);
  std::vector<Exact> exact(threads);
  const auto own = observation.angles(observation.start());
  in_blocks(reading.rows, block_of(reading), threads, [&](std::size_t t, Index first, Index count) {
    look(observation, dump, oracle, own ? &*own : nullptr, first, count, parts[t], exact[t]);
  });
  RotationResiduals residuals;
  for (Part& part : parts) {
    if (part.worst_row >= 0)
      part.residuals.worst_cell.place =
          spell_place(observation, part.worst_row, part.worst_pair, part.worst_sine);
    merge(residuals, part);
    if (part.worst_row >= 0 && part.residuals.worst > part.residuals.bound)
      residuals.suspects.push_back(part.worst_row);
  }
  residuals.curve = curve_of(observation, parts);
  if (own) residuals.angles = own->describe();
  if (reading.is_one_sided()) residuals.cells /= 2;
  return residuals;
}

std::vector<Index> disagreeing_rows(const RotationObservation& observation, const Dump& dump,
                                    const RotationHypothesis& hypothesis, bool copy) {
  const RotationReading& reading = observation.reading();
  const std::size_t threads = threads_for(reading);
  std::vector<std::vector<Index>> found(threads);
  const auto own = observation.angles(hypothesis);
  const RotationPrediction prediction =
      own ? RotationPrediction(hypothesis, *own, observation.dtype(), observation.has_values())
          : RotationPrediction(hypothesis, observation.truth().growth, unit,
                               unit_roundoff(observation.dtype()));
  in_blocks(reading.rows, block_of(reading), threads, [&](std::size_t t, Index first, Index count) {
    if (found[t].size() >= 8) return;
    for (const RestCell& cell : changed_rest(dump, reading, first, count))
      if (found[t].size() < 8 && (found[t].empty() || found[t].back() != cell.row))
        found[t].push_back(cell.row);
    const auto size = static_cast<std::size_t>(count * reading.pairs);
    std::vector<double> c(size), s(size), slack(size), pc(observation.pairs()),
        ps(observation.pairs()), bound(observation.pairs());
    read_turns(dump, reading, first, count, c.data(), s.data(), slack.data(), copy);
    for (Index r = 0; r < count && found[t].size() < 8; ++r) {
      prediction.row(first + r, pc.data(), ps.data(), bound.data());
      for (std::size_t j = 0; j < observation.pairs(); ++j) {
        const std::size_t at = static_cast<std::size_t>(r) * observation.pairs() + j;
        const double allowed = bound[j] + slack[at];
        if (!observation.has_cosine()) c[at] = pc[j];
        if (!observation.has_sine()) s[at] = ps[j];
        if (std::isinf(allowed) ||
            (std::fabs(c[at] - pc[j]) <= allowed + prediction.rounding(pc[j]) &&
             std::fabs(s[at] - ps[j]) <= allowed + prediction.rounding(ps[j])))
          continue;
        found[t].push_back(first + r);
        break;
      }
    }
  });
  std::vector<Index> rows;
  for (const auto& part : found) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace pe
