// linear-shift with a known M_k: each pair of a table made of waves turns by k·θ. Of a dump the
// pairs that turn steadily have their M_k by that, and what is left is fitted.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/clones.hpp"
#include "pe/base/narrow.hpp"
#include "pe/properties/laws.hpp"
#include "pe/properties/steady.hpp"

namespace pe::laws {
namespace {

// cos(k·θ_j) and sin(k·θ_j) for every pair, rounded to double.
std::vector<double> turn_by(const Waves& waves, std::int64_t shift) {
  const Waves unit(waves.frequencies());
  const Index n = waves.pairs();
  std::vector<double> turn(static_cast<std::size_t>(2 * n));
  unit.fill({shift, 1, 1, 0}, {2 * n, Place{n, 1}, Place{0, 1}}, DType::f64,
            reinterpret_cast<std::byte*>(turn.data()));
  return turn;
}

// With every turn z_p = A·e^{i(pθ+φ)} + d_p the turn by kθ leaves z_{p+k} − e^{ikθ}·z_p = d_{p+k} −
// e^{ikθ}·d_p: where all d lie within the errors of the arithmetic a table that obeys the law lies
// that near, and where one does not, none does. So d decides for every k at once.
Measurement steady_columns(const SteadyTable& steady, const Case& subject) {
  Measurement result;
  const SteadyPair& worst = steady.fit.worst();
  result.worst = worst.worst.off;
  result.bound = worst.worst.allowed;
  result.bound_from = steady.fit.bound_from;
  result.power = steady.fit.power();
  result.witness = fmt::format(
      "nearest to its bound: {}, {:.3g} from where a steady turn is",
      spell_place(steady.turns, subject, worst.worst.row, worst.worst.pair), result.worst);
  result.coverage = fmt::format("all pairs of {} positions, by certificate", steady.turns.rows);
  result.exhaustive = true;
  return result;
}

}  // namespace

Measurement foreign_columns(const SteadyTable& steady, const Table& table, const Case& subject,
                            Measurement (*of_rest)(const Table&, const Case&)) {
  if (steady.fit.pairs.empty()) return of_rest(table, subject);
  Measurement result = steady_columns(steady, subject);
  if (steady.rest.empty() || !result.holds()) return result;
  Measurement rest = of_rest(columns_of(table, steady.rest), subject);
  const std::string which =
      fmt::format("{} of {} columns that are in no steady pair: ", steady.rest.size(), table.width);
  if (!rest.skipped.empty()) {
    rest.skipped = which + rest.skipped;
    return rest;
  }
  rest.witness = which + rest.witness;
  rest.coverage += ", and the steady pairs by certificate";
  if (!(rest.power.change > result.power.change)) rest.power = result.power;
  return rest;
}

namespace {

// The largest magnitude in the table.
double largest_of(const Table& table, const Case& subject) {
  double largest = 0;
  for_blocks(existing(table, subject.positions), table.width,
             [&](Index, const PositionRange& block) {
               for (const double value : rows_of(table, block, subject.dtype))
                 if (worse(std::fabs(value), largest)) largest = std::fabs(value);
             });
  return largest;
}

// Where the encoding is made of waves M_k is known to turn pairs of columns. Some that do not may
// yet have an M_k of their own, and it is fitted; where most do not, the table is no such one.
Measurement foreign_shift(const Table& table, const Case& subject) {
  const SteadyTable steady = steady_table(table, subject);
  Measurement fitted = foreign_columns(steady, table, subject, fitted_shift);
  // Zeros, and whatever does not stand out of its rounding, are moved by any M_k.
  if (fitted.holds() && fitted.skipped.empty())
    if (const double largest = largest_of(table, subject); largest <= fitted.bound)
      return not_told(
          fmt::format("no value is above the bound: the largest is {:.3g}, and what "
                      "may be off {:.3g}; any M_k moves such a table",
                      largest, fitted.bound));
  const bool waves =
      subject.foreign->angle && !table.grid && existing(table, subject.positions).count > 3;
  constexpr double far = 2;  // times as large as any sine or cosine
  if (waves && !fitted.skipped.empty() && !steady.rest.empty() &&
      largest_of(columns_of(table, steady.rest), subject) > far * subject.foreign->amplitude) {
    fitted.worst = largest_of(columns_of(table, steady.rest), subject);
    fitted.witness = fmt::format("a value of {:.3g}, where sines and cosines are at most {:.3g}",
                                 fitted.worst, subject.foreign->amplitude);
    fitted.bound = far * subject.foreign->amplitude;
    fitted.skipped.clear();
    return fitted;
  }
  if (!waves || 2 * std::ssize(steady.rest) <= table.width || !fitted.holds()) return fitted;
  fitted.worst = HUGE_VAL;
  fitted.skipped.clear();
  fitted.witness = fmt::format(
      "{} of {} columns turn steadily with no other, as sines and cosines do; as a table of no "
      "formula: {}",
      steady.rest.size(), table.width, fitted.witness);
  return fitted;
}

}  // namespace

namespace {

// Where a row keeps its sines and its cosines; cos(kθ) and sin(kθ) of each pair.
struct Turned {
  Index pairs, width;
  Place sine, cosine;
  const double *c, *s;
};

template <Index step>
inline double farthest_in(const Turned& by, const double* here, const double* there, Index rows) {
  double worst = 0, lost = 0;
  for (Index i = 0; i < rows; ++i, here += by.width, there += by.width) {
    const double *const sine = here + by.sine.offset, *const cosine = here + by.cosine.offset,
                        *const next_sine = there + by.sine.offset,
                        *const next_cosine = there + by.cosine.offset;
    for (Index j = 0; j < by.pairs; ++j) {
      const Index at = j * step;
      const double c = by.c[j], s = by.s[j],
                   off_sine = std::fabs(next_sine[at] - (c * sine[at] + s * cosine[at])),
                   off_cosine = std::fabs(next_cosine[at] - (c * cosine[at] - s * sine[at]));
      worst = worst < off_sine ? off_sine : worst;
      worst = worst < off_cosine ? off_cosine : worst;
      lost += off_sine != off_sine || off_cosine != off_cosine ? 1 : 0;
    }
  }
  return lost > 0 ? std::nan("") : worst;
}

// The farthest of all turns of some rows from where M_k takes them; NaN where one is no number.
PE_CLONES double farthest_side_by_side(const Turned& by, const double* here, const double* there,
                                       Index rows) {
  return farthest_in<2>(by, here, there, rows);
}
PE_CLONES double farthest_in_halves(const Turned& by, const double* here, const double* there,
                                    Index rows) {
  return farthest_in<1>(by, here, there, rows);
}
double farthest(const Turned& by, const double* here, const double* there, Index rows) {
  if (by.sine.step != by.cosine.step || by.sine.step > 2 || by.sine.step < 1) return HUGE_VAL;
  return by.sine.step == 2 ? farthest_side_by_side(by, here, there, rows)
                           : farthest_in_halves(by, here, there, rows);
}

}  // namespace

// M_k = diag of 2×2 turns: sin((p+k)θ) = cos(kθ) sin(pθ) + sin(kθ) cos(pθ), and likewise for cos
// (angle addition). With every entry within e of the truth both sides differ by at most e(1 + |cos
// kθ| + |sin kθ|) ≤ e(1 + √2), and the arithmetic here by 4·2^-52·A.
Measurement linear_shift(const Table& table, const Case& subject) {
  if (subject.foreign) return foreign_shift(table, subject);
  if (!table.waves || !table.waves->second.sine || !table.waves->second.cosine)
    return fitted_shift(table, subject);
  const auto& waves = table.waves->first;
  const auto& layout = table.waves->second;
  Measurement result;
  const PositionRange positions = existing(table, subject.positions);
  if (positions.decimals != 0 || positions.step != 1)
    return not_told("positions must be consecutive whole numbers");
  const auto shifts = shifts_of(subject);
  const Index n = waves.pairs(), width = table.width;
  for (const std::int64_t shift : shifts) {
    const std::vector<double> turn = turn_by(waves, shift);
    for_blocks(positions, width, [&](Index first, const PositionRange& block) {
      PositionRange shifted = block;
      shifted.first += shift;
      const auto here = rows_of(table, block, subject.dtype),
                 there = rows_of(table, shifted, subject.dtype);
      const Turned by{n, width, *layout.sine, *layout.cosine, turn.data(), turn.data() + n};
      if (!worse(farthest(by, here.data(), there.data(), block.count), result.worst)) return;
      for (Index i = 0; i < block.count; ++i)
        for (Index j = 0; j < n; ++j) {
          const auto sine =
              static_cast<std::size_t>(i * width + layout.sine->offset + j * layout.sine->step);
          const auto cosine =
              static_cast<std::size_t>(i * width + layout.cosine->offset + j * layout.cosine->step);
          const double c = turn[static_cast<std::size_t>(j)],
                       s = turn[static_cast<std::size_t>(n + j)];
          const double off_sine = std::fabs(there[sine] - (c * here[sine] + s * here[cosine]));
          const double off_cosine = std::fabs(there[cosine] - (c * here[cosine] - s * here[sine]));
          const double off = std::fmax(off_sine, off_cosine);
          if (!worse(off, result.worst)) continue;
          result.worst = off;
          const bool in_sine = off_sine >= off_cosine;
          result.witness = fmt::format(
              "position {}, offset {}, pair {}: {} is {:.9g}, M_k gives {:.9g}",
              positions.value(first + i), shift, j, in_sine ? "sin" : "cos",
              there[in_sine ? sine : cosine],
              in_sine ? c * here[sine] + s * here[cosine] : c * here[cosine] - s * here[sine]);
        }
    });
  }
  const double e = rounding_error(subject.dtype, to_double(waves.magnitude()));
  result.bound = e * (1 + std::sqrt(2.0)) + 4 * 0x1p-52 * to_double(waves.magnitude());
  result.bound_from = fmt::format("(1+√2)·e + 4·2^-52, e = {:.3g} (one rounding to {}); M_k known",
                                  e, name_of(subject.dtype));
  result.coverage = fmt::format("all {} positions, {}", positions.count, spell_shifts(shifts));
  result.power = {result.bound + result.worst, "any cell"};
  return result;
}

}  // namespace pe::laws
