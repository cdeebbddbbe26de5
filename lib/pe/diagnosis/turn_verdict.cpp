// Verdicts: spelled and counted.
#include "pe/diagnosis/turn_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/diagnosis/turns.hpp"

namespace pe {

using Form = TurnReading::Form;

std::string arithmetic_of(const TurnWorld& world, const TurnTally& tally, Tier tier) {
  if (tier == Tier::exact) return "correctly rounded";
  if (tally.in_double && world.reading().form != Form::vectors) return "angles in double precision";
  if (world.reading().form == Form::vectors)
    return fmt::format("turns within what rounding to {} allows", name_of(world.dtype()));
  const auto nearest = nearest_arithmetic(world);
  if (!nearest) return "float32 angles";
  if (nearest->ulps == 0)
    return fmt::format("{}, bit for bit at the rows probed", nearest->dialect->name);
  if (nearest->ulps <= 4)
    return fmt::format("{}, within {:g} ulp at the rows probed", nearest->dialect->name,
                       nearest->ulps);
  return fmt::format("float32 angles of no known codebase (nearest: {}, {:.3g} ulps away)",
                     nearest->dialect->name, nearest->ulps);
}

void add_notes(const Expectation& expected, const Attempt& attempt, const Wanted& wanted,
               Diagnosis& diagnosis) {
  const TurnReading& reading = attempt.reading;
  if (reading.form != Form::vectors && reading.pairing == Pairing::adjacent)
    diagnosis.notes.push_back(
        "columns repeat by neighbours: for kernels that turn channels 2j and 2j+1");
  if (wanted.pairing && !wanted.by_hand && reading.form != Form::vectors && reading.pairing &&
      *reading.pairing != *wanted.pairing)
    diagnosis.notes.push_back(
        fmt::format("{} pairs channels otherwise: right where the weights were permuted to suit, "
                    "wrong where they were not (--layout or --pairing demands one)",
                    wanted.from));
  if (expected.parameters.has("mscale-all-dim") && expected.encoding->name == "rope")
    diagnosis.notes.push_back(
        "a program with mscale_all_dim also multiplies its scores by (0.1·mscale_all_dim·ln factor "
        "+ 1)²: no table shows whether it does");
  if (expected.parameters.has("max-position") && !expected.rows && reading.run == 0 &&
      reading.form == Form::turns) {
    const Index longest = expected.parameters.integer("max-position");
    if (reading.rows < longest)
      diagnosis.notes.push_back(
          fmt::format("the table has {} rows and the config promises {} positions: --length {} "
                      "would demand them",
                      reading.rows, longest, longest));
  }
  if (expected.dialect && expected.dialect->steps && diagnosis.tier <= Tier::drift &&
      !diagnosis.arithmetic.starts_with(std::string(expected.dialect->name) + ","))
    diagnosis.notes.push_back(
        fmt::format("the arithmetic of dialect {} is another; both are within the bound",
                    expected.dialect->name));
}

namespace {

std::string bound_sentence(const TurnWorld& world) {
  const double widest = world.truth().growth.empty() ? 0 : world.truth().growth.back();
  if (world.reading().form == Form::vectors)
    return fmt::format(
        "K·2^-24·angle + 4√2·u, u = {:.3g} one rounding of the vectors' type: table, two products "
        "and a sum",
        unit_roundoff(world.dtype()));
  return fmt::format(
      "A·(K·2^-24·angle + 3·2^-24 + u), A = {:.6g}, u = {:.3g} one rounding to {}; K = 10 "
      "roundings + ln(base)·2j/d for the exponent + 2j for a power taken by "
      "multiplication (at most {:.3g} here){}",
      world.truth().magnitude, unit_roundoff(world.dtype()), name_of(world.dtype()),
      *std::ranges::max_element(world.truth().growth),
      widest < *std::ranges::max_element(world.truth().growth) ? " + 4(1/r − 1) on a ramp" : "");
}

// A vector of frequencies has one row; every pair is looked at.
TurnTally tally_frequencies(const TurnWorld& world, const Attempt& attempt) {
  TurnTally tally;
  const TurnPrediction prediction(world.start(), world.truth().growth, 0x1p-24,
                                  unit_roundoff(world.dtype()));
  std::vector<double> want(world.pairs()), bound(world.pairs());
  prediction.frequencies(want.data(), bound.data());
  for (std::size_t j = 0; j < world.pairs(); ++j) {
    const double got = world.measured()[j], off = std::fabs(got - want[j]);
    ++tally.cells;
    // Of periods and factors the number in the file is another, and so is its rounding.
    const bool reciprocal = attempt.reading.form != Form::frequencies;
    const double round =
        reciprocal ? 1 / rounded(1 / want[j], world.dtype()) : rounded(want[j], world.dtype());
    if (attempt.reading.form == Form::factors || got != round) {
      tally.rounded_otherwise += got != round;
      if (got != round && round != 0)
        tally.ulps =
            std::max(tally.ulps, std::fabs(got / round - 1) / unit_roundoff(world.dtype()) / 2);
    }
    const Cell cell{fmt::format("pair {}", j), want[j], got};
    if (!std::isfinite(got) && tally.not_finite++ == 0) tally.first_not_finite = cell;
    if (!(off <= bound[j]) && !tally.first_wrong) tally.first_wrong = cell;
    if (!(off <=
          std::fabs(want[j]) * (world.truth().growth[j] * 0x1p-53 + unit_roundoff(world.dtype()))))
      tally.in_double = false;
    if (tally.worst_cell.place.empty() || off > tally.worst) {
      tally.worst = off;
      tally.worst_cell = cell;
      tally.bound = bound[j];
    }
  }
  return tally;
}

}  // namespace

TurnTally tally_of(const TurnWorld& world, const Dump& dump, const Attempt& attempt) {
  return world.has_rows() ? tally_truth(world, dump, attempt.effect)
                          : tally_frequencies(world, attempt);
}

void take_tally(const TurnTally& tally, const TurnWorld& world, Diagnosis& diagnosis) {
  diagnosis.cells = tally.cells;
  diagnosis.rounded_otherwise = tally.rounded_otherwise;
  diagnosis.ulps = tally.ulps;
  diagnosis.worst = tally.worst;
  diagnosis.worst_cell = tally.worst_cell;
  diagnosis.bound = tally.bound;
  diagnosis.first_wrong = tally.first_wrong;
  diagnosis.curve = tally.curve;
  diagnosis.bound_from = bound_sentence(world);
  diagnosis.coverage = fmt::format("all {} values", tally.cells);
}

Reason not_finite(const TurnTally& tally) {
  return {"not-finite", fmt::format("{} values are NaN or infinite, the first at {}",
                                    tally.not_finite, tally.first_not_finite->place)};
}

// A short table is short whatever else it is.
std::optional<Reason> too_short(const Expectation& expected, const TurnReading& reading) {
  const bool rows =
      reading.form == Form::turns || reading.form == Form::angles || reading.form == Form::vectors;
  const Index has = reading.run > 0 ? reading.run : reading.rows;
  if (!rows || !expected.rows || has >= *expected.rows) return {};
  return Reason{"table-short",
                fmt::format("there are {} rows, where {} are meant", has, *expected.rows)};
}

std::optional<Reason> copies_differ(const TurnTally& tally) {
  if (tally.copies_differ == 0) return {};
  return Reason{"copies-differ", fmt::format("the second columns of the pairs are not the first "
                                             "ones in {} rows, the first of them row {}",
                                             tally.copies_differ, tally.first_copy)};
}

}  // namespace pe
