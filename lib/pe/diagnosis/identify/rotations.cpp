// Readings by their structure, frequencies from the turns between rows, candidates held against the
// rows probed.
#include "pe/diagnosis/identify/rotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/estimate.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

struct Match {
  const FrequencyEstimate* seen = nullptr;
  Candidate candidate;
  Expectation expected;
  Fit fit;
};

bool says_any(const Dump& dump, std::initializer_list<std::string_view> parts) {
  for (const Stored& array : dump.arrays)
    for (const std::string_view part : parts)
      if (array.name.find(part) != std::string::npos) return true;
  return false;
}

// A table of sinusoids and a cache of turns may hold the same numbers: names decide, else the order
// that each has as a rule.
double cost_of_kind(const Dump& dump, const RotationReading& reading, bool table) {
  const bool rope = says_any(dump, {"rope", "rotary", "freq", "cos"}),
             sums = says_any(dump, {"pe", "pos", "sinus", "embed", "weight"}) && !rope;
  const bool sines_first = reading.layout == "turns-swapped" || reading.layout == "sin-cos";
  if (rope || sums) return rope == table ? 1.5 : 0;
  return sines_first == table ? 0 : 1.5;
}

// What the catalogue holds, made once for a length.
class Catalogue {
 public:
  explicit Catalogue(Index length) {
    for (const Candidate& candidate : guesses_of_models()) {
      if (candidate.encoding->kind != Kind::rotation && candidate.encoding->name != "sinusoidal")
        continue;
      if (auto expected = expectation_of(candidate, length, 0, false))
        all_.emplace_back(candidate, std::move(*expected));
    }
  }
  std::vector<std::pair<Candidate, Expectation>> of_pairs(Index pairs) const {
    std::vector<std::pair<Candidate, Expectation>> some;
    for (const auto& one : all_)
      if (const Rotation* rotation = std::get_if<Rotation>(&one.second.effect);
          rotation && rotation->pairs == pairs && rotation->waves && !rotation->coordinates)
        some.push_back(one);
    return some;
  }

 private:
  std::vector<std::pair<Candidate, Expectation>> all_;
};

std::optional<RotationTruth> truth_of(const Expectation& expected, const RotationReading& reading) {
  auto truth = rotation_truth(expected.effect);
  if (!truth || static_cast<Index>(truth->frequencies.size()) != reading.pairs) return {};
  if (reading.form == Form::angles) truth->magnitude = 1;
  return truth;
}

class Work {
 public:
  Work(Kept<Dump> dump, std::vector<FrequencyEstimate> seen, Index length)
      : dump_(dump), seen_(std::move(seen)), length_(length), catalogue_(length) {}

  // Guesses of one stage that agree with a reading, cheapest first.
  std::vector<Match> agreeing(FrequencyEstimate&&,
                              const std::vector<std::pair<Candidate, Expectation>>&) const = delete;
  std::vector<Match> agreeing(
      const FrequencyEstimate& seen,
      const std::vector<std::pair<Candidate, Expectation>>& candidates) const {
    std::vector<Match> hits;
    for (const auto& [candidate, made] : candidates) {
      Expectation expected = made;
      expected.first = seen.first;
      expected.step = seen.step;
      const auto truth = truth_of(expected, seen.reading);
      if (!truth) continue;
      const RotationObservation observation(expected, dump_, seen.reading, *truth, seen.rows);
      RotationHypothesis hypothesis = observation.start();
      hypothesis.reversed = seen.backwards;
      if (!observation.finite() || !observation.agrees(hypothesis)) continue;
      hits.push_back({&seen, candidate, expected, observation.measure(hypothesis)});
    }
    std::ranges::stable_sort(hits, {}, [](const Match& hit) { return hit.candidate.cost; });
    return hits;
  }

  std::vector<std::pair<Candidate, Expectation>> made(const std::vector<Candidate>& candidates,
                                                      double more) const {
    std::vector<std::pair<Candidate, Expectation>> all;
    for (const Candidate& candidate : candidates)
      if (auto expected = expectation_of(candidate, length_, 0, false)) {
        all.emplace_back(candidate, std::move(*expected));
        all.back().first.cost += more;
      }
    return all;
  }

  std::vector<std::pair<Candidate, Expectation>> usual(const FrequencyEstimate& seen) const {
    const std::string layout = sinusoidal_layout(dump_, seen.reading);
    const double rope_cost = layout.empty() ? 0 : cost_of_kind(dump_, seen.reading, false);
    std::vector<std::pair<Candidate, Expectation>> all = catalogue_.of_pairs(seen.reading.pairs);
    for (auto& one : all)
      one.first.cost += rope_cost + (one.first.given.contains("scaling") ? 0.3 : 0.2);
    for (auto& one : made(plain_guesses(seen.measured), rope_cost)) all.push_back(std::move(one));
    if (!layout.empty())
      for (auto& one : made(sinusoidal_guesses(seen.measured, seen.reading.width, layout),
                            cost_of_kind(dump_, seen.reading, true)))
        all.push_back(std::move(one));
    return all;
  }

  // The ladders to look for row 0 with: what was measured, then in turn the nearest, and the
  // cheapest of those within the errors of what was measured.
  using Ladder = std::pair<const Expectation*, std::vector<double>>;
  std::vector<Ladder> likely_ladders(
      const FrequencyEstimate& seen,
      const std::vector<std::pair<Candidate, Expectation>>& candidates) const {
    constexpr std::size_t most = 9;
    using Ranked = std::pair<double, Ladder>;
    std::vector<Ranked> nearest, cheapest;
    for (const auto& [candidate, expected] : candidates)
      if (const auto truth = truth_of(expected, seen.reading)) {
        const Ladder ladder{&expected, truth->frequencies};
        nearest.emplace_back(distance_of(seen.measured, truth->frequencies), ladder);
        if (is_within(seen.measured, truth->frequencies))
          cheapest.emplace_back(candidate.cost, ladder);
      }
    for (auto* ranked : {&nearest, &cheapest})
      std::ranges::stable_sort(*ranked, {}, [](const Ranked& one) { return one.first; });
    std::vector<Ladder> all;
    const auto add = [&](const Ladder& ladder) {
      if (all.size() < most && std::ranges::find(all, ladder.second, &Ladder::second) == all.end())
        all.push_back(ladder);
    };
    if (!nearest.empty() &&
        std::ranges::all_of(seen.measured.frequencies, [](double f) { return std::isfinite(f); }))
      add({nearest[0].second.first, seen.measured.frequencies});
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      add(nearest[i].second);
      if (i < cheapest.size()) add(cheapest[i].second);
    }
    return all;
  }

  // Whether another first position was found.
  bool find_offset(FrequencyEstimate& seen,
                   const std::vector<std::pair<Candidate, Expectation>>& candidates) const {
    if (!has_rows(seen.reading) || seen.at_origin || candidates.empty()) return false;
    Origin best{.first = seen.first};
    for (const auto& [expected, frequencies] : likely_ladders(seen, candidates)) {
      const RotationTruth truth = *truth_of(*expected, seen.reading);
      const Origin origin = origin_of(dump_, seen, *expected, truth, frequencies);
      if (origin.first != 0 && origin.off < best.off) best = origin;
    }
    const bool is_new = best.first != seen.first;
    seen.first = best.first;
    return is_new;
  }

  // Stage by stage: what is known, the same from another position on or in steps, fitted scalings,
  // faults, lists; each over all readings.
  std::vector<Match> search(Admit admit) {
    std::vector<std::vector<std::pair<Candidate, Expectation>>> usuals;
    std::vector<Match> first;
    for (const FrequencyEstimate& seen : seen_) {
      usuals.push_back(usual(seen));
      std::ranges::move(agreeing(seen, usuals.back()), std::back_inserter(first));
      // How much of a vector turns is told by the ladder alone, where slow pairs hardly move.
      if (!first.empty() && seen.reading.form != Form::vectors) return first;
    }
    std::ranges::stable_sort(first, {}, [](const Match& hit) { return hit.candidate.cost; });
    if (!first.empty()) return first;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (find_offset(seen_[i], usuals[i]))
        if (auto hits = agreeing(seen_[i], usuals[i]); !hits.empty()) return hits;
    if (auto hits = in_steps(); !hits.empty()) return hits;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (auto hits = scaled(seen_[i], usuals[i]); !hits.empty()) return hits;
    if (admit == Admit::whole_tables) return {};
    if (auto hits = faulty(usuals); !hits.empty()) return hits;
    for (FrequencyEstimate& seen : seen_) {
      narrow(dump_, seen);
      auto hits = agreeing(seen, made(listed_guesses(seen.measured), 0));
      // A list fits whatever was probed: it is one where every value says so.
      std::erase_if(hits, [&](Match& hit) {
        hit.expected.layout = seen.reading.layout;
        return diagnose(hit.expected, dump_).tier == Tier::wrong;
      });
      if (!hits.empty()) return hits;
    }
    return {};
  }

 private:
  // Scalings fitted to what was measured, from where row 0 is thought to stand, and from where they
  // themselves place it. They join the candidates for a fault.
  std::vector<Match> scaled(FrequencyEstimate& seen,
                            std::vector<std::pair<Candidate, Expectation>>& candidates) const {
    auto more = made(scaled_guesses(seen.measured), 0);
    auto hits = agreeing(seen, more);
    if (hits.empty() && find_offset(seen, more)) hits = agreeing(seen, more);
    for (auto& one : more) candidates.push_back(std::move(one));
    return hits;
  }

  // Of positions in steps; the estimates that hold are kept with the others.
  std::vector<Match> in_steps() {
    for (const FrequencyEstimate& seen : seen_)
      for (const FrequencyEstimate& one : stepped(seen)) {
        kept_.push_back(std::make_unique<FrequencyEstimate>(one));
        auto candidates = usual(*kept_.back());
        find_offset(*kept_.back(), candidates);
        auto hits = agreeing(*kept_.back(), candidates);
        if (hits.empty()) hits = scaled(*kept_.back(), candidates);
        if (!hits.empty()) return hits;
      }
    return {};
  }

  // The nearest candidates with a fault that has a name.
  std::vector<Match> faulty(
      const std::vector<std::vector<std::pair<Candidate, Expectation>>>& all) const {
    struct Near {
      double distance;
      const FrequencyEstimate* seen;
      const std::pair<Candidate, Expectation>* made;
    };
    std::vector<Near> nearest;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      for (const auto& one : all[i])
        if (const auto truth = truth_of(one.second, seen_[i].reading))
          nearest.push_back(
              {distance_of(seen_[i].measured, truth->frequencies) + 0.001 * one.first.cost,
               &seen_[i], &one});
    std::ranges::stable_sort(nearest, {}, &Near::distance);
    std::vector<Match> best;
    std::size_t fewest = 3, tried = 0;
    for (const Near& near : nearest) {
      if (near.distance > 0.35 || ++tried > 6) break;
      Match hit{near.seen, near.made->first, near.made->second, {}};
      hit.expected.first = near.seen->first;
      hit.expected.layout = hit.expected.encoding->kind == Kind::table
                                ? sinusoidal_layout(dump_, near.seen->reading)
                                : near.seen->reading.layout;
      const Diagnosis diagnosis = diagnose(hit.expected, dump_);
      const std::size_t size = diagnosis.reasons.size() + (diagnosis.tier == Tier::wrong ? 1 : 0);
      if ((diagnosis.tier == Tier::wrong && diagnosis.reasons.empty()) || size >= fewest) continue;
      fewest = size;
      best = {hit};
    }
    return best;
  }

  const Dump& dump_;
  std::vector<FrequencyEstimate> seen_;
  std::vector<std::unique_ptr<FrequencyEstimate>> kept_;  // matches point at them
  Index length_;
  Catalogue catalogue_;
};

// The same frequencies to more digits than any table tells: float32 arithmetic differs by more.
bool same_turns(const Match& a, const Match& b) {
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

// Vectors show their own pairing, which no ladder of the catalogue says.
void say_pairing(Match& match, Pairing pairing, Index length) {
  Candidate other = match.candidate;
  other.given["pairing"] =
      identified(pairing == Pairing::adjacent ? "adjacent" : "adjacent-to-halves");
  auto made = expectation_of(other, length, match.expected.first, false);
  if (!made) return;
  made->layout = match.expected.layout;
  match.candidate = std::move(other);
  match.expected = std::move(*made);
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
  Index length = 1;
  for (const FrequencyEstimate& seen : all)
    length = std::max(length, seen.reading.run > 0 ? seen.reading.run : seen.reading.rows);
  Work work(dump, all, length);
  const std::vector<Match> hits = work.search(admit);
  Identification found;
  if (hits.empty()) {
    if (!rows) return {};
    found.seen = fmt::format(
        "{}: {} pairs turn, by {} radians a position, and no ladder of the catalogue or of a known "
        "rule has these",
        describe(dump, all.front().reading), all.front().reading.pairs,
        spell_frequencies(all.front().measured));
    return found;
  }
  Match best = hits.front();
  found.encoding = best.candidate.encoding;
  found.first = best.seen->first;
  found.step = best.seen->step;
  best.expected.layout = best.expected.encoding->kind == Kind::table
                             ? sinusoidal_layout(dump, best.seen->reading)
                             : best.seen->reading.layout;
  if (const RotationReading& reading = best.seen->reading;
      reading.form == Form::vectors && reading.pairing && reading.pairing != Pairing::halves)
    say_pairing(best, *reading.pairing, length);
  std::vector<std::string> near;
  for (const Match& hit : hits) {
    if (!hit.candidate.model.empty() &&
        hit.candidate.encoding->kind == best.candidate.encoding->kind)
      (same_turns(hit, best) ? found.models : near).push_back(hit.candidate.model);
    if (hit.candidate.encoding->kind == best.candidate.encoding->kind) continue;
    if (!found.equals.empty()) continue;  // the cheapest speaks for its kind
    if (const std::string other = fmt::format("{} base {}", hit.candidate.encoding->name,
                                              hit.candidate.given.at("base").text);
        std::ranges::find(found.equals, other) == found.equals.end())
      found.equals.push_back(other);
  }
  tell_ladder(best.candidate, best.expected, best.seen->reading, dump, found);
  for (const std::string& model : near) {
    found.alternatives.push_back(fmt::format(
        "{}, whose frequencies are others: the dump is too short or too coarse to tell", model));
    found.equals.push_back(fmt::format("{} {}", found.encoding->name, model));
  }
  found.diagnosis = diagnose(best.expected, dump);
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

}  // namespace pe
