// Candidates held against the rows probed, stage by stage: what is known, other positions, fitted
// scalings, faults, lists.
#include "pe/diagnosis/identify/agreements.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/decode.hpp"
#include "pe/model/positions.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

using Made = std::pair<Candidate, Expectation>;

// What the models of the catalogue turn by, made once for a length.
std::vector<Made> made_models(Index length) {
  std::vector<Made> all;
  for (const Candidate& candidate : guesses_of_models())
    if (candidate.encoding->kind == Kind::rotation || candidate.encoding->name == "sinusoidal")
      if (auto expected = expectation_of(candidate, length, 0, false))
        all.emplace_back(candidate, std::move(*expected));
  return all;
}

std::vector<Made> of_pairs(const std::vector<Made>& all, Index pairs) {
  std::vector<Made> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](const Made& one) {
    const Rotation* rotation = std::get_if<Rotation>(&one.second.effect);
    return rotation && rotation->pairs == pairs && rotation->waves && !rotation->coordinates;
  });
  return some;
}

std::optional<RotationTruth> truth_of(const Expectation& expected, const RotationReading& reading) {
  auto truth = rotation_truth(expected.effect);
  if (!truth || static_cast<Index>(truth->frequencies.size()) != reading.pairs) return {};
  if (reading.form == Form::angles) truth->magnitude = 1;
  return truth;
}

// Rows that all stand in one place tell nothing of how they would move on.
bool is_still(const std::vector<std::int64_t>& positions) {
  return positions.size() > 1 &&
         std::ranges::all_of(positions, [&](std::int64_t p) { return p == positions[0]; });
}

class AgreementSearch {
 public:
  AgreementSearch(Kept<Dump> dump, std::vector<FrequencyEstimate> seen)
      : dump_(dump),
        seen_(std::move(seen)),
        length_(longest(seen_)),
        models_(made_models(length_)) {}

  enum class Amplitude { own, any };

  // Guesses of one stage that agree with a reading, cheapest first; with `any` the amplitude is
  // what was measured.
  std::vector<AgreeingCandidate> agreeing(const FrequencyEstimate& seen,
                                          const std::vector<Made>& candidates,
                                          Amplitude amplitude = Amplitude::own) const {
    std::vector<AgreeingCandidate> hits;
    for (const auto& [plain, made] : candidates) {
      Candidate candidate = plain;
      Expectation expected = made;
      if (seen.reading.last && plain.encoding->name == "rope") {
        candidate.given["rotary-at"] = identified("last");
        auto remade = expectation_of(candidate, length_, 0, false);
        if (!remade) continue;
        expected = std::move(*remade);
      }
      expected.first = seen.first;
      expected.step = seen.step;
      expected.listed = seen.listed;
      const auto truth = truth_of(expected, seen.reading);
      if (!truth) continue;
      const RotationObservation observation(expected, dump_, seen.reading, *truth, seen.rows);
      RotationHypothesis hypothesis = observation.start();
      hypothesis.reversed = seen.backwards;
      if (amplitude == Amplitude::any)
        hypothesis.cosine_magnitude = hypothesis.sine_magnitude = seen.measured.amplitude;
      if (!observation.finite() || !observation.agrees(hypothesis)) continue;
      hits.push_back({seen, candidate, expected});
    }
    std::ranges::stable_sort(hits, {},
                             [](const AgreeingCandidate& hit) { return hit.candidate.cost; });
    return hits;
  }

  std::vector<Made> made(const std::vector<Candidate>& candidates, double more) const {
    std::vector<Made> all;
    for (const Candidate& candidate : candidates)
      if (auto expected = expectation_of(candidate, length_, 0, false)) {
        all.emplace_back(candidate, std::move(*expected));
        all.back().first.cost += more;
      }
    return all;
  }

  std::vector<Made> usual(const FrequencyEstimate& seen) const {
    const std::string layout = sinusoidal_layout(dump_, seen.reading);
    const double rope_cost = layout.empty() ? 0 : cost_of_kind(dump_, seen.reading, false);
    std::vector<Made> all = of_pairs(models_, seen.reading.pairs);
    for (auto& one : all)
      one.first.cost += rope_cost + (one.first.given.contains("scaling") ? 0.3 : 0.2);
    for (auto& one : made(plain_guesses(seen.measured), rope_cost)) all.push_back(std::move(one));
    if (!layout.empty())
      for (auto& one : made(sinusoidal_guesses(seen.measured, seen.reading.width, layout), 0)) {
        const bool telling = is_of_sinusoids_alone(one.first);
        one.first.cost += std::min(cost_of_kind(dump_, seen.reading, true), telling ? 0.2 : 2);
        all.push_back(std::move(one));
      }
    return all;
  }

  // The ladders to look for row 0 with: what was measured, then in turn the nearest, and the
  // cheapest of those within the errors of what was measured.
  using Ladder = std::pair<const Expectation*, std::vector<double>>;
  std::vector<Ladder> likely_ladders(const FrequencyEstimate& seen,
                                     const std::vector<Made>& candidates) const {
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
  bool find_offset(FrequencyEstimate& seen, const std::vector<Made>& candidates) const {
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
  std::vector<AgreeingCandidate> search(Admit admit) {
    std::vector<std::vector<Made>> usuals;
    for (const FrequencyEstimate& seen : seen_) usuals.push_back(usual(seen));
    auto hits = over_readings([&](std::size_t i) { return agreeing(seen_[i], usuals[i]); });
    if (hits.empty())
      hits = over_readings([&](std::size_t i) {
        return find_offset(seen_[i], usuals[i]) ? agreeing(seen_[i], usuals[i])
                                                : std::vector<AgreeingCandidate>{};
      });
    if (hits.empty()) hits = in_steps();
    if (hits.empty())
      hits = over_readings([&](std::size_t i) { return scaled(seen_[i], usuals[i]); });
    if (!hits.empty() && std::ranges::all_of(hits, has_amplitude_of_no_rule))
      if (auto plain = over_readings([&](std::size_t i) { return amplified(seen_[i], usuals[i]); });
          !plain.empty())
        return admit == Admit::faults_and_lists ? plain : std::vector<AgreeingCandidate>{};
    if (!hits.empty() || admit == Admit::held_tables) return hits;
    hits = anywhere();
    if (!hits.empty() || admit != Admit::faults_and_lists) return hits;
    hits = faulty(usuals);
    if (!hits.empty()) return hits;
    for (FrequencyEstimate& seen : seen_) {
      if (!may_be_fitted(seen)) continue;
      narrow(dump_, seen);
      hits = agreeing(seen, made(listed_guesses(seen.measured), 0));
      // A list fits whatever was probed: it is one where every value says so.
      std::erase_if(hits, [&](AgreeingCandidate& hit) {
        hit.expected.layout = seen.reading.layout;
        hit.expected.most_causes = 1;
        return diagnose(hit.expected, dump_).tier == Tier::wrong;
      });
      if (!hits.empty()) return hits;
    }
    return {};
  }

 private:
  // Scalings fitted to what was measured, from where row 0 is thought to stand, and from where they
  // themselves place it. They join the candidates for a fault.
  std::vector<AgreeingCandidate> scaled(FrequencyEstimate& seen,
                                        std::vector<Made>& candidates) const {
    const std::string layout = sinusoidal_layout(dump_, seen.reading);
    const std::vector<Candidate> fitted = scaled_guesses(seen.measured);
    auto more = made(fitted, layout.empty() ? 0 : cost_of_kind(dump_, seen.reading, false));
    if (!layout.empty())
      for (auto& one : made(divided_guesses(fitted, seen.measured, seen.reading.width, layout),
                            cost_of_kind(dump_, seen.reading, true)))
        more.push_back(std::move(one));
    auto hits = agreeing(seen, more);
    if (hits.empty() && find_offset(seen, more)) hits = agreeing(seen, more);
    for (auto& one : more) candidates.push_back(std::move(one));
    return hits;
  }

  static bool has_amplitude_of_no_rule(const AgreeingCandidate& hit) {
    return hit.candidate.model.empty() && hit.candidate.given.contains("attention-factor");
  }
  // A plain ladder times a number: simpler than a scaling that has to be told the same number.
  std::vector<AgreeingCandidate> amplified(const FrequencyEstimate& seen,
                                           const std::vector<Made>& candidates) const {
    std::vector<Made> plain;
    std::ranges::copy_if(candidates, std::back_inserter(plain),
                         [](const Made& one) { return !one.first.given.contains("scaling"); });
    constexpr std::size_t most = 3;  // each has a fault that takes a while to find
    auto hits = agreeing(seen, plain, Amplitude::any);
    if (hits.size() > most) hits.erase(hits.begin() + most, hits.end());
    return hits;
  }

  // What a candidate costs beside others of vectors: of two that are as simple the one that turns
  // no pair which nobody saw turning.
  static double cost_of_vectors(const AgreeingCandidate& hit) {
    const std::vector<double>& frequencies = hit.seen.measured.frequencies;
    const auto idle = static_cast<double>(std::ranges::count(frequencies, 0.0));
    return hit.candidate.cost + 0.04 * idle / static_cast<double>(frequencies.size());
  }

  // The hits of one stage: of the likeliest reading that has any. How much of a vector turns is
  // told by the ladder alone, where slow pairs hardly move: of vectors the cheapest of all.
  template <typename HitsOf>
  std::vector<AgreeingCandidate> over_readings(const HitsOf& hits_of) const {
    std::vector<AgreeingCandidate> all;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      std::ranges::move(hits_of(i), std::back_inserter(all));
      if (!all.empty() && seen_[i].reading.form != Form::vectors) return all;
    }
    std::ranges::stable_sort(all, {}, cost_of_vectors);
    return all;
  }

  // Of positions in steps.
  std::vector<AgreeingCandidate> in_steps() const {
    return over_readings([&](std::size_t i) {
      for (FrequencyEstimate& one : stepped(seen_[i])) {
        auto candidates = usual(one);
        find_offset(one, candidates);
        auto hits = agreeing(one, candidates);
        if (hits.empty()) hits = scaled(one, candidates);
        if (!hits.empty()) return hits;
      }
      return std::vector<AgreeingCandidate>{};
    });
  }

  // At whatever positions a ladder that is known decodes.
  std::vector<AgreeingCandidate> anywhere() const {
    return over_readings([&](std::size_t i) {
      std::vector<AgreeingCandidate> hits;
      const std::string layout = sinusoidal_layout(dump_, seen_[i].reading);
      std::vector<Made> candidates = of_pairs(models_, seen_[i].reading.pairs);
      for (Made& one : made(guesses_of_bases(seen_[i].measured, seen_[i].reading.width, layout), 0))
        candidates.push_back(std::move(one));
      for (Made& one : candidates) {
        const bool is_table = one.first.encoding->kind == Kind::table;
        if (!layout.empty()) one.first.cost += cost_of_kind(dump_, seen_[i].reading, is_table);
        const auto truth = truth_of(one.second, seen_[i].reading);
        if (!truth) continue;
        auto decoded = decoded_positions(dump_, seen_[i].reading, one.second, *truth);
        if (!decoded || is_still(*decoded)) continue;
        FrequencyEstimate seen = seen_[i];
        const Positions places(std::move(*decoded));
        seen.first = places.is_run() ? places.at(0) : 0;
        seen.step = places.is_run() ? places.run().step : 1;
        seen.listed = places.listed();
        seen.backwards = false;
        std::ranges::move(agreeing(seen, {one}), std::back_inserter(hits));
      }
      std::ranges::stable_sort(hits, {}, [](const auto& hit) { return hit.candidate.cost; });
      return hits;
    });
  }

  // Numbers along one axis that no name calls frequencies: a fault, or a list, makes a ladder of
  // any.
  bool may_be_fitted(const FrequencyEstimate& seen) const {
    return has_rows(seen.reading) || names_frequencies(dump_);
  }

  // Ladders that have the frequencies measured in another order, or but for a rounding to 16 bits:
  // so many numbers are no chance.
  std::vector<Made> told_otherwise(const FrequencyEstimate& seen) const {
    constexpr Index few = 8;
    const std::vector<double>& frequencies = seen.measured.frequencies;
    if (seen.reading.pairs < few || seen.reading.form == Form::vectors ||
        !std::ranges::all_of(frequencies, [](double f) { return std::isfinite(f) && f >= 0; }))
      return {};
    FrequencyEstimate other = seen;
    Measured& measured = other.measured;
    std::vector<std::size_t> order(frequencies.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return frequencies[j]; });
    const auto type = type_of_numbers(dump_.arrays[seen.reading.cosine.array]);
    for (std::size_t j = 0; j < order.size(); ++j) {
      measured.frequencies[j] = frequencies[order[j]];
      measured.errors[j] =
          seen.measured.errors[order[j]] +
          (measured.exact && type ? unit_roundoff(*type) * measured.frequencies[j] : 0);
    }
    std::vector<Made> all = usual(other);
    std::erase_if(all, [&](const Made& one) {
      const auto truth = truth_of(one.second, seen.reading);
      return !truth || !is_within(measured, truth->frequencies);
    });
    return all;
  }

  // The nearest candidates with a fault that has a name.
  std::vector<AgreeingCandidate> faulty(const std::vector<std::vector<Made>>& all) const {
    struct Near {
      double distance;
      const FrequencyEstimate* seen;
      const Made* made;
    };
    std::vector<Near> nearest;
    std::vector<std::vector<Made>> otherwise;
    for (const FrequencyEstimate& seen : seen_) otherwise.push_back(told_otherwise(seen));
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      for (const Made& one : otherwise[i])
        nearest.push_back({0.001 * one.first.cost, &seen_[i], &one});
      if (!may_be_fitted(seen_[i])) continue;
      for (const auto& one : all[i])
        if (const auto truth = truth_of(one.second, seen_[i].reading))
          nearest.push_back(
              {distance_of(seen_[i].measured, truth->frequencies) + 0.001 * one.first.cost,
               &seen_[i], &one});
    }
    std::ranges::stable_sort(nearest, {}, &Near::distance);
    std::vector<AgreeingCandidate> best;
    std::size_t fewest = 3, tried = 0;  // one cause, and that there is one
    for (const Near& near : nearest) {
      if (near.distance > 0.35 || ++tried > 6) break;
      AgreeingCandidate hit{*near.seen, near.made->first, near.made->second};
      hit.expected.first = near.seen->first;
      hit.expected.layout = hit.expected.encoding->kind == Kind::table
                                ? sinusoidal_layout(dump_, near.seen->reading)
                                : near.seen->reading.layout;
      hit.expected.most_causes = 1;
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
  Index length_;
  std::vector<Made> models_;
};

}  // namespace

Index longest(const std::vector<FrequencyEstimate>& seen) {
  Index length = 1;
  for (const FrequencyEstimate& one : seen)
    length = std::max(length, one.reading.run > 0 ? one.reading.run : one.reading.rows);
  return length;
}

std::vector<AgreeingCandidate> agreements_of(const Dump& dump, std::vector<FrequencyEstimate> seen,
                                             Admit admit) {
  return AgreementSearch(dump, std::move(seen)).search(admit);
}

}  // namespace pe
