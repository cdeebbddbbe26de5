// Readings beside one another: what agrees, what looks like turns, what is an excuse.
#include "pe/diagnosis/rotations/choice.hpp"

#include <algorithm>
#include <iterator>

#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/likelihood.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

RotationTruth truth_of(const Expectation& expected) {
  auto truth = rotation_truth(expected.effect);
  if (expected.encoding->kind == Kind::table && expected.parameters.has("offset"))
    truth->shift = expected.parameters.integer("offset");
  return *truth;
}

namespace {

using Form = RotationReading::Form;

std::vector<Index> probes_of(const Expectation& expected, const RotationReading& reading,
                             const std::vector<Index>& more) {
  const Index original = expected.parameters.has("original-max-position")
                             ? expected.parameters.integer("original-max-position")
                             : 0;
  return probe_rows(reading, original, more);
}

// Beside gaps a reading whose pairs lie across them holds little, and explains what is left of it:
// those that know less than half of what another one of the same channels does.
std::vector<char> are_mostly_gaps(const Expectation& expected, const Dump& dump,
                                  const std::vector<Attempt>& attempts,
                                  const std::vector<Index>& more) {
  std::vector<char> mostly(attempts.size());
  if (!dump.has_gaps) return mostly;
  std::vector<double> known;
  for (const Attempt& attempt : attempts) {
    const RotationObservation observation = observe(expected, dump, attempt, more);
    double finite = 0;
    for (std::size_t i = 0; observation.has_rows() && i < observation.rows().size(); ++i)
      for (std::size_t j = 0; j < observation.pairs(); ++j)
        finite += std::isfinite(observation.slack(i, j));
    known.push_back(finite / static_cast<double>(observation.rows().size()));
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    for (std::size_t k = 0; k < known.size(); ++k) {
      const RotationReading &one = attempts[i].reading, &other = attempts[k].reading;
      if (one.form == other.form && one.pairs == other.pairs && one.last == other.last &&
          2 * known[i] < known[k])
        mostly[i] = 1;
    }
  return mostly;
}

}  // namespace

RotationObservation observe(const Expectation& expected, const Dump& dump, const Attempt& attempt,
                            const std::vector<Index>& more) {
  std::vector<Index> rows = probes_of(expected, attempt.reading, more);
  std::erase_if(rows, [&](Index row) { return std::ranges::binary_search(attempt.damaged, row); });
  return {expected, dump, attempt.reading, attempt.truth, std::move(rows)};
}

RotationObservation observe(const ProbedDump& dump, const Attempt& attempt) {
  return observe(dump.expected.get(), dump.dump.get(), attempt, dump.more.get());
}

ChosenReading choose(const Expectation& expected, const Dump& dump, std::vector<Attempt>& attempts,
                     const std::vector<Index>& more) {
  ChosenReading choice;
  std::vector<double> scores;
  std::size_t best = attempts.size();
  bool repeats = false;  // some reading's second columns are its first ones
  const std::vector<char> mostly_gaps = are_mostly_gaps(expected, dump, attempts, more);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    Attempt& attempt = attempts[i];
    if (mostly_gaps[i]) {
      scores.push_back(-1);
      continue;
    }
    const RotationObservation observation = observe(expected, dump, attempt, more);
    // Changed in a few rows, the channels that do not turn are damaged; in many, they do turn.
    constexpr double few = 0.2;
    const double changed = share_of_changed_rest(dump, attempt.reading, observation.rows());
    const Likelihood score = likelihood(expected, dump, attempt, observation);
    attempt.copies_differ = score.copies_differ;
    if (score.copies_differ) attempt.cost += 1.1;  // to be called copies-differ
    repeats = repeats || (attempt.reading.cosine_copy && !score.copies_differ);
    scores.push_back(changed < few ? score.share : score.share - 0.5);
    // One side alone must look like one: waves, and equal columns where they should be.
    const bool alone = attempt.reading.is_one_sided();
    if (alone && score.share < 0.6) scores.back() = -1;
    // Fewer pairs, each twice, are read where there are twins, and not to excuse half of the
    // cells.
    const bool other_width = std::ranges::any_of(attempt.reasons, [](const Reason& reason) {
      return reason.cause == Cause::wrong_rotary_width;
    });
    const bool is_excuse = (other_width || alone) && score.copies_differ;
    if (is_excuse) scores.back() = -1;
    if (changed == 0 && !is_excuse &&
        (best == attempts.size() || attempt.cost < attempts[best].cost) &&
        observation.agrees(observation.start()))
      best = i;
  }
  // Columns that are equal throughout are no cosines and sines side by side.
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (repeats && !attempts[i].reading.cosine_copy && attempts[i].reading.form == Form::turns &&
        scores[i] < 0.9)
      scores[i] = -1;
  const auto best_score = std::ranges::max_element(scores);
  const double highest = *best_score;
  // Half of the cells excused weigh against a lower score.
  const bool is_excused =
      attempts[static_cast<std::size_t>(best_score - scores.begin())].copies_differ;
  constexpr double least = 0.4;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (!mostly_gaps[i] &&
        ((highest < 0.9 && scores[i] > -1) || scores[i] >= highest - 0.1 ||
         (is_excused && !attempts[i].copies_differ && scores[i] >= least) ||
         (scores[i] >= 0.95 && attempts[i].cost == 0) || attempts[i].reading.named))
      choice.kept.push_back(attempts[i]);
  if (choice.kept.empty()) choice.kept = attempts;
  if (best < attempts.size()) choice.meant = &attempts[best];
  return choice;
}

namespace {

LikelyReading likeliest(const Expectation& expected, const Dump& dump,
                        const std::vector<Attempt>& attempts, Index most) {
  const bool is_glance = most < std::numeric_limits<Index>::max();
  std::optional<LikelyReading> likely;
  double best = 0;
  for (const Attempt& attempt : attempts) {
    const std::vector<Index> all = probes_of(expected, attempt.reading, {});
    std::vector<Index> rows;
    for (const Index i : spread_over(std::ssize(all), most))
      rows.push_back(all[static_cast<std::size_t>(i)]);
    std::ranges::reverse(rows);
    const RotationObservation observation(expected, dump, attempt.reading, attempt.truth, rows);
    const double share = observation.measure(observation.start()).share,
                 score = share / 2 - attempt.cost / 4 +
                         (is_glance ? 0 : likelihood(expected, dump, attempt, observation).share);
    if (likely && !(score > best)) continue;
    best = score;
    likely = LikelyReading{attempt.reading, attempt.truth, attempt.effect, share};
  }
  return *likely;
}

}  // namespace

LikelyReading likely_reading(const Expectation& expected, const Dump& dump, Index most) {
  return likeliest(expected, dump,
                   attempts_of(expected, dump, truth_of(expected), required_layout(expected)),
                   most);
}

LikelyReading meant_reading(const Expectation& expected, const Dump& dump) {
  const std::vector<Attempt> all =
      attempts_of(expected, dump, truth_of(expected), required_layout(expected));
  std::vector<Attempt> meant;
  std::ranges::copy_if(all, std::back_inserter(meant),
                       [](const Attempt& attempt) { return attempt.reasons.empty(); });
  return likeliest(expected, dump, meant.empty() ? all : meant, std::numeric_limits<Index>::max());
}

}  // namespace pe
