// The way of a verdict on turns: readings, the truth at every cell, else the smallest story at the probes, held against every row.
#include "pe/diagnosis/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/turn_tally.hpp"

namespace pe {
namespace {

using Form = TurnReading::Form;

// What the command asks of the layout; empty: any will do.
struct Wanted {
  std::string layout;   // of the arrays, or of a sinusoidal table
  std::optional<Pairing> pairing;
  std::string from;     // who says so
  bool by_hand = false; // not a model's family: weights may have been permuted to suit a table of the other pairing
};

std::string origin_of(const Expectation& expected, std::string_view name) {
  return expected.parameters.has(name) ? expected.parameters.origin(name) : "default";
}

std::string layout_of(Keeping keeping) {
  switch (keeping) {
    case Keeping::pairs: return "pairs";
    case Keeping::halves: return "halves";
    case Keeping::adjacent: return "adjacent";
    case Keeping::cos_sin: return "cos-sin";
    case Keeping::sin_cos: return "sin-cos";
    case Keeping::turns: return "turns";
    case Keeping::angles: return "angles-halves";
  }
  return "";
}

Wanted wanted_of(const Expectation& expected) {
  const bool table = std::holds_alternative<Table>(expected.effect);
  if (table) {
    const bool grid = std::get<Table>(expected.effect).grid.has_value();
    const std::string origin = origin_of(expected, grid ? "convention" : "layout");
    if (origin == "default") return {};
    return {grid ? "as meant" : expected.parameters.choice("layout"), {}, origin};
  }
  Wanted wanted;
  const auto& rotation = std::get<Rotation>(expected.effect);
  const bool from_config = std::ranges::any_of(expected.parameters.entries(), [](const Parameters::Entry& entry) { return entry.origin.starts_with("config "); });
  for (const char* name : {"layout", "pairing"})
    if (const std::string origin = origin_of(expected, name); !wanted.by_hand && origin != "default" && !(name[0] == 'l' && expected.parameters.choice("layout") == "pairs"))
      wanted.pairing = rotation.pairing, wanted.from = origin, wanted.by_hand = origin.starts_with("flag ") || origin.starts_with("manifest ");
  if (from_config && !wanted.pairing) wanted.pairing = rotation.pairing, wanted.from = "the model's family";
  if (expected.dialect && expected.dialect->steps) wanted.layout = layout_of(expected.dialect->keeping), wanted.from = fmt::format("dialect {}", expected.dialect->name);
  return wanted;
}

// What a reading has against it, as a reason; nothing where it is as wanted.
std::optional<Reason> against(const TurnReading& reading, const Wanted& wanted, bool table) {
  if (reading.form == Form::frequencies || reading.form == Form::periods || reading.form == Form::factors) return {};
  if (table) {
    if (wanted.layout.empty() || wanted.layout == reading.layout) return {};
    return Reason{"wrong-order", fmt::format("sines and cosines stand as in layout {}, where {} ({}) is meant", reading.layout, wanted.layout, wanted.from)};
  }
  if (wanted.pairing && (wanted.by_hand || reading.form == Form::vectors) && reading.pairing && *reading.pairing != *wanted.pairing && !(reading.form != Form::vectors && *wanted.pairing == Pairing::adjacent_to_halves)) {
    const bool interleaved = *reading.pairing == Pairing::adjacent;
    return Reason{"wrong-pairing", fmt::format("channels {} make a pair ({}), where {} is meant ({})", interleaved ? "2j and 2j+1" : *reading.pairing == Pairing::halves ? "j and j+n" : "2j and 2j+1, written to j and j+n,",
                                               interleaved ? "interleaved" : "halves", *wanted.pairing == Pairing::adjacent ? "interleaved" : *wanted.pairing == Pairing::halves ? "halves" : "adjacent-to-halves", wanted.from)};
  }
  if (!wanted.layout.empty() && reading.form != Form::vectors && wanted.layout != reading.layout) {
    const bool exchanged = (reading.layout == "sin-cos" && wanted.layout == "cos-sin") || (reading.layout == "cos-sin" && wanted.layout == "sin-cos") ||
                           (reading.layout == "turns-swapped" && wanted.layout == "turns");
    return Reason{exchanged ? "sin-cos-swapped" : "wrong-order", fmt::format("the array's layout is {}, where {} has {}", reading.layout, wanted.from, wanted.layout)};
  }
  return {};
}

// One way to read the dump, and what came of it.
struct Attempt {
  TurnReading reading;
  TurnTruth truth;
  Effect effect;
  std::vector<Reason> reasons;   // that come with the reading
  double cost = 0;
  bool copy = false;             // the second columns are the ones that tell the story
  std::vector<Explanation<TurnWorld>> stories;
  double total() const { return cost + (stories.empty() ? 1000 : stories.front().cost); }
};

Index original_of(const Expectation& expected) { return expected.parameters.has("original-max-position") ? expected.parameters.integer("original-max-position") : 0; }

// The truth for as many pairs as the reading has, and the reason if that is not what is meant.
std::optional<Attempt> attempt_of(const Expectation& expected, const TurnReading& reading, const TurnTruth& truth, const Wanted& wanted) {
  Attempt attempt{reading, truth, expected.effect, {}, 0, false, {}};
  const bool table = std::holds_alternative<Table>(expected.effect);
  if (const auto reason = against(reading, wanted, table)) attempt.reasons.push_back(*reason), attempt.cost += 1;
  if (reading.form == Form::angles) attempt.truth.magnitude = 1;  // angles carry none
  const std::size_t axes = truth.axis.empty() ? 1 : *std::ranges::max_element(truth.axis) + 1;
  attempt.reading.per_axis = axes > 1 && reading.form != Form::vectors && reading.run > 0 && reading.rows == reading.run * static_cast<Index>(axes);
  // The axes before the last may be the grid's own.
  if (const Coordinates* places = coordinates_of(expected.effect); places && places->count == reading.rows && reading.form != Form::vectors) attempt.reading.run = 0;
  const Index slots = attempt.reading.run > 0 ? attempt.reading.run : reading.rows;
  const bool rows = reading.form == Form::turns || reading.form == Form::angles || reading.form == Form::vectors;
  if (const auto most = rows_of(expected.effect); rows && most && expected.first + slots > *most)
    throw UsageError(fmt::format("the dump has {} rows from position {} on, and {} has {} positions", slots, expected.first, expected.encoding->name, *most));
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  if (reading.pairs != pairs) {
    if (!expected.remake) return {};
    const std::string twice = std::to_string(2 * reading.pairs);
    const Given changes = table ? Given{{"dim", {std::to_string(reading.width), "diagnosis", ""}}} : Given{{"rotary-dim", {twice, "diagnosis", ""}}};
    auto remade = expected.remake(changes);
    if (!remade && !table) remade = expected.remake({{"dim", {twice, "diagnosis", ""}}});
    if (!remade) return {};
    const auto other = turn_truth(remade->effect);
    if (!other || static_cast<Index>(other->frequencies.size()) != reading.pairs) return {};
    attempt.truth = *other, attempt.truth.shift = truth.shift, attempt.effect = remade->effect;
    if (reading.form == Form::angles) attempt.truth.magnitude = 1;
    attempt.reasons.push_back({"wrong-rotary-width", fmt::format("{} pairs of channels turn, where {} are meant", reading.pairs, pairs)});
    attempt.cost += 1.05;
  }
  return attempt;
}

}  // namespace

// Part of the observed turns that could be turns of this reading: on a circle, or as angles in proportion to the row.
double plausibility(const TurnWorld& world) {
  if (!world.has_rows()) return 1;
  std::size_t good = 0, all = 0;
  const double tolerance = 0.01 + 4 * unit_roundoff(world.dtype());
  for (std::size_t i = 0; i < world.rows().size(); ++i)
    for (std::size_t j = 0; j < world.pairs(); ++j, ++all) good += std::fabs(std::hypot(world.cosine(i, j), world.sine(i, j)) - world.amplitude()) <= tolerance * world.amplitude();
  return all > 0 ? static_cast<double>(good) / static_cast<double>(all) : 0;
}

// Angles grow by the same step from row to row.
double straightness(const Dump& dump, const TurnReading& reading) {
  if (reading.rows < 4) return 0.5;
  std::vector<double> values(static_cast<std::size_t>(4 * reading.width));
  dump.arrays[reading.cosine.array].read(0, 4 * reading.width, values.data());
  Index good = 0;
  for (Index j = 0; j < reading.width; ++j) {
    const auto at = [&](Index row) { return values[static_cast<std::size_t>(row * reading.width + j)]; };
    const double step = at(2) - at(1), next = at(3) - at(2);
    good += step > 0 && std::fabs(next - step) <= (0.01 + 4 * unit_roundoff(dump.arrays[0].dtype)) * step + 1e-12;
  }
  return static_cast<double>(good) / static_cast<double>(reading.width);
}

namespace {

std::string arithmetic_of(const TurnWorld& world, const TurnTally& tally, Tier tier) {
  if (tier == Tier::exact) return "correctly rounded";
  if (tally.in_double && world.reading().form != Form::vectors) return "angles in double precision";
  if (world.reading().form == Form::vectors) return fmt::format("turns within what rounding to {} allows", name_of(world.dtype()));
  const auto nearest = nearest_arithmetic(world);
  if (!nearest) return "float32 angles";
  if (nearest->ulps == 0) return fmt::format("{}, bit for bit at the rows probed", nearest->dialect->name);
  if (nearest->ulps <= 4) return fmt::format("{}, within {:g} ulp at the rows probed", nearest->dialect->name, nearest->ulps);
  return fmt::format("float32 angles of no known codebase (nearest: {}, {:.3g} ulps away)", nearest->dialect->name, nearest->ulps);
}

void add_notes(const Expectation& expected, const Attempt& attempt, const Wanted& wanted, Diagnosis& diagnosis) {
  const TurnReading& reading = attempt.reading;
  if (reading.form != Form::vectors && reading.pairing == Pairing::adjacent)
    diagnosis.notes.push_back("columns repeat by neighbours: for kernels that turn channels 2j and 2j+1");
  if (wanted.pairing && !wanted.by_hand && reading.form != Form::vectors && reading.pairing && *reading.pairing != *wanted.pairing)
    diagnosis.notes.push_back(fmt::format("{} pairs channels otherwise: right where the weights were permuted to suit, wrong where they were not (--layout or --pairing demands one)", wanted.from));
  if (expected.parameters.has("mscale-all-dim") && expected.encoding->name == "rope")
    diagnosis.notes.push_back("a program with mscale_all_dim also multiplies its scores by (0.1·mscale_all_dim·ln factor + 1)²: no table shows whether it does");
  if (expected.parameters.has("max-position") && !expected.rows && reading.run == 0 && reading.form == Form::turns) {
    const Index longest = expected.parameters.integer("max-position");
    if (reading.rows < longest) diagnosis.notes.push_back(fmt::format("the table has {} rows and the config promises {} positions: --length {} would demand them", reading.rows, longest, longest));
  }
  if (expected.dialect && expected.dialect->steps && diagnosis.tier <= Tier::drift && !diagnosis.arithmetic.starts_with(std::string(expected.dialect->name) + ","))
    diagnosis.notes.push_back(fmt::format("the arithmetic of dialect {} is another; both are within the bound", expected.dialect->name));
}

std::string bound_sentence(const TurnWorld& world) {
  const double widest = world.truth().growth.empty() ? 0 : world.truth().growth.back();
  if (world.reading().form == Form::vectors)
    return fmt::format("K·2^-24·angle + 4√2·u, u = {:.3g} one rounding of the vectors' type: table, two products and a sum", unit_roundoff(world.dtype()));
  return fmt::format("A·(K·2^-24·angle + 3·2^-24 + u), A = {:.6g}, u = {:.3g} one rounding to {}; K = 10 roundings + ln(base)·2j/d for the exponent + 2j for a power taken by "
                     "multiplication (at most {:.3g} here){}",
                     world.truth().magnitude, unit_roundoff(world.dtype()), name_of(world.dtype()), *std::ranges::max_element(world.truth().growth),
                     widest < *std::ranges::max_element(world.truth().growth) ? " + 4(1/r − 1) on a ramp" : "");
}

// A vector of frequencies has one row; every pair is looked at.
TurnTally tally_frequencies(const TurnWorld& world, const Attempt& attempt) {
  TurnTally tally;
  const TurnPrediction prediction(world.start(), world.truth().growth, 0x1p-24, unit_roundoff(world.dtype()));
  std::vector<double> want(world.pairs()), bound(world.pairs());
  prediction.frequencies(want.data(), bound.data());
  for (std::size_t j = 0; j < world.pairs(); ++j) {
    const double got = world.measured()[j], off = std::fabs(got - want[j]);
    ++tally.cells;
    // Of periods and factors the number in the file is another, and so is its rounding.
    const bool reciprocal = attempt.reading.form != Form::frequencies;
    const double round = reciprocal ? 1 / rounded(1 / want[j], world.dtype()) : rounded(want[j], world.dtype());
    if (attempt.reading.form == Form::factors || got != round) {
      tally.rounded_otherwise += got != round;
      if (got != round && round != 0) tally.ulps = std::max(tally.ulps, std::fabs(got / round - 1) / unit_roundoff(world.dtype()) / 2);
    }
    const Cell cell{fmt::format("pair {}", j), want[j], got};
    if (!std::isfinite(got) && tally.not_finite++ == 0) tally.first_not_finite = cell;
    if (!(off <= bound[j]) && !tally.first_wrong) tally.first_wrong = cell;
    if (!(off <= std::fabs(want[j]) * (world.truth().growth[j] * 0x1p-53 + unit_roundoff(world.dtype())))) tally.in_double = false;
    if (tally.worst_cell.place.empty() || off > tally.worst) tally.worst = off, tally.worst_cell = cell, tally.bound = bound[j];
  }
  return tally;
}

TurnTally tally_of(const TurnWorld& world, const Dump& dump, const Attempt& attempt) {
  return world.has_rows() ? tally_truth(world, dump, attempt.effect) : tally_frequencies(world, attempt);
}

void take_tally(const TurnTally& tally, const TurnWorld& world, Diagnosis& diagnosis) {
  diagnosis.cells = tally.cells, diagnosis.rounded_otherwise = tally.rounded_otherwise, diagnosis.ulps = tally.ulps;
  diagnosis.worst = tally.worst, diagnosis.worst_cell = tally.worst_cell, diagnosis.bound = tally.bound;
  diagnosis.first_wrong = tally.first_wrong, diagnosis.curve = tally.curve;
  diagnosis.bound_from = bound_sentence(world);
  diagnosis.coverage = fmt::format("all {} values", tally.cells);
}

Reason not_finite(const TurnTally& tally) {
  return {"not-finite", fmt::format("{} values are NaN or infinite, the first at {}", tally.not_finite, tally.first_not_finite->place)};
}

// A short table is short whatever else it is.
std::optional<Reason> too_short(const Expectation& expected, const TurnReading& reading) {
  const bool rows = reading.form == Form::turns || reading.form == Form::angles || reading.form == Form::vectors;
  const Index has = reading.run > 0 ? reading.run : reading.rows;
  if (!rows || !expected.rows || has >= *expected.rows) return {};
  return Reason{"table-short", fmt::format("there are {} rows, where {} are meant", has, *expected.rows)};
}

std::vector<Attempt> attempts_of(const Expectation& expected, const Dump& dump, const TurnTruth& truth, const Wanted& wanted) {
  const bool table = std::holds_alternative<Table>(expected.effect);
  const auto pairs = static_cast<Index>(truth.frequencies.size());
  const bool vector = std::ranges::all_of(dump.arrays, [](const Stored& array) { return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) <= 1; });
  std::vector<TurnReading> readings = !table || vector || !dump.before.empty() ? turn_readings(dump, pairs) : truth.cosine_columns.empty() ? sinusoid_readings(dump) : grid_readings(dump, truth);
  if (!dump.before.empty()) {  // pairs that turn beyond or short of the width that is meant
    const std::vector<TurnReading> meant = readings;
    for (const Index other : {dump.arrays[0].shape.back() / 2, 2 * pairs * pairs / std::max<Index>(1, dump.arrays[0].shape.back()), 2 * pairs, pairs / 2})
      if (other != pairs && other > 0 && 2 * other <= dump.arrays[0].shape.back())
        for (TurnReading reading : meant) reading.pairs = other, readings.push_back(reading);
  }
  std::vector<Attempt> attempts;
  std::vector<std::string> names;
  for (const TurnReading& reading : readings) {
    if (std::ranges::find(names, reading.layout) == names.end()) names.push_back(reading.layout);
    if (!expected.layout.empty() && expected.layout != reading.layout) continue;
    if (auto attempt = attempt_of(expected, reading, truth, wanted)) attempts.push_back(std::move(*attempt));
  }
  if (attempts.empty() && !expected.layout.empty() && std::ranges::find(names, expected.layout) == names.end())
    throw UsageError(fmt::format("--file-layout {} does not suit {} of shape {}: choose {}", expected.layout, dump.arrays[0].shown, spell_shape(dump.arrays[0].shape), fmt::join(names, ", ")));
  if (attempts.empty())
    throw UsageError(fmt::format("{} has the shape {}, which is none of {} pairs: candidates were {}", dump.arrays[0].shown, spell_shape(dump.arrays[0].shape), pairs, fmt::join(names, ", ")));
  return attempts;
}

}  // namespace

// Vectors pass the channels that do not turn through.
bool passes_rest(const Dump& dump, const TurnReading& reading, const std::vector<Index>& rows) {
  if (reading.form != Form::vectors || 2 * reading.pairs == reading.width) return true;
  const Index rest = reading.width - 2 * reading.pairs;
  std::vector<double> x(static_cast<std::size_t>(rest)), y = x;
  for (const Index row : rows) {
    dump.before[0].read(row * reading.width + 2 * reading.pairs, rest, x.data());
    dump.arrays[0].read(row * reading.width + 2 * reading.pairs, rest, y.data());
    if (x != y) return false;
  }
  return true;
}

namespace {

// How much a reading looks like turns: where it says that columns are equal, they are.
struct Likelihood {
  double share = 0;  // of the cells that look like turns, and a quarter of the share of equal columns
  bool copies_differ = false;
};

Likelihood likelihood(const Expectation& expected, const Dump& dump, const Attempt& attempt, const TurnWorld& world) {
  const double share = attempt.reading.form == Form::angles ? straightness(dump, attempt.reading) : plausibility(world);
  if (!attempt.reading.cosine_copy) return {share, false};
  const std::vector<Index>& rows = world.rows();
  const TurnWorld copy(expected, dump, attempt.reading, attempt.truth, rows, true);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < world.pairs(); ++j) equal += world.cosine(i, j) == copy.cosine(i, j) && world.sine(i, j) == copy.sine(i, j);
  const std::size_t cells = rows.size() * world.pairs();
  return {share + 0.25 * static_cast<double>(equal) / static_cast<double>(std::max<std::size_t>(1, cells)), equal < cells};
}

Diagnosis diagnose_one(const Expectation& expected, const Dump& dump) {
  auto truth = turn_truth(expected.effect);
  if (expected.encoding->kind == Kind::table && expected.parameters.has("offset")) truth->shift = expected.parameters.integer("offset");
  const Wanted wanted = wanted_of(expected);
  std::vector<Attempt> attempts = attempts_of(expected, dump, *truth, wanted);
  std::vector<Index> more;
  Diagnosis diagnosis;

  // A reading that agrees with what is meant at the probes, judged by its every cell.
  std::vector<double> scores;
  const Attempt* best_start = nullptr;
  for (Attempt& attempt : attempts) {
    const std::vector<Index> rows = probe_rows(attempt.reading, original_of(expected), {});
    const TurnWorld world(expected, dump, attempt.reading, attempt.truth, rows);
    const bool rest = passes_rest(dump, attempt.reading, rows);
    Likelihood score = likelihood(expected, dump, attempt, world);
    if (!rest) score.share -= 0.5;
    if (score.copies_differ) attempt.cost += 1.1;  // to be called copies-differ
    scores.push_back(score.share);
    if (rest && (!best_start || attempt.cost < best_start->cost) && world.agrees(world.start())) best_start = &attempt;
  }

  const auto finish = [&](const Attempt& attempt, const TurnWorld& world, const TurnTally& tally) {
    diagnosis.layout = attempt.reading.layout;
    diagnosis.what = describe(dump, attempt.reading);
    take_tally(tally, world, diagnosis);
    add_notes(expected, attempt, wanted, diagnosis);
    if (const auto reason = too_short(expected, attempt.reading)) diagnosis.reasons.push_back(*reason), diagnosis.tier = Tier::wrong;
    return diagnosis;
  };

  if (best_start) {
    const TurnWorld world(expected, dump, best_start->reading, best_start->truth, probe_rows(best_start->reading, original_of(expected), {}));
    const TurnTally tally = tally_of(world, dump, *best_start);
    if (!tally.first_wrong && tally.not_finite == 0) {
      diagnosis.reasons = best_start->reasons;
      if (tally.copies_differ > 0)
        diagnosis.reasons.push_back({"copies-differ", fmt::format("the second columns of the pairs are not the first ones in {} rows, the first of them row {}", tally.copies_differ, tally.first_copy)});
      const bool vectors = world.reading().form == Form::vectors;
      diagnosis.tier = !diagnosis.reasons.empty() ? Tier::wrong : tally.exact() && !vectors ? Tier::exact : Tier::drift;
      diagnosis.arithmetic = arithmetic_of(world, tally, tally.exact() && !vectors ? Tier::exact : Tier::drift);
      diagnosis.before = diagnosis.after = tally.worst;
      if (diagnosis.tier <= Tier::drift)
        for (const TurnCause& cause : precision_causes())
          if (cause.row.tier == Tier::storage && !tally.exact())
            for (const auto& proposal : cause.propose(world, world.start()))  // a shorter type may hide within the drift of far positions
              if (tally.ulps > 2 && world.has_rows()) diagnosis.notes.push_back(proposal.sentence);
      return finish(*best_start, world, tally);
    }
    more = tally.suspects;
    if (tally.not_finite > 0) {
      diagnosis.reasons = {not_finite(tally)}, diagnosis.tier = Tier::wrong;
      return finish(*best_start, world, tally);
    }
  }

  // The smallest story, over the readings that look like turns at all; rows that refute it in the full pass become probes.
  const double highest = *std::ranges::max_element(scores);
  std::vector<Attempt> kept;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (highest < 0.9 || scores[i] >= highest - 0.1 || (scores[i] >= 0.95 && attempts[i].cost == 0)) kept.push_back(attempts[i]);
  for (int round = 0; round < 4; ++round) {
    std::vector<TurnWorld> worlds;
    std::vector<Search<TurnWorld>> searches;
    worlds.reserve(kept.size());
    for (Attempt& attempt : kept) {
      attempt.stories.clear();
      worlds.emplace_back(expected, dump, attempt.reading, attempt.truth, probe_rows(attempt.reading, original_of(expected), more));
      searches.emplace_back(worlds.back(), worlds.back().start(), std::span<const TurnCause>(turn_causes()));
    }
    Attempt* best = &kept.front();
    for (int depth = 0; depth <= 2; ++depth)
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i].stories.empty() || kept[i].cost + depth >= best->total()) continue;
        kept[i].stories = searches[i].at_depth(depth);
        if (kept[i].total() < best->total()) best = &kept[i];
      }
    if (best->stories.empty()) {  // unexplained: the reading that lies nearest
      std::vector<double> far;
      for (const TurnWorld& one : worlds) far.push_back(one.measure(one.start()).residual);
      best = &kept[static_cast<std::size_t>(std::ranges::min_element(far) - far.begin())];
    }
    const TurnWorld world(expected, dump, best->reading, best->truth, probe_rows(best->reading, original_of(expected), more));
    const TurnTally tally = tally_of(world, dump, *best);
    if (tally.not_finite > 0) {
      diagnosis.reasons = {not_finite(tally)}, diagnosis.tier = Tier::wrong;
      return finish(*best, world, tally);
    }
    std::vector<Index> refuted;
    while (!best->stories.empty() && world.has_rows()) {
      refuted = disagreeing_rows(world, dump, best->stories.front().story, false);
      if (refuted.empty()) break;
      best->stories.erase(best->stories.begin());
    }
    if (best->stories.empty() && !refuted.empty() && round < 3) {
      more.insert(more.end(), refuted.begin(), refuted.end());
      continue;
    }
    diagnosis.tier = Tier::wrong;
    diagnosis.before = world.measure(world.start()).residual, diagnosis.after = diagnosis.before;
    if (!best->stories.empty()) {
      const Explanation<TurnWorld>& story = best->stories.front();
      const bool nothing_held = story.fit.residual == 0 && story.reasons.back().cause == "uninitialised";  // noise tells no width
      if (!nothing_held) diagnosis.reasons = best->reasons;
      diagnosis.reasons.insert(diagnosis.reasons.end(), story.reasons.begin(), story.reasons.end());
      if (tally.copies_differ > 0 && !nothing_held)
        diagnosis.reasons.push_back({"copies-differ", fmt::format("the second columns of the pairs are not the first ones in {} rows, the first of them row {}", tally.copies_differ, tally.first_copy)});
      diagnosis.after = story.fit.residual;
      diagnosis.tier = best->reasons.empty() && tally.copies_differ == 0 ? story.tier : Tier::wrong;
      for (std::size_t i = 1; i < best->stories.size() && diagnosis.others.size() < 4; ++i) {
        if (best->stories[i].cost > story.cost + 0.3) break;
        const auto same_cause = [](const Reason& a, const Reason& b) { return a.cause == b.cause; };
        if (std::ranges::equal(best->stories[i].reasons, story.reasons, same_cause)) continue;  // the same with another digit
        std::string text;
        for (const Reason& reason : best->stories[i].reasons) text += (text.empty() ? "" : "; ") + fmt::format("{} [{}]", reason.sentence, reason.cause);
        diagnosis.others.push_back(text);
      }
    }
    if (diagnosis.reasons.empty() && tally.copies_differ > 0)
      diagnosis.notes.push_back(fmt::format("the second columns of the pairs are not the first ones in {} rows", tally.copies_differ));
    return finish(*best, world, tally);
  }
  return diagnosis;
}

}  // namespace

LikelyReading likely_reading(const Expectation& expected, const Dump& dump) {
  auto truth = turn_truth(expected.effect);
  if (expected.encoding->kind == Kind::table && expected.parameters.has("offset")) truth->shift = expected.parameters.integer("offset");
  std::optional<LikelyReading> likely;
  double best = 0;
  for (const Attempt& attempt : attempts_of(expected, dump, *truth, wanted_of(expected))) {
    const TurnWorld world(expected, dump, attempt.reading, attempt.truth, probe_rows(attempt.reading, original_of(expected), {}));
    const double share = world.measure(world.start()).share, score = likelihood(expected, dump, attempt, world).share + share / 2 - attempt.cost / 4;
    if (likely && !(score > best)) continue;
    best = score;
    likely = LikelyReading{attempt.reading, attempt.truth, attempt.effect, share};
  }
  return *likely;
}

Diagnosis diagnose_turns(const Expectation& expected, const Dump& dump) {
  if (dump.before.empty()) return diagnose_one(expected, dump);
  if (dump.before.size() != dump.arrays.size())
    throw UsageError(fmt::format("{} arrays before and {} after: give as many of each, in the same order", dump.before.size(), dump.arrays.size()));
  std::vector<Diagnosis> each;
  for (std::size_t i = 0; i < dump.arrays.size(); ++i) {
    if (dump.before[i].shape != dump.arrays[i].shape)
      throw UsageError(fmt::format("{} is {} and {} is {}: vectors before and after must have one shape", dump.before[i].shown, spell_shape(dump.before[i].shape), dump.arrays[i].shown,
                                   spell_shape(dump.arrays[i].shape)));
    each.push_back(diagnose_one(expected, {{dump.arrays[i]}, {dump.before[i]}}));
  }
  const auto is_reversed = [](const Diagnosis& one) { return one.reasons.size() == 1 && one.reasons[0].cause == "direction-reversed"; };
  if (each.size() > 1 && std::ranges::all_of(each, is_reversed)) {
    Diagnosis both = each[0];
    both.reasons.clear(), both.tier = Tier::drift, both.first_wrong.reset();
    both.notes.push_back("queries and keys both turn the other way: their products are the same, so this is equivalent");
    return both;
  }
  return *std::ranges::max_element(each, {}, [](const Diagnosis& one) { return static_cast<int>(one.tier); });
}

}  // namespace pe
