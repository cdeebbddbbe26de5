// What a dump of turns is: its readings, the candidate that agrees best, and what else it may be.
#include "pe/diagnosis/identify/rotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/digits.hpp"
#include "pe/base/error.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/agreements.hpp"
#include "pe/diagnosis/identify/bases.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// The same frequencies to more digits than any table tells: float32 arithmetic differs by more.
bool same_turns(const AgreeingCandidate& a, const AgreeingCandidate& b) {
  const auto f = rotation_truth(a.expected.effect), g = rotation_truth(b.expected.effect);
  if (!f || !g || f->frequencies.size() != g->frequencies.size() ||
      std::fabs(f->magnitude - g->magnitude) > 1e-6)
    return false;
  for (std::size_t j = 0; j < f->frequencies.size(); ++j)
    if (std::fabs(f->frequencies[j] - g->frequencies[j]) > 1e-6 * g->frequencies[j]) return false;
  return true;
}

std::string spell_frequencies(const Measured& measured) {
  std::vector<std::string> some;
  const std::size_t n = measured.frequencies.size();
  for (std::size_t j = 0; j < n; ++j)
    if (j < 4 || j + 2 >= n) some.push_back(fmt::format("{:.6g}", measured.frequencies[j]));
  if (n > 6) some.insert(some.begin() + 4, "…");
  return fmt::format("{}", fmt::join(some, ", "));
}

// ", times 1.1902, as longrope's by 32 of 4096 are": "" where they are as long as they should be.
std::string spell_amplitude(const Measured& measured) {
  const double a = measured.amplitude, error = 4 * measured.amplitude_error * a;
  if (!measured.has_amplitude || std::fabs(a - 1) <= std::max(error, 1e-3)) return "";
  for (const double factor : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0}) {
    if (std::fabs(0.1 * std::log(factor) + 1 - a) <= error)
      return fmt::format(", times {:.5g}, as yarn's by {:g} are", a, factor);
    for (const double original : {4096.0, 8192.0, 2048.0, 16384.0, 32768.0})
      if (std::fabs(std::sqrt(1 + std::log(factor) / std::log(original)) - a) <= error)
        return fmt::format(", times {:.5g}, as longrope's by {:g} of {:g} are", a, factor,
                           original);
  }
  return fmt::format(", times {:.5g}", a);
}

// Vectors show their own pairing, which no ladder of the catalogue says.
void say_pairing(AgreeingCandidate& match, Pairing pairing, Index length) {
  Candidate other = match.candidate;
  other.given["pairing"] =
      identified(pairing == Pairing::adjacent ? "adjacent" : "adjacent-to-halves");
  auto made = expectation_of(other, length, match.expected.first, false);
  if (!made) return;
  made->layout = match.expected.layout;
  match.candidate = std::move(other);
  match.expected = std::move(*made);
}

// In the layout and the pairing that it was seen in.
AgreeingCandidate as_seen(AgreeingCandidate hit, const Dump& dump, Index length) {
  const RotationReading& reading = hit.seen.reading;
  hit.expected.layout = hit.expected.encoding->kind == Kind::table
                            ? sinusoidal_layout(dump, reading)
                            : reading.layout;
  if (reading.form == Form::vectors && reading.pairing && reading.pairing != Pairing::halves)
    say_pairing(hit, *reading.pairing, length);
  return hit;
}

// Whether a base has the digits of one that was fitted.
bool is_fitted(const AgreeingCandidate& hit) {
  constexpr int few_digits = 4;
  const auto base = hit.candidate.given.find("base");
  if (base == hit.candidate.given.end()) return false;
  const double value = Decimal(base->second.text).value();
  return !has_digits(value, few_digits);
}

bool agrees(const Diagnosis& diagnosis) {
  return diagnosis.tier != Tier::wrong && diagnosis.reasons.empty();
}

using Held = std::pair<AgreeingCandidate, Diagnosis>;

// Whether a candidate with as few faults leaves so much less that the other's base was a number
// near the right one.
bool is_nearer(const Held& one, const Held& other) {
  const auto left = [](const Diagnosis& diagnosis) {
    return diagnosis.reasons.empty() ? diagnosis.worst : diagnosis.after;
  };
  return is_fitted(other.first) && one.second.reasons.size() == other.second.reasons.size() &&
         2 * left(one.second) < left(other.second);
}

// The cheapest that agrees with every value, and not with the rows probed alone; the cheapest where
// none does. A base of many digits stands back behind one that comes nearer.
Held best_of(const std::vector<AgreeingCandidate>& hits, const Dump& dump, Index length,
             int most_causes) {
  const std::size_t most = most_causes > 1 ? 1 : 6;
  std::optional<Held> best;
  for (std::size_t i = 0; i < std::min(most, hits.size()); ++i) {
    AgreeingCandidate hit = as_seen(hits[i], dump, length);
    hit.expected.searches = most_causes > 0;
    hit.expected.most_causes = most_causes;
    Held one{hit, diagnose(hit.expected, dump)};
    const bool is_whole = agrees(one.second);
    if (!best || is_whole > agrees(best->second) ||
        (is_whole == agrees(best->second) && is_nearer(one, *best)))
      best = std::move(one);
    if (agrees(best->second) && !(is_fitted(best->first) && best->second.tier == Tier::drift))
      break;
  }
  return *best;
}

// The base in use beside a fitted one, where it holds as well: an arithmetic that multiplies on
// leaves its roundings in every pair, as a base near the right one does.
Held with_usual_base(Held held, const Dump& dump, Index length) {
  constexpr double near = 1e-5;
  if (!agrees(held.second) || !is_fitted(held.first)) return held;
  const double fitted = Decimal(held.first.candidate.given.at("base").text).value();
  for (const Base& base : bases_in_use()) {
    if (std::fabs(base.value / fitted - 1) > near) continue;
    AgreeingCandidate other = held.first;
    other.candidate.given["base"].text = fmt::format("{:.0f}", base.value);
    auto made = expectation_of(other.candidate, length, held.first.expected.first, false);
    if (!made) continue;
    made->layout = held.first.expected.layout;
    made->step = held.first.expected.step;
    made->listed = held.first.expected.listed;
    made->searches = false;
    other.expected = std::move(*made);
    if (Diagnosis diagnosis = diagnose(other.expected, dump); agrees(diagnosis))
      return {std::move(other), std::move(diagnosis)};
  }
  return held;
}

std::optional<Identification> identify_one(const Dump& dump, const std::string& layout,
                                           Admit admit) {
  const auto blank = expectation_of(
      {.encoding = &find_encoding("rope"), .given = {}, .cost = 0, .model = {}}, 1024, 0, false);
  std::vector<FrequencyEstimate> all;
  std::vector<std::string> names;
  for (const RotationReading& reading : readings_of(dump)) {
    names.push_back(reading.layout);
    const std::string table = sinusoidal_layout(dump, reading);
    if (!layout.empty() && layout != reading.layout && layout != table) continue;
    // Whole numbers are indices or positions, no angles.
    if (reading.form == Form::angles && is_integer(dump.arrays[reading.cosine.array].dtype))
      continue;
    if (!has_rows(reading) && reading.pairs > most_pairs) continue;
    if (auto seen = look(dump, reading, *blank)) all.push_back(std::move(*seen));
  }
  if (all.empty() && (layout.empty() || std::ranges::find(names, layout) != names.end())) return {};
  if (all.empty())
    throw UsageError(fmt::format("--file-layout {} does not suit {} of shape {}: choose {}", layout,
                                 dump.arrays[0].shown, spell_shape(dump.arrays[0].shape),
                                 fmt::join(names, ", ")));
  const bool rows = has_rows(all.front().reading);
  std::ranges::stable_sort(all, std::greater{}, &FrequencyEstimate::score);
  const double highest = all.front().score;
  if (rows && highest < 0.75) return {};
  std::erase_if(all,
                [&](const FrequencyEstimate& seen) { return rows && seen.score < highest - 0.35; });
  const std::vector<AgreeingCandidate> hits = agreements_of(dump, all, admit);
  Identification found;
  if (hits.empty()) {
    if (!rows) return {};
    const RotationReading& reading = all.front().reading;
    const Measured& measured = all.front().measured;
    const bool stand =
        std::ranges::all_of(measured.frequencies, [](double turn) { return turn == 0; });
    const bool unknown =
        std::ranges::all_of(measured.frequencies, [](double turn) { return std::isnan(turn); });
    found.seen =
        unknown ? fmt::format("{}: too few numbers to tell how fast its {} pairs turn",
                              describe(dump, reading), reading.pairs)
        : stand
            ? fmt::format("{}: its {} pairs do not turn from position to position",
                          describe(dump, reading), reading.pairs)
            : fmt::format(
                  "{}: {} pairs turn, by {} radians a position{}, and no ladder of the catalogue "
                  "or of a known rule has these",
                  describe(dump, reading), reading.pairs, spell_frequencies(measured),
                  spell_amplitude(measured));
    return found;
  }
  // Causes are looked for where no candidate holds without one: that takes a hundred times as long.
  Held held = best_of(hits, dump, longest(all), 0);
  if (!agrees(held.second) && admit != Admit::held_tables) {
    held = best_of(hits, dump, longest(all), 1);
    if (held.second.tier == Tier::wrong && held.second.reasons.empty())
      held = best_of(hits, dump, longest(all), 2);
  }
  held = with_usual_base(std::move(held), dump, longest(all));
  const auto& [best, diagnosis] = held;
  found.diagnosis = diagnosis;
  found.encoding = best.candidate.encoding;
  found.first = best.seen.first;
  found.step = best.seen.step;
  found.listed = best.seen.listed;
  std::vector<std::string> near;
  for (const AgreeingCandidate& hit : hits) {
    if (!hit.candidate.model.empty() &&
        hit.candidate.encoding->kind == best.candidate.encoding->kind)
      if (auto& models = same_turns(hit, best) ? found.models : near;
          std::ranges::find(models, hit.candidate.model) == models.end())
        models.push_back(hit.candidate.model);
    if (hit.candidate.encoding->kind == best.candidate.encoding->kind) continue;
    if (!found.equals.empty()) continue;  // the cheapest speaks for its kind
    if (const std::string other = fmt::format("{} base {}", hit.candidate.encoding->name,
                                              hit.candidate.given.at("base").text);
        std::ranges::find(found.equals, other) == found.equals.end())
      found.equals.push_back(other);
  }
  tell_ladder(best.candidate, best.expected, best.seen.reading, dump, found);
  for (const std::string& model : near) {
    found.alternatives.push_back(fmt::format(
        "{}, whose frequencies are others: the dump is too short or too coarse to tell", model));
    found.equals.push_back(fmt::format("{} {}", found.encoding->name, model));
  }
  return found;
}

}  // namespace

std::optional<Identification> identify_turns(const Dump& dump, const std::string& layout,
                                             Admit admit) {
  auto found = identify_one(dump, layout, admit);
  if (found && found->encoding) return found;
  for (const Dump& rolled : unrolled(dump))
    if (auto other = identify_one(rolled, layout, admit); other && other->encoding) {
      other->alternatives.insert(other->alternatives.begin(),
                                 fmt::format("one axis of {} numbers, read as rows of {}",
                                             dump.arrays[0].size(), rolled.arrays[0].shape[1]));
      return other;
    }
  return found;
}

std::optional<Identification> identify_whole_turns(const Dump& dump,
                                                   const std::string& layout) try {
  auto found = identify_turns(dump, layout, Admit::whole_tables);
  const bool is_whole = found && found->encoding && found->diagnosis.tier != Tier::wrong &&
                        found->diagnosis.reasons.empty();
  return is_whole ? std::move(found) : std::nullopt;
} catch (const UsageError&) {
  return {};
}

}  // namespace pe
