// One pass in blocks, each thread a part of the rows: observed turns, exact ones, their difference
// and its bound.
#include "pe/diagnosis/rotations/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>

#include "pe/diagnosis/rotations/blocks.hpp"
#include "pe/diagnosis/rotations/exact.hpp"
#include "pe/diagnosis/rotations/glance.hpp"
#include "pe/diagnosis/rotations/rest.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, fine = 0x1p-53;

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
  read_turns(dump, reading, first, count, c.data(), s.data(), slack.data());
  if (reading.form != RotationReading::Form::angles) return;
  std::vector<double> row(static_cast<std::size_t>(count * reading.width));
  dump.arrays[reading.cosine.array].read(first * reading.width, count * reading.width, row.data());
  for (Index r = 0; r < count; ++r)
    for (Index j = 0; j < reading.pairs; ++j)
      c[static_cast<std::size_t>(r * reading.pairs + j)] =
          row[static_cast<std::size_t>(r * reading.width + reading.cosine.at(j))];
  s = c;
  for (double& one : slack) one = std::isinf(one) ? one : 0;
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

bool all_finite(const double* values, std::size_t count) {
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i)
    finite += std::fabs(values[i]) <= std::numeric_limits<double>::max();
  return finite == count;
}

void look_at_rest(const RotationObservation& observation, const Dump& dump, Index first,
                  Index count, RotationResiduals& residuals) {
  const RotationReading& reading = observation.reading();
  if (reading.is_vectors()) residuals.cells += count * (reading.width - 2 * reading.pairs);
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

// How far the row stands out on any axis.
double farthest_place(const RotationHypothesis& start, Index row) {
  double far = 0;
  for (std::size_t axis = 0; axis < start.axes(); ++axis)
    far = std::max(far, std::fabs(start.position(row, axis)));
  return far;
}

// Columns of a table that no pair has both sides of: zeros, or a side whose other was cut, whose
// float32 angles grow with the position as those of the pairs do.
void look_at_lone(const RotationObservation& observation, const Dump& dump, const ExactTruth& truth,
                  Index first, Index count, Part& part) {
  RotationResiduals& residuals = part.residuals;
  const std::vector<Index>& columns = observation.reading().lone;
  if (columns.empty() || columns.size() != observation.truth().lone.size()) return;
  const std::vector<double> meant = truth.lone(first, count);
  const Index width = observation.reading().width;
  const Spacing spacing(observation.dtype());
  std::vector<double> row(static_cast<std::size_t>(width));
  const double fastest = *std::ranges::max_element(observation.truth().frequencies),
               ulps = *std::ranges::max_element(observation.truth().growth);
  const RotationHypothesis start = observation.start();
  for (Index r = 0; r < count; ++r) {
    dump.arrays[observation.reading().cosine.array].read((first + r) * width, width, row.data());
    const double angle = farthest_place(start, first + r) * fastest;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double got = row[static_cast<std::size_t>(columns[k])],
                   want = meant[static_cast<std::size_t>(r) * columns.size() + k],
                   off = std::fabs(got - want),
                   bound = want == 0
                               ? 0
                               : std::min(1.0, (ulps * angle + 3) * 0x1p-24) + spacing.at(want);
      if (dump.has_gaps && !std::isfinite(got)) continue;
      ++residuals.cells;
      if (got == want) continue;
      ++residuals.rounded_otherwise;
      residuals.ulps =
          std::max(residuals.ulps,
                   off / (std::isfinite(got) ? std::max(spacing.at(want), spacing.at(got)) : 1));
      const std::string at = spell_place(observation, first + r, 0, false),
                        place = fmt::format("{}, column {}", at.substr(0, at.find(", pair")),
                                            columns[k]);
      if (part.worst_row < 0 || off > residuals.worst) {
        residuals.worst = off;
        residuals.bound = bound;
        residuals.worst_cell = {place, want, got};
        part.worst_row = first + r;
      }
      keep(part, observation, first + r, off);
      if (off <= bound) continue;
      ++residuals.beyond;
      suspect(residuals, first + r);
      if (!residuals.first_wrong) residuals.first_wrong = Cell{place, want, got};
    }
  }
}

void look(const RotationObservation& observation, const Dump& dump, const ExactTruth& truth,
          const AngleModel* own, Index first, Index count, Part& part, ExactTruth::Rows& exact) {
  const RotationReading& reading = observation.reading();
  const std::size_t n = observation.pairs();
  const bool vectors = reading.is_vectors(), angles = reading.form == RotationReading::Form::angles;
  std::vector<double> c, s, slack, c2, s2;
  read_raw_rows(dump, reading, first, count, c, s, slack);
  if (reading.cosine_copy) {
    c2.resize(c.size());
    s2.resize(c.size());
    std::vector<double> second(c.size());
    read_turns(dump, reading, first, count, c2.data(), s2.data(), second.data(), true);
    if (angles)
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (c2[i] == std::cos(c[i]) && s2[i] == std::sin(c[i]))
          c2[i] = c[i];
        else if (std::isfinite(c2[i]))
          c2[i] = c[i] + 1;  // some other angle
        s2[i] = c2[i];
      }
    for (std::size_t i = 0; i < c.size(); ++i)
      if (std::isinf(second[i]) || std::isinf(slack[i])) {
        c2[i] = c[i];
        s2[i] = s[i];
      }
  }
  truth.fill(first, count, exact);
  // The side that is not there has nothing against it.
  if (!observation.has_cosine()) c = c2 = exact.rounded_cosine = exact.cosine;
  if (!observation.has_sine()) s = s2 = exact.rounded_sine = exact.sine;
  if (!reading.cosine_copy) c2 = s2 = {};
  RotationResiduals& residuals = part.residuals;
  look_at_rest(observation, dump, first, count, residuals);
  look_at_lone(observation, dump, truth, first, count, part);
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
    const bool all_held = !dump.has_gaps && reading.open.empty();
    if (!angles && !vectors && repeats && all_held && start.axis.empty() && !start.log_scale) {
      // Most rows hold nothing to be named: no worst value, not the first one wrong, no number that
      // is none.
      const RowTally glance =
          glance_at({&c[at_row], &s[at_row], &exact.cosine[at_row], &exact.sine[at_row],
                     &exact.rounded_cosine[at_row], &exact.rounded_sine[at_row], shift.data(),
                     per_radian.data(), per_fine.data(), f.data(), n},
                    std::fabs(p0), amplitude, spacing, roundings);
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
        if (glance.beyond > 0) {
          ++residuals.rows_beyond;
          suspect(residuals, first + r);
        }
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
      const ScaleAt grown = start.log_scale ? scale_at(start, p, j) : ScaleAt{};
      const double scale = angles ? angle : amplitude * grown.scale;
      const double unknown = own ? own->per_radian(j) : growth[j] * unit;
      const std::complex<double> turned =
          angles ? std::complex{exact.cosine[at] + shift[j], exact.sine[at] + shift[j]}
                 : carried(exact.cosine[at], exact.sine[at], shift[j]);
      const double allowed =
          angles ? angle * unknown + std::max(angle * file, spacing.at(angle) / 2)
                 : scale * (unknown * angle + (value_roundings(angle) + grown.units) * unit) +
                       slack[at];
      const double finer = angles ? angle * growth[j] * fine
                                  : scale * (growth[j] * fine * angle + 3 * fine) + slack[at];
      for (const bool sine : {false, true}) {
        if (sine && angles) continue;
        const double got = sine ? s[at] : c[at], want = sine ? exact.sine[at] : exact.cosine[at],
                     round = sine ? exact.rounded_sine[at] : exact.rounded_cosine[at];
        if (std::isinf(slack[at])) {
          residuals.unseen += !dump.has_gaps;
          continue;
        }
        ++residuals.cells;
        residuals.turning += f[j] != 0;
        const double off = std::fabs(got - want), carried_to = sine ? turned.imag() : turned.real(),
                     bound = allowed + (angles    ? 0
                                        : vectors ? scale * file
                                                  : spacing.rounding(carried_to, roundings));
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
      for (const auto& [one, copy, want, sine] :
           {std::tuple{c[at_row + j], c2[at_row + j], exact.cosine[at_row + j], false},
            {s[at_row + j], s2[at_row + j], exact.sine[at_row + j], true}})
        if (!(angles && sine) && !std::isfinite(copy) && std::isfinite(one) &&
            residuals.not_finite++ == 0)
          residuals.first_not_finite = Cell{
              spell_place(observation, first + r, static_cast<Index>(j), sine) + " (second column)",
              want, copy};
    for (std::size_t j = 0; !copies && j < n; ++j)
      residuals.copy_cells += (c2[at_row + j] != c[at_row + j]) + (s2[at_row + j] != s[at_row + j]);
    if (bad) {
      ++residuals.rows_beyond;
      suspect(residuals, first + r);
    }
    keep(part, observation, first + r, worst);
  }
}

void merge(RotationResiduals& into, const Part& part) {
  const RotationResiduals& from = part.residuals;
  into.cells += from.cells;
  into.unseen += from.unseen;
  into.turning += from.turning;
  into.rounded_otherwise += from.rounded_otherwise;
  into.not_finite += from.not_finite;
  into.copies_differ += from.copies_differ;
  into.copy_cells += from.copy_cells;
  into.beyond += from.beyond;
  into.rows_beyond += from.rows_beyond;
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
  const ExactTruth truth(observation, effect);
  std::vector<ExactTruth::Rows> exact(threads);
  // The file's own angles are read off a dump that is mostly right; of another they are none, and
  // would call what is right wrong.
  constexpr double mostly = 0.9;
  const auto own = observation.measure(observation.start()).share >= mostly
                       ? observation.angles(observation.start(), true)
                       : std::nullopt;
  in_blocks(reading.rows, block_of(reading), threads, [&](std::size_t t, Index first, Index count) {
    look(observation, dump, truth, own ? &*own : nullptr, first, count, parts[t], exact[t]);
  });
  RotationResiduals residuals;
  for (Part& part : parts) {
    if (part.worst_row >= 0 && part.residuals.worst_cell.place.empty())
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

}  // namespace pe
