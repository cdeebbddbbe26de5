// One pass in blocks, each thread a part of the rows: observed turns, exact ones, their difference
// and its bound.
#include "pe/diagnosis/rotations/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>

#include "pe/diagnosis/rotations/blocks.hpp"
#include "pe/diagnosis/rotations/exact.hpp"
#include "pe/diagnosis/rotations/glance.hpp"
#include "pe/diagnosis/rotations/turn_tally.hpp"
#include "pe/diagnosis/rotations/unpaired.hpp"

namespace pe {
namespace {

constexpr double unit = 0x1p-24, fine = 0x1p-53;

// Turns of a block of rows, and how far rounding may have moved either side; the second of two
// equal columns where there is one.
struct TurnColumns {
  std::vector<double> c, s, slack, c2, s2;
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

TurnColumns read_columns(const Dump& dump, const RotationReading& reading, Index first,
                         Index count) {
  TurnColumns read;
  auto& [c, s, slack, c2, s2] = read;
  const bool angles = reading.form == RotationReading::Form::angles;
  read_raw_rows(dump, reading, first, count, c, s, slack);
  if (!reading.cosine_copy) return read;
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
  return read;
}

// What differs between the columns of a row.
void look_at_copies(const RotationObservation& observation, const TurnColumns& read,
                    const ExactTruth::Rows& exact, Index first, Index r,
                    RotationResiduals& residuals) {
  const auto& [c, s, slack, c2, s2] = read;
  const bool angles = observation.reading().form == RotationReading::Form::angles;
  const std::size_t n = observation.pairs(), at_row = static_cast<std::size_t>(r) * n;
  if (residuals.copies_differ++ == 0) residuals.first_copy = first + r;
  for (std::size_t j = 0; j < n; ++j)
    for (const auto& [one, copy, want, sine] :
         {std::tuple{c[at_row + j], c2[at_row + j], exact.cosine[at_row + j], false},
          {s[at_row + j], s2[at_row + j], exact.sine[at_row + j], true}})
      if (!(angles && sine) && !std::isfinite(copy) && std::isfinite(one) &&
          residuals.not_finite++ == 0)
        residuals.first_not_finite = Cell{
            spell_place(observation, first + r, static_cast<Index>(j), sine) + " (second column)",
            want, copy};
  for (std::size_t j = 0; j < n; ++j)
    residuals.copy_cells += (c2[at_row + j] != c[at_row + j]) + (s2[at_row + j] != s[at_row + j]);
}

bool all_finite(const double* values, std::size_t count) {
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i)
    finite += std::fabs(values[i]) <= std::numeric_limits<double>::max();
  return finite == count;
}

void look(const RotationObservation& observation, const Dump& dump, const ExactTruth& truth,
          const AngleModel* own, Index first, Index count, TurnTally& part,
          ExactTruth::Rows& exact) {
  const RotationReading& reading = observation.reading();
  const std::size_t n = observation.pairs();
  const bool vectors = reading.is_vectors(), angles = reading.form == RotationReading::Form::angles;
  TurnColumns read = read_columns(dump, reading, first, count);
  auto& [c, s, slack, c2, s2] = read;
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
    if (!copies) look_at_copies(observation, read, exact, first, r, residuals);
    if (bad) {
      ++residuals.rows_beyond;
      suspect(residuals, first + r);
    }
    keep(part, observation, first + r, worst);
  }
}

}  // namespace

std::string spell_row(const RotationObservation& observation, Index row) {
  const RotationReading& reading = observation.reading();
  std::string place;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && reading.extents[axis] > 1)
      place += fmt::format("{} {}, ", name_of_axis(reading, axis), reading.along(row, axis));
  place += fmt::format("position {}", observation.expected().position(observation.slot(row)));
  return reading.run > 0 && reading.rows != reading.run && reading.extents.empty()
             ? fmt::format("row {}, {}", row, place)
             : place;
}

std::string spell_place(const RotationObservation& observation, Index row, Index pair, bool sine) {
  const bool is_angle = observation.reading().form == RotationReading::Form::angles;
  return fmt::format("{}, pair {}, {}", spell_row(observation, row), pair,
                     is_angle ? "angle"
                     : sine   ? "sin"
                              : "cos");
}

RotationResiduals residuals_from_truth(const RotationObservation& observation, const Dump& dump,
                                       const Effect& effect) {
  const RotationReading& reading = observation.reading();
  const std::size_t threads = threads_for(reading);
  std::vector<TurnTally> parts(threads);
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
  for (TurnTally& part : parts) {
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
