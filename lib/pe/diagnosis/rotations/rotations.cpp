// The way of a verdict on turns: readings, the truth at every cell, else the smallest hypothesis at
// the probes, held against every row.
#include "pe/diagnosis/rotations/rotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/choice.hpp"
#include "pe/diagnosis/rotations/damage.hpp"
#include "pe/diagnosis/rotations/last_resorts.hpp"
#include "pe/diagnosis/rotations/lone.hpp"
#include "pe/diagnosis/rotations/other_side.hpp"
#include "pe/diagnosis/rotations/sifting.hpp"
#include "pe/diagnosis/rotations/turn_report.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

constexpr int last_round = 5;  // of finding a hypothesis and holding it against every row

class Verdict {
 public:
  Verdict(Kept<Expectation> expected, Kept<Dump> dump, std::optional<Side> side)
      : expected_(expected),
        dump_(dump),
        required_(required_layout(expected)),
        attempts_(attempts_of(expected, dump, truth_of(expected), required_, side)) {}
  Verdict(Kept<Expectation> expected, Kept<Dump> dump, std::vector<Attempt> attempts)
      : expected_(expected),
        dump_(dump),
        required_(required_layout(expected)),
        attempts_(std::move(attempts)) {}

  // Where a reading that is meant holds at every cell; nothing is searched for.
  std::optional<Diagnosis> held() {
    const ChosenReading choice = choose(expected_, dump_, attempts_, more_);
    const bool is_right =
        choice.meant && holds(*choice.meant) && report_.diagnosis.tier != Tier::wrong;
    return is_right ? std::optional(report_.diagnosis) : std::nullopt;
  }

  // Beside what is meant, whatever the causes are.
  Diagnosis compared() {
    const Attempt& plainest = *std::ranges::min_element(attempts_, {}, &Attempt::cost);
    const RotationObservation observation = observe(plainest);
    report_.diagnosis.before = report_.diagnosis.after =
        observation.measure(observation.start()).residual;
    report_.finish(plainest, observation, residuals_of(observation, dump_, plainest));
    return report_.diagnosis;
  }

  // The reasons of the first hypothesis that holds for every row, whatever the arithmetic.
  std::vector<Reason> explained() {
    kept_ = choose(expected_, dump_, attempts_, more_).kept;
    for (int round = 0; !kept_.empty() && round <= last_round; ++round) {
      const Attempt& attempt = smallest_hypothesis();
      const RotationObservation observation = observe(attempt);
      std::vector<Index> refuted;
      for (const auto& one : attempt.hypotheses) {
        if (one.reasons.empty()) continue;
        refuted = disagreeing_rows(observation, dump_, one.hypothesis);
        if (!refuted.empty()) continue;
        std::vector<Reason> reasons = attempt.reasons;
        std::ranges::copy(one.reasons, std::back_inserter(reasons));
        return reasons;
      }
      if (refuted.empty()) return {};
      more_.insert(more_.end(), refuted.begin(), refuted.end());
    }
    return {};
  }

  Diagnosis reached() {
    if (holds_nothing()) return report_.diagnosis;
    ChosenReading choice = choose(expected_, dump_, attempts_, more_);
    kept_ = std::move(choice.kept);
    if (choice.meant ? holds(*choice.meant) : tells_cut()) return report_.diagnosis;
    if (!choice.meant && tells_other_side()) return report_.diagnosis;
    if (!choice.meant)
      for (Attempt& attempt : kept_) attempt.damaged = damaged_probes(observe(attempt), dump_);
    // Rows that refute every hypothesis in the full pass become probes.
    for (int round = 0; round <= last_round; ++round)
      if (is_told(smallest_hypothesis(), round)) return report_.diagnosis;
    return report_.diagnosis;
  }

 private:
  RotationObservation observe(const Attempt& attempt) const {
    return pe::observe(expected_, dump_, attempt, more_);
  }
  ProbedDump probed() const { return {expected_, dump_, more_}; }
  AttemptJudge alone() const {
    return
        [this](const Attempt& attempt) { return Verdict(expected_, dump_, {attempt}).reached(); };
  }

  // Zeros in every place of cosines and sines: no width, layout or position is to be seen in them.
  bool holds_nothing() {
    const auto as_meant = std::ranges::find_if(attempts_, [](const Attempt& attempt) {
      return attempt.reading.form == Form::turns && !attempt.reading.is_one_sided() &&
             attempt.reasons.empty();
    });
    if (as_meant == attempts_.end() || is_of_angles(dump_.arrays.front()) ||
        !std::ranges::all_of(dump_.arrays, is_zero) || are_sines_of_zero())
      return false;
    const RotationObservation observation = observe(*as_meant);
    const RotationResiduals residuals = residuals_of(observation, dump_, *as_meant);
    report_.diagnosis.reasons = {
        {Cause::rows_zero, residuals.worst_cell.got == 0
                               ? "every cosine and sine is 0"
                               : "every cosine and sine is as good as 0, less than 1e-30"}};
    report_.diagnosis.tier = Tier::wrong;
    report_.finish(*as_meant, observation, residuals);
    return true;
  }

  // One side right, the other one number or the same: no cause of the whole is looked for.
  bool tells_other_side() {
    for (const Attempt& attempt : attempts_) {
      if (!attempt.reasons.empty()) continue;
      const auto reason = other_side(probed(), attempt);
      if (!reason) continue;
      const RotationObservation observation = observe(attempt);
      const RotationResiduals residuals = residuals_of(observation, dump_, attempt);
      report_.diagnosis.before = report_.diagnosis.after = residuals.worst;
      take({&attempt, {*reason}}, residuals);
      report_.finish(attempt, observation, residuals);
      return true;
    }
    return false;
  }

  // Sines alone, every position of which is 0.
  bool are_sines_of_zero() const {
    return std::ranges::any_of(attempts_, [&](const Attempt& attempt) {
      if (!attempt.reading.is_one_sided() || !attempt.reasons.empty()) return false;
      const RotationObservation observation = observe(attempt);
      return observation.agrees(observation.start());
    });
  }

  // Judges a reading that agrees at the probes by its every cell.
  bool holds(const Attempt& attempt) {
    const RotationObservation observation = observe(attempt);
    const RotationResiduals residuals = residuals_of(observation, dump_, attempt);
    if (report_.blame_numbers(attempt, observation, residuals)) return true;
    // A cell or two among very many is damage, and no arithmetic to be estimated anew.
    const bool is_lone =
        more_.empty() && residuals.beyond <= 4 && residuals.cells >= 5000 * residuals.beyond;
    more_ = residuals.suspects;
    if (residuals.first_wrong)
      return tells_cut() || (is_lone && report_.tells_damage(attempt, observation, residuals));
    report_.take_agreement(attempt, observation, residuals);
    return true;
  }

  // A row of an odd width that was filled by another rule is told by it, whatever else would do.
  bool tells_cut() {
    const auto reason = cut_otherwise(expected_, dump_);
    if (!reason) return false;
    compared();
    report_.diagnosis.reasons = {*reason};
    report_.diagnosis.tier = Tier::wrong;
    report_.diagnosis.after = 0;
    return true;
  }

  // Over all readings kept, one cause deep before any goes two deep.
  Attempt& smallest_hypothesis() {
    std::vector<RotationObservation> observations;
    std::vector<Search<RotationObservation>> searches;
    observations.reserve(kept_.size());
    for (Attempt& attempt : kept_) {
      attempt.hypotheses.clear();
      observations.push_back(observe(attempt));
      searches.emplace_back(observations.back(), observations.back().start(),
                            std::span<const RotationProposer>(turn_causes()));
    }
    constexpr double most_faults = 3.4;  // more of them, the reading's own included, nobody made
    Attempt* best = &kept_.front();
    for (int depth = 0; depth <= expected_.most_causes; ++depth)
      for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (!kept_[i].hypotheses.empty() ||
            kept_[i].cost + depth >= std::min(best->total(), most_faults))
          continue;
        if (depth == 0 && kept_[i].refuted) continue;
        kept_[i].hypotheses = searches[i].at_depth(depth);
        if (kept_[i].copies_differ && expected_.layout.empty()) leave_pairings(kept_[i].hypotheses);
        leave_nothings(observations[i], kept_[i].hypotheses);
        put_nearest_first(observations[i], kept_[i].hypotheses);
        if (kept_[i].total() < best->total()) best = &kept_[i];
      }
    if (!best->hypotheses.empty()) return *best;
    // Unexplained: the reading that most values agree with, less what it has against it, and of
    // those the nearest.
    std::vector<std::pair<double, double>> fits;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Fit fit = observations[i].measure(observations[i].start());
      fits.emplace_back(kept_[i].cost / 2 - fit.share, fit.residual);
    }
    return kept_[static_cast<std::size_t>(std::ranges::min_element(fits) - fits.begin())];
  }

  // Every cell beside what is meant. Rows that became probes since change the estimate of the
  // file's own arithmetic, which matters where what is meant may hold.
  const RotationResiduals& residuals_at(Kept<Attempt> kept,
                                        const RotationObservation& observation) {
    const Attempt& attempt = kept;
    const bool may_hold = !attempt.hypotheses.empty() && attempt.hypotheses.front().reasons.empty();
    if (!residuals_ || residuals_->first != &attempt || may_hold)
      residuals_ = {&attempt, residuals_of(observation, dump_, attempt)};
    return residuals_->second;
  }

  // Holds the hypotheses against every row; the first that stands is the answer. False: try again
  // with the rows that refuted them.
  bool is_told(Attempt& attempt, int round) {
    const RotationObservation observation = observe(attempt);
    const RotationResiduals& residuals = residuals_at(attempt, observation);
    if (report_.blame_numbers(attempt, observation, residuals)) return true;
    if (round == 0 && tells_few_columns(attempt)) return true;
    std::vector<Index> refuted;
    while (!attempt.hypotheses.empty() && observation.has_rows()) {
      const Explanation<RotationObservation>& first = attempt.hypotheses.front();
      if (first.reasons.empty()) {
        // The suspects become probes, and the file's arithmetic is estimated anew, twice; channels
        // that do not turn are in no probe.
        if ((!attempt.damaged.empty() || round > 1) &&
            (tells_channel(attempt, observation, residuals) ||
             report_.tells_damage(attempt, observation, residuals)))
          return true;
        attempt.refuted = round > 1 && residuals.first_wrong;
        refuted = residuals.first_wrong ? residuals.suspects : std::vector<Index>{};
      } else {
        refuted = disagreeing_rows(observation, dump_, first.hypothesis);
        keep_nearly(attempt, refuted);
        if (are_damaged(observation, dump_, refuted))
          return tell_beside_damage(attempt, residuals, refuted);
      }
      if (refuted.empty()) break;
      attempt.hypotheses.erase(attempt.hypotheses.begin());
    }
    if (attempt.hypotheses.empty() && !refuted.empty() && round < last_round) {
      more_.insert(more_.end(), refuted.begin(), refuted.end());
      return false;
    }
    report_.diagnosis.tier = Tier::wrong;
    report_.diagnosis.before = report_.diagnosis.after =
        observation.measure(observation.start()).residual;
    if (!attempt.hypotheses.empty())
      report_.tell(attempt, observation, residuals);
    else if (const auto part = spoilt_part_of(probed(), attempts_, kept_, attempt))
      take(*part, residuals);
    else if (const auto order = columns_elsewhere(probed(), attempts_))
      take(*order, residuals);
    else if (const auto open = beside_still_pairs(probed(), kept_, alone())) {
      report_.take_reasons(*open->first, residuals, open->second.reasons, Tier::wrong, false);
      report_.diagnosis.after = open->second.after;
    } else if (const auto one = wrong_side(probed(), attempt, alone())) {
      report_.take_reasons(attempt, residuals, one->reasons, one->tier, true);
      report_.diagnosis.after = one->after;
    } else if (const auto cells = damaged_cells(residuals, observation, dump_))
      report_.diagnosis.reasons = {*cells};
    else if (nearly_)
      report_.diagnosis.reasons = *nearly_;
    if (report_.diagnosis.reasons.empty())
      if (const auto reason = copies_differ(residuals, attempt.reading))
        report_.diagnosis.notes.push_back(reason->sentence);
    report_.finish(attempt, observation, residuals);
    return true;
  }

  void take(const PartReport& part, const RotationResiduals& residuals) {
    const auto& [attempt, reasons] = part;
    report_.take_reasons(*attempt, residuals, reasons, row_of(reasons.front().cause).tier, true);
  }

  // A cell of most rows is a column or a channel, and no damage.
  bool tells_channel(const Attempt& attempt, const RotationObservation& observation,
                     const RotationResiduals& residuals) {
    if (2 * residuals.rows_beyond <= attempt.reading.rows || residuals.rows_beyond < 2)
      return false;
    const auto part = spoilt_part_of(probed(), attempts_, kept_, attempt);
    if (!part) return false;
    report_.diagnosis.before = report_.diagnosis.after = residuals.worst;
    take(*part, residuals);
    report_.finish(attempt, observation, residuals);
    return true;
  }

  // Before two faults of the whole, or another reading: a few columns of what is meant.
  bool tells_few_columns(const Attempt& instead) {
    constexpr double one_fault = 1.5;
    if (instead.total() <= one_fault) return false;
    const auto part = few_spoilt_columns(probed(), attempts_);
    if (!part) return false;
    const RotationObservation observation = observe(*part->attempt);
    const RotationResiduals residuals = residuals_of(observation, dump_, *part->attempt);
    report_.diagnosis.before = report_.diagnosis.after = residuals.worst;
    take(*part, residuals);
    report_.finish(*part->attempt, observation, residuals);
    return true;
  }

  bool tell_beside_damage(const Attempt& attempt, const RotationResiduals& residuals,
                          const std::vector<Index>& rows) {
    report_.diagnosis.tier = Tier::wrong;
    report_.diagnosis.before = observe(attempt).measure(observe(attempt).start()).residual;
    report_.tell(attempt, observe(attempt), residuals);
    report_.diagnosis.tier = Tier::wrong;
    report_.diagnosis.reasons.push_back(damaged_rows(rows));
    report_.finish(attempt, observe(attempt), residuals);
    return true;
  }

  // A hypothesis that holds but for a few rows is the answer where none holds everywhere.
  void keep_nearly(const Attempt& attempt, const std::vector<Index>& refuted) {
    if (nearly_ || refuted.empty() || std::ssize(refuted) > most_damaged_rows ||
        100 * std::ssize(refuted) > attempt.reading.rows)
      return;
    nearly_ = attempt.reasons;
    std::ranges::copy(attempt.hypotheses.front().reasons, std::back_inserter(*nearly_));
    nearly_->push_back(damaged_rows(refuted));
  }

  const Expectation& expected_;
  const Dump& dump_;
  RequiredLayout required_;
  std::vector<Attempt> attempts_, kept_;
  std::vector<Index> more_;  // rows to probe beside the usual ones
  std::optional<std::pair<const Attempt*, RotationResiduals>> residuals_;
  std::optional<std::vector<Reason>> nearly_;
  TurnReport report_{expected_, dump_, required_};
};

}  // namespace

bool is_explained(const Diagnosis& diagnosis) {
  return std::ranges::any_of(
      diagnosis.reasons, [](const Reason& reason) { return reason.cause != Cause::table_short; });
}

bool leaves_cells(const Diagnosis& diagnosis) {
  return std::ranges::any_of(
      diagnosis.reasons, [](const Reason& reason) { return reason.cause == Cause::damaged_cells; });
}

Diagnosis judge(const Expectation& expected, const Dump& dump, std::optional<Side> side) {
  if (expected.searches) return Verdict(expected, dump, side).reached();
  const auto right = held_as_meant(expected, dump, side);
  return right ? *right : compared_as_meant(expected, dump, side);
}

std::vector<Reason> explained_at_once(const Expectation& expected, const Dump& dump) {
  return Verdict(expected, dump, std::optional<Side>()).explained();
}

std::optional<Diagnosis> held_as_meant(const Expectation& expected, const Dump& dump,
                                       std::optional<Side> side) try {
  return Verdict(expected, dump, side).held();
} catch (const UsageError&) {  // arrays that cannot be read so may be read by columns
  return {};
}

Diagnosis compared_as_meant(const Expectation& expected, const Dump& dump,
                            std::optional<Side> side) {
  return Verdict(expected, dump, side).compared();
}

}  // namespace pe
