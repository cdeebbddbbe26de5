// Laws of rotations, certified for all pairs of positions by one pass over the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

// The turns that the waves make, whatever `fill` says.
void fill_exactly(const Rotation& rotation, const PositionRange& positions, DType dtype,
                  std::byte* cosine, std::byte* sine) {
  const Index n = rotation.pairs;
  if (rotation.parts.empty()) {
    rotation.waves->fill(positions, {n, {}, Place{}}, dtype, cosine);
    rotation.waves->fill(positions, {n, Place{}, {}}, dtype, sine);
    return;
  }
  std::vector<WavePart> cosines = rotation.parts;
  for (WavePart& part : cosines) part.layout = {n, {}, part.layout.sine};
  pe::fill(cosines, *rotation.coordinates, positions, dtype, cosine);
  pe::fill(rotation.parts, *rotation.coordinates, positions, dtype, sine);
}

}  // namespace

Turns exact_turns(const Rotation& rotation, const PositionRange& positions) {
  const auto count = static_cast<std::size_t>(positions.count * rotation.pairs);
  std::vector<double> values(2 * count);
  auto* bytes = reinterpret_cast<std::byte*>(values.data());
  fill_exactly(rotation, positions, DType::f64, bytes, bytes + count * sizeof(double));
  Turns turns(count);
  for (std::size_t i = 0; i < count; ++i) turns[i] = {values[i], values[count + i]};
  return turns;
}

namespace {

double entry_error(const Rotation& rotation, const Case& subject) {
  return laws::entry_error(subject, rotation.magnitude);
}

struct Distance {
  double worst = 0;  // of a stored turn from the exact one, as a complex number
  Index position = 0, pair = 0;
  bool measured = false;  // false: every stored byte is the correctly rounded one, and rounding's
                          // own bound stands
};

// Of a stored turn from the truth: √2 of one rounding and of what f64 values may be off by. Said
// once, so that a table of correctly rounded turns is not beyond the bound by a rounding of its
// own.
double allowed_distance(const Rotation& rotation, const Case& subject) {
  return std::sqrt(2.0) * (entry_error(rotation, subject) + 0x1p-52 * rotation.magnitude);
}

// How far any stored turn lies from the truth, in one pass of O(L·d). Where the stored bytes are
// those of the correctly rounded table, the distance is at most √2·e without looking closer;
// elsewhere it is measured against f64 values, themselves within √2·2^-52·A.
Distance from_exact(const Rotation& rotation, const Case& subject) {
  const double a = rotation.magnitude, slack = std::sqrt(2.0) * 0x1p-52 * a;
  Distance distance{allowed_distance(rotation, subject), 0, 0, false};
  const Index n = rotation.pairs;
  std::vector<std::byte> stored, rounded;
  for_blocks(subject.positions, 2 * n, [&](Index first, const PositionRange& block) {
    const std::size_t side = static_cast<std::size_t>(block.count * n) * size_of(subject.dtype);
    stored.resize(2 * side);
    rounded.resize(2 * side);
    rotation.fill(block, subject.dtype, stored.data(), stored.data() + side);
    fill_exactly(rotation, block, subject.dtype, rounded.data(), rounded.data() + side);
    if (std::memcmp(stored.data(), rounded.data(), stored.size()) == 0) return;
    const Turns here = turns_of(rotation, block, subject.dtype),
                exact = exact_turns(rotation, block);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double off = std::abs(here[i] - exact[i]) + slack;
      if (off > distance.worst)
        distance = {off, first + static_cast<Index>(i) / n, static_cast<Index>(i) % n, true};
    }
  });
  return distance;
}

std::string spell(const Distance& distance, const Case& subject) {
  if (!distance.measured) return "every stored turn is the correctly rounded one";
  return fmt::format("farthest from exact: position {}, pair {}, {:.3g} away",
                     subject.positions.value(distance.position), distance.pair, distance.worst);
}

// Positions whose products are looked at one by one: all of a few thousand, else the first and the
// last of them.
constexpr Index looked_at = 2048;

// Half the spread over p of conj(z_p)·z_{p+k}: a lower bound of how far those products are from
// depending on k only.

Spread spread_of_products(const Rotation& rotation, const Case& subject) {
  if (rotation.coordinates) return spread_along_axes(rotation, subject);
  Spread spread;
  const Index n = rotation.pairs, count = subject.positions.count;
  for (const std::int64_t shift : shifts_of(subject)) {
    if (shift >= count) continue;
    std::vector<double> low(static_cast<std::size_t>(2 * n), HUGE_VAL),
        high(static_cast<std::size_t>(2 * n), -HUGE_VAL);
    std::vector<Index> low_at(low.size()), high_at(low.size());
    const auto look = [&](Index start, Index length) {
      for_blocks(subject.positions.slice(start, length), 2 * n,
                 [&](Index first, const PositionRange& block) {
                   const Turns here = turns_of(rotation, block, subject.dtype),
                               there = turns_of(
                                   rotation,
                                   subject.positions.slice(start + first + shift, block.count),
                                   subject.dtype);
                   for (std::size_t i = 0; i < here.size(); ++i) {
                     const std::complex<double> product = std::conj(here[i]) * there[i];
                     for (const bool imaginary : {false, true}) {
                       const std::size_t at = 2 * (i % static_cast<std::size_t>(n)) + imaginary;
                       const double value = imaginary ? product.imag() : product.real();
                       const Index position = start + first + static_cast<Index>(i) / n;
                       if (value < low[at]) {
                         low[at] = value;
                         low_at[at] = position;
                       }
                       if (value > high[at]) {
                         high[at] = value;
                         high_at[at] = position;
                       }
                     }
                   }
                 });
    };
    const Index usable = count - shift;
    if (usable <= 2 * looked_at) {
      look(0, usable);
    } else {
      look(0, looked_at);
      look(usable - looked_at, looked_at);
    }
    for (std::size_t at = 0; at < low.size(); ++at) {
      const double half = (high[at] - low[at]) / 2;
      if (half <= spread.worst) continue;
      spread.worst = half;
      spread.witness = fmt::format(
          "pair {}, offset {}: {} part {:.9g} from position {}, {:.9g} from position {}", at / 2,
          shift, at % 2 ? "sine" : "cosine", low[at], subject.positions.value(low_at[at]), high[at],
          subject.positions.value(high_at[at]));
    }
  }
  return spread;
}

}  // namespace

Measurement identity_at_zero(const Rotation& rotation, const Case& subject) {
  Measurement result;
  if (subject.foreign &&
      (subject.positions.at(0) > 0 || subject.positions.at(subject.positions.count - 1) < 0))
    return not_told("the dump has no position 0");
  const Turns turns = turns_of(rotation, {0, 1, 1, 0}, subject.dtype);
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const double off = std::abs(turns[j] - rotation.magnitude);
    if (worse(off, result.worst)) {
      result.worst = off;
      result.witness = fmt::format("pair {}: ({}, {})", j, turns[j].real(), turns[j].imag());
    }
  }
  result.bound = entry_error(rotation, subject) * (rotation.magnitude == 1 ? 0 : 1);
  result.bound_from = rotation.magnitude == 1 ? "1 and 0 are numbers of every dtype"
                                              : "one rounding of the attention factor";
  result.power = {result.bound + std::min(result.worst, result.bound), "the row of position 0"};
  result.coverage = fmt::format("all {} pairs", rotation.pairs);
  result.exhaustive = true;
  return result;
}

// |c² + s² − A²| ≤ 2√2·A·e + 2e² for entries within e of the truth.
Measurement unit_pairs(const Rotation& rotation, const Case& subject) {
  Measurement result;
  const double a = rotation.magnitude, e = entry_error(rotation, subject);
  for_blocks(subject.positions, 2 * rotation.pairs, [&](Index first, const PositionRange& block) {
    const Turns turns = turns_of(rotation, block, subject.dtype);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double off = std::fabs(std::norm(turns[i]) - a * a);
      if (!worse(off, result.worst)) continue;
      result.worst = off;
      result.witness =
          fmt::format("position {}, pair {}: cos² + sin² = {:.12g}, expected {:.12g}",
                      subject.positions.value(first + static_cast<Index>(i) / rotation.pairs),
                      static_cast<Index>(i) % rotation.pairs, std::norm(turns[i]), a * a);
    }
  });
  result.bound = 2 * std::sqrt(2.0) * a * e + 2 * e * e + 4 * 0x1p-53 * a * a;
  result.bound_from = fmt::format("2√2·A·e + 2e² + 2^-51·A², A = {:.9g}, e = {:.3g}{}", a, e,
                                  spell_entry_error(subject));
  result.power = power_of_square(a, result.bound, std::min(result.worst, result.bound));
  result.coverage =
      fmt::format("all {} positions and {} pairs", subject.positions.count, rotation.pairs);
  result.exhaustive = true;
  return result;
}

// With every turn z_p = A·e^{ipθ} + d_p, |d_p| ≤ D: z_i z_j − A z_{i+j} = A(e^{iiθ}d_j +
// e^{ijθ}d_i) + d_i d_j − A d_{i+j}, at most 3AD + D² in magnitude, for all pairs of positions at
// once. D is measured in one pass.
Measurement turns_add(const Rotation& rotation, const Case& subject) {
  if (!rotation.waves) return not_told("the frequencies are not known");
  Measurement result;
  if (subject.foreign) {
    const Farthest far = farthest_turn(rotation, subject, true);
    if (!far.untold.empty()) return not_told(far.untold);
    const double a = far.amplitude, d = far.off, e = far.allowed;
    result.worst = 3 * a * d + d * d;
    result.bound = 3 * a * e + e * e;
    result.bound_from =
        fmt::format("3A·D + D², A = {:.9g}, D = {:.3g} there: {}", a, e, far.allowed_from);
    result.power = far.power;
    result.witness = far.witness;
    result.coverage =
        fmt::format("all pairs of {} positions, by certificate", subject.positions.count);
    result.exhaustive = true;
    result.proved = true;
    return result;
  }
  const Distance distance = from_exact(rotation, subject);
  const double a = rotation.magnitude, d = distance.worst, e = allowed_distance(rotation, subject);
  result.worst = 3 * a * d + d * d;
  result.bound = 3 * a * e + e * e;
  result.bound_from = fmt::format("3A·D + D² with D = √2·e, e = {:.3g} (one rounding to {})",
                                  entry_error(rotation, subject), name_of(subject.dtype));
  result.witness = spell(distance, subject);
  result.power = {e + std::min(d, e), "any cell"};
  result.coverage =
      fmt::format("all pairs of {} positions, by certificate", subject.positions.count);
  result.exhaustive = true;
  result.proved = true;
  return result;
}

// The score of q at m and k at n takes pair j through conj(z_m) z_n. With z_p = A·e^{ipθ} + d_p,
// |d_p| ≤ D, that is A²·e^{i(n−m)θ} up to 2AD + D²: an upper bound for all pairs (m, n) and all q,
// k of unit length, from one pass. The spread of the products over positions is a lower bound.
Measurement rotation_relative_only(const Rotation& rotation, const Case& subject) {
  if (!rotation.waves) return not_told("the frequencies are not known");
  Measurement result;
  if (subject.foreign) {
    const Farthest far = farthest_turn(rotation, subject, false);
    const Spread spread = spread_of_products(rotation, subject);
    const double a = far.amplitude, d = far.off, e = far.allowed;
    result.worst = 2 * a * d + d * d;
    result.bound = 2 * a * e + e * e;
    result.bound_from =
        fmt::format("2A·D + D², A = {:.9g}, D = {:.3g} there: {}", a, e, far.allowed_from);
    result.power = far.power;
    result.witness = fmt::format("{}; products from below {:.3g}{}", far.witness, spread.worst,
                                 spread.witness.empty() ? "" : ", " + spread.witness);
    result.coverage = fmt::format("all pairs of {} positions by certificate; from below: {}",
                                  subject.positions.count, spell_shifts(shifts_of(subject)));
    result.exhaustive = true;
    result.proved = true;
    return result;
  }
  const Distance distance = from_exact(rotation, subject);
  const Spread spread = spread_of_products(rotation, subject);
  const double a = rotation.magnitude, d = distance.worst, e = allowed_distance(rotation, subject);
  result.worst = 2 * a * d + d * d;
  result.bound = 2 * a * e + e * e;
  result.bound_from = fmt::format("2A·D + D² with D = √2·e, e = {:.3g} (one rounding to {})",
                                  entry_error(rotation, subject), name_of(subject.dtype));
  result.power = {e + std::min(d, e), "any cell"};
  result.witness =
      fmt::format("{}; deviation in [{:.3g}, {:.3g}]{}", spell(distance, subject), spread.worst,
                  result.worst, spread.witness.empty() ? "" : ", " + spread.witness);
  result.coverage = fmt::format("all pairs of {} positions by certificate; from below: {}{}",
                                subject.positions.count, spell_shifts(shifts_of(subject)),
                                subject.positions.count > 2 * looked_at
                                    ? fmt::format(" of the first and last {} positions", looked_at)
                                    : "");
  result.exhaustive = true;
  result.proved = !rotation.scale;
  if (rotation.scale) add_scales(rotation, subject, result);
  return result;
}

Measurement frequencies_decrease(const Rotation& rotation, const Case& subject) {
  if (!rotation.waves) return not_told("the frequencies are not known");
  Measurement result;
  result.bound_from = "pairs that turn faster than the one before; none may";
  if (subject.foreign)
    for (std::size_t j = 0; j < subject.foreign->frequency_error.size(); ++j)
      if (!std::isfinite(subject.foreign->frequency_error[j]))
        return not_told(fmt::format("the dump does not show how fast pair {} turns", j));
  if (subject.foreign && !subject.foreign->frequency_error.empty())
    result.bound_from += " by more than the error of reading frequencies off a dump";
  result.power = {HUGE_VAL, "a frequency is that of all rows"};
  const auto& frequencies = rotation.waves->frequencies();
  const auto axes = axes_of(rotation);
  for (std::size_t j = 1; j < frequencies.size(); ++j) {
    std::size_t before = j;  // the pair before on the same axis
    while (before > 0 && (before == j || axes[before] != axes[j])) --before;
    if (std::isnan(to_double(frequencies[j])) || std::isnan(to_double(frequencies[before])))
      return not_told(fmt::format("pair {} turns by no number", j));
    if (axes[before] != axes[j] || before == j) continue;
    if (subject.foreign && !subject.foreign->frequency_error
                                .empty()) {  // read off a dump: of either direction, and not exact
      const double rise =
          std::fabs(to_double(frequencies[j])) - std::fabs(to_double(frequencies[before]));
      if (!(rise > subject.foreign->frequency_error[j] + subject.foreign->frequency_error[before]))
        continue;
    }
    if (abs(frequencies[j]) > abs(frequencies[before]) && result.worst++ == 0)
      result.witness = fmt::format("pair {}: {:.9g} after {:.9g}", j, to_double(frequencies[j]),
                                   to_double(frequencies[before]));
  }
  result.coverage = fmt::format("all {} pairs", frequencies.size());
  result.exhaustive = true;
  return result;
}

}  // namespace pe::laws
