// Verdicts: spelled and counted.
#include "pe/diagnosis/rotations/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/damage.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/sifting.hpp"

namespace pe {

using Form = RotationReading::Form;

TurnArithmetic arithmetic_of(const RotationObservation& observation,
                             const RotationResiduals& residuals, Tier tier) {
  if (tier == Tier::exact) return {"correctly rounded"};
  if (residuals.in_double && !observation.reading().is_vectors())
    return {"angles in double precision"};
  if (observation.reading().is_vectors())
    return {fmt::format("turns within what rounding to {} allows", name_of(observation.dtype()))};
  const auto nearest = nearest_arithmetic(observation);
  if (!nearest) return {"float32 angles"};
  if (nearest->ulps == 0)
    return {fmt::format("{}, bit for bit at the rows probed", nearest->dialect->name),
            nearest->dialect};
  if (nearest->ulps <= 4)
    return {fmt::format("{}, within {:g} ulp at the rows probed", nearest->dialect->name,
                        nearest->ulps),
            nearest->dialect};
  return {fmt::format("float32 angles of no known codebase (nearest: {}, {:.3g} ulps away)",
                      nearest->dialect->name, nearest->ulps)};
}

void add_notes(const Expectation& expected, const Attempt& attempt, const RequiredLayout& required,
               const TurnArithmetic& arithmetic, Diagnosis& diagnosis) {
  const RotationReading& reading = attempt.reading;
  if (!reading.is_vectors() && reading.pairing == Pairing::adjacent)
    diagnosis.notes.push_back(
        "columns repeat by neighbours: for kernels that turn channels 2j and 2j+1");
  if (required.pairing && !required.by_hand && !reading.is_vectors() && reading.pairing &&
      *reading.pairing != *required.pairing)
    diagnosis.notes.push_back(
        fmt::format("{} pairs channels otherwise: right where the weights were permuted to suit, "
                    "wrong where they were not (--layout or --pairing demands one)",
                    required.from));
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
  if (truth_of(expected).log_scale && !reading.scales && !reading.is_vectors() &&
      reading.form == RotationReading::Form::turns)
    diagnosis.notes.emplace_back(
        "cosines and sines alone: the scales of queries and keys are no part of them");
  if (expected.dialect && expected.dialect->steps && diagnosis.tier <= Tier::drift &&
      (!arithmetic.dialect || arithmetic.dialect->name != expected.dialect->name))
    diagnosis.notes.push_back(
        fmt::format("the arithmetic of dialect {} is another; both are within the bound",
                    expected.dialect->name));
}

void add_doubts(const Attempt& attempt, const RequiredLayout& required, Diagnosis& diagnosis) {
  const RotationReading& reading = attempt.reading;
  if (reading.is_one_sided())
    diagnosis.doubts.push_back(
        reading.side == RotationReading::Side::cosine
            ? fmt::format("cosines alone{}: their sines, and so the direction of the turns, were "
                          "not seen",
                          reading.misnamed ? ", in an array that is called sines" : "")
            : fmt::format("sines alone{}: their cosines were not seen",
                          reading.misnamed ? ", in an array that is called cosines" : ""));
  if (reading.layout == "sin-cos" && required.layout.empty() && required.by_default)
    diagnosis.doubts.push_back(
        "sines before cosines, and nothing said which come first (--dialect)");
  if (reading.scales && !reading.is_vectors() && !reading.side_said)
    diagnosis.doubts.push_back(
        fmt::format("times the scales of {}, and nothing said whose (four arrays: cos and sin of "
                    "queries, then of keys)",
                    reading.scales == Side::key ? "keys" : "queries"));
  if (attempt.is_repeated)
    diagnosis.doubts.push_back(
        fmt::format("the grid's {} rows stand {} times, as frames of a video do", reading.run,
                    reading.rows / reading.run));
  if (!reading.is_vectors()) return;
  if (reading.width > attempt.truth.dim && attempt.truth.dim > 0)
    diagnosis.doubts.push_back(
        fmt::format("a head of {} channels, where {} are meant: the others are left as they were",
                    reading.width, attempt.truth.dim));
  if (reading.axis_from.empty())
    diagnosis.doubts.push_back(
        fmt::format("positions taken along axis {} of {}, and nothing said which (--axes)",
                    reading.axis, spell_shape(reading.extents)));
  if (required.by_default && attempt.by_default.empty())
    diagnosis.doubts.push_back(fmt::format("pairs {}, {}, and nothing else said which (--pairing)",
                                           reading.layout, required.from));
  if (!reading.side_said)
    diagnosis.doubts.push_back(fmt::format(
        "scaled as {} are, and nothing said which these are (two arrays: queries, then keys)",
        reading.scales == Side::key ? "keys" : "queries"));
}

namespace {

std::string bound_sentence(const RotationObservation& observation,
                           const RotationResiduals& residuals) {
  const double roundings =
      roundings_to(unit_roundoff(observation.dtype()), observation.truth().magnitude);
  if (!residuals.angles.empty() && observation.has_values())
    return fmt::format(
        "how far the file's own angles lie, and A·(k·2^-24·angle + (3 + min(angle, 7))·2^-24) + {} "
        "of "
        "{}, A = "
        "{:.6g}; "
        "{}",
        roundings == 1 ? std::string("half a step")
                       : std::string("(1 + A)/2 steps (A may multiply rounded values)"),
        name_of(observation.dtype()), observation.truth().magnitude, residuals.angles);
  const double widest = observation.truth().growth.empty() ? 0 : observation.truth().growth.back();
  if (observation.reading().is_vectors())
    return fmt::format(
        "K·2^-24·angle + 4√2·u, u = {:.3g} one rounding of the vectors' type: table, two products "
        "and a sum",
        unit_roundoff(observation.dtype()));
  return fmt::format(
      "A·(K·2^-24·angle + (3 + min(angle, 7))·2^-24 + u), A = {:.6g}, u = {:.3g} one rounding to "
      "{}; K = 10 "
      "roundings + ln(base)·2j/d for the exponent + 2j for a power taken by "
      "multiplication (at most {:.3g} here){}",
      observation.truth().magnitude, unit_roundoff(observation.dtype()),
      name_of(observation.dtype()), *std::ranges::max_element(observation.truth().growth),
      widest < *std::ranges::max_element(observation.truth().growth)
          ? " + what the blend's share makes of them"
          : "");
}

}  // namespace

void take_residuals(const RotationResiduals& residuals, const RotationObservation& observation,
                    Diagnosis& diagnosis) {
  // Of vectors that hold numbers in channels alone that no position turns nothing is told.
  const bool is_still = observation.reading().is_vectors() && residuals.turning == 0;
  diagnosis.cells = is_still ? 0 : residuals.cells;
  diagnosis.rounded_otherwise = residuals.rounded_otherwise;
  diagnosis.ulps = residuals.ulps;
  diagnosis.worst = residuals.worst;
  diagnosis.worst_cell = residuals.worst_cell;
  diagnosis.bound = residuals.bound;
  diagnosis.first_wrong = residuals.first_wrong;
  diagnosis.curve = residuals.curve;
  diagnosis.bound_from = bound_sentence(observation, residuals);
  diagnosis.coverage = fmt::format("all {} values", residuals.cells);
  if (observation.reading().form == Form::frequencies &&
      unit_roundoff(observation.dtype()) > unit_roundoff(DType::f32) && residuals.worst > 0)
    diagnosis.doubts.push_back(
        fmt::format("frequencies kept in {}: what is turned by them is {:.2g} radians off at "
                    "position 1000",
                    name_of(observation.dtype()), 1000 * residuals.worst));
  // Of vectors each turn is two values.
  if (observation.reading().is_vectors() && residuals.unseen > 0 && diagnosis.cells > 0)
    diagnosis.doubts.push_back(
        fmt::format("{} of {} turns were not seen: the vectors before them are 0",
                    residuals.unseen / 2, (residuals.unseen + residuals.cells) / 2));
}

Reason not_finite(const RotationResiduals& residuals) {
  return {Cause::not_finite, fmt::format("{} values are NaN or infinite, the first at {}",
                                         residuals.not_finite, residuals.first_not_finite->place)};
}

// A short table is short whatever else it is.
std::optional<Reason> too_short(const Expectation& expected, const RotationReading& reading) {
  const bool rows =
      reading.form == Form::turns || reading.form == Form::angles || reading.is_vectors();
  const Index has = reading.run > 0 ? reading.run : reading.rows;
  const Coordinates* grid = coordinates_of(expected.effect);
  const std::optional<Index> must =
      expected.rows || !grid || expected.first != 0 ? expected.rows : grid->count;
  if (!rows || !must || has >= *must) return {};
  return Reason{Cause::table_short,
                fmt::format("there are {} rows, where {} are meant", has, *must)};
}

namespace {

constexpr double few = 0.1;  // part of the cells that may be damaged, the others being right

// Whether many more numbers than those that are wrong lie beyond half of their bounds, which no
// sound arithmetic of vectors of a short type reaches: what spread them all is no damage.
bool are_strained(const RotationObservation& observation, Index wrong) {
  constexpr Index least = 8, times = 4;
  const bool is_short = size_of(observation.dtype()) == 2;
  return is_short && observation.reading().is_vectors() &&
         observation.strained(observation.start()) > std::max(least, times * wrong);
}

// One place, all of whose rows turn as another one's, where the others are right.
std::optional<Reason> displaced(const RotationResiduals& residuals,
                                const RotationObservation& observation, const Dump& dump) {
  const RotationHypothesis start = observation.start();
  std::vector<Index> rows = residuals.suspects;
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (rows.empty() || !observation.has_rows() || !start.axis.empty() ||
      residuals.rows_beyond > observation.reading().rows / observation.slots())
    return {};
  const Index slot = observation.slot(rows[0]);
  if (!std::ranges::all_of(rows, [&](Index row) { return observation.slot(row) == slot; }))
    return {};
  const std::vector<double> implied = observation.implied_positions(start, rows);
  const double place = std::round(implied[0]), meant = start.position(rows[0], 0);
  constexpr double near = 0.1;
  if (place == meant ||
      !std::ranges::all_of(implied, [&](double p) { return std::fabs(p - place) < near; }))
    return {};
  RotationHypothesis moved = start;
  moved.position = [place](Index, std::size_t) { return place; };
  const Expectation& expected = observation.expected();
  const RotationReading& reading = observation.reading();
  const RotationTruth& truth = observation.truth();
  if (!RotationObservation(expected, dump, reading, truth, rows).agrees(moved)) return {};
  return Reason{Cause::position_jump,
                fmt::format("position {:.15g} holds the turn of position {:.15g}; the others are "
                            "right",
                            meant, place)};
}

}  // namespace

std::optional<Reason> damaged_cells(const RotationResiduals& residuals,
                                    const RotationObservation& observation, const Dump& dump) {
  constexpr Index many = 16;
  const Index rows = observation.reading().rows;
  const bool is_throughout = rows >= many && 2 * residuals.rows_beyond > rows;
  if (is_throughout && rows_off_circle(observation, dump, residuals.suspects).empty()) return {};
  if (!observation.has_rows() && residuals.beyond > 1) return {};
  if (residuals.beyond == 0 || !residuals.first_wrong ||
      static_cast<double>(residuals.beyond) > few * static_cast<double>(residuals.cells))
    return {};
  // Many that are hardly off are another arithmetic's, as a recurrence's whose errors grow.
  constexpr double hardly = 4;
  if (residuals.beyond >= many && residuals.worst < hardly * residuals.bound) return {};
  if (residuals.worst < hardly * residuals.bound && are_strained(observation, residuals.beyond))
    return {};
  if (auto one = displaced(residuals, observation, dump)) return one;
  std::vector<Index> wrong = residuals.suspects;
  std::ranges::sort(wrong);
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  if (std::ssize(wrong) == residuals.rows_beyond)
    if (auto exchanged = exchanged_rows(observation, dump, wrong)) return exchanged;
  return Reason{Cause::damaged_cells,
                fmt::format("{} of {} values are none that is meant, the first at {}; the others "
                            "are right",
                            residuals.beyond, residuals.cells, residuals.first_wrong->place)};
}

// A program that fills the second columns otherwise does so in most rows.
std::optional<Reason> copies_differ(const RotationResiduals& residuals,
                                    const RotationReading& reading) {
  if (residuals.copies_differ == 0) return {};
  const bool damaged =
      2 * residuals.copies_differ < reading.rows &&
      static_cast<double>(residuals.copy_cells) <= few * static_cast<double>(residuals.cells);
  if (damaged)
    return Reason{Cause::damaged_cells,
                  fmt::format("{} of the second columns' values are not the first ones', in {} "
                              "rows, the first of them row {}; the others are right",
                              residuals.copy_cells, residuals.copies_differ, residuals.first_copy)};
  return Reason{Cause::copies_differ,
                fmt::format("the second columns of the pairs are not the first "
                            "ones in {} rows, the first of them row {}",
                            residuals.copies_differ, residuals.first_copy)};
}

bool is_of_angles(const Stored& array) {
  const std::vector<Index>& shape = array.shape;
  return shape.size() == 4 && shape[0] > 1 && shape[1] == 1 && shape[2] == 1;
}

bool is_zero(const Stored& array) {
  constexpr Index piece = Index{1} << 16;
  std::vector<double> values(static_cast<std::size_t>(std::min(piece, array.size())));
  for (Index first = 0; first < array.size(); first += piece) {
    const Index count = std::min(piece, array.size() - first);
    array.read(first, count, values.data());
    constexpr double nothing = 1e-30;  // no number beside it is seen
    if (std::any_of(values.begin(), values.begin() + count,
                    [](double v) { return !(std::fabs(v) < nothing); }))
      return false;
  }
  return true;
}

// What attention factors are taken for by rules that programs have.
constexpr Cause factor_rules[] = {
    Cause::attention_factor_missing,   Cause::attention_factor_squared,
    Cause::attention_factor_log_twice, Cause::attention_factor_inverted,
    Cause::attention_factor_on_angles, Cause::attention_factor_on_one_side,
};

std::vector<std::vector<Reason>> other_explanations(
    const RotationObservation& observation,
    const std::vector<Explanation<RotationObservation>>& hypotheses) {
  constexpr std::size_t most = 4;
  constexpr double about = 0.3;
  const auto causes_of = [](const Explanation<RotationObservation>& one) {
    std::set<Cause> causes;
    for (const Reason& reason : one.reasons) causes.insert(reason.cause);
    return causes;
  };
  std::vector<std::vector<Reason>> others;
  std::set<std::set<Cause>> told{causes_of(hypotheses.front())};
  const bool has_rule = std::ranges::any_of(*told.begin(), [](Cause cause) {
    return std::ranges::find(factor_rules, cause) != std::end(factor_rules);
  });
  for (std::size_t i = 1; i < hypotheses.size() && others.size() < most; ++i) {
    const Explanation<RotationObservation>& other = hypotheses[i];
    if (other.cost + shortfall(observation, other.fit, hypotheses.front().fit) >
        hypotheses.front().cost + about)
      continue;
    if (!told.insert(causes_of(other)).second) continue;  // the same with another digit
    // That no rule gives it is no explanation beside the rule that does.
    if (causes_of(other) == std::set{Cause::attention_factor_unexpected} && has_rule) continue;
    others.push_back(other.reasons);
  }
  return others;
}

}  // namespace pe
