// What a reading, its residuals and the causes that were found come to.
#include "pe/diagnosis/rotations/turn_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/amplitudes.hpp"

namespace pe {
namespace {

// Whether the rows whose second columns are other numbers hold nothing at all.
bool are_unwritten(const RotationResiduals& residuals, const RotationHypothesis& hypothesis,
                   const Attempt& attempt) {
  using Row = RotationHypothesis::Row;
  if (!hypothesis.row || residuals.copies_differ == 0 ||
      hypothesis.row(residuals.first_copy) != Row::free)
    return false;
  Index unwritten = 0;
  for (Index row = 0; row < attempt.reading.rows; ++row)
    unwritten += hypothesis.row(row) == Row::free;
  return residuals.copies_differ <= unwritten;
}

}  // namespace

void TurnReport::finish(const Attempt& attempt, const RotationObservation& observation,
                        const RotationResiduals& residuals) {
  diagnosis.layout = attempt.reading.layout;
  diagnosis.what = describe(dump_, attempt.reading);
  take_residuals(residuals, observation, diagnosis);
  add_notes(expected_, attempt, required_, arithmetic_, diagnosis);
  add_doubts(attempt, required_, diagnosis);
  if (const auto reason = too_short(expected_, attempt.reading)) {
    diagnosis.reasons.push_back(*reason);
    diagnosis.tier = Tier::wrong;
  }
}

bool TurnReport::blame_numbers(const Attempt& attempt, const RotationObservation& observation,
                               const RotationResiduals& residuals) {
  if (residuals.not_finite == 0) return false;
  diagnosis.reasons = {not_finite(residuals)};
  diagnosis.tier = Tier::wrong;
  finish(attempt, observation, residuals);
  return true;
}

void TurnReport::take_agreement(const Attempt& attempt, const RotationObservation& observation,
                                const RotationResiduals& residuals) {
  diagnosis.reasons = attempt.reasons;
  if (const auto reason = copies_differ(residuals, attempt.reading))
    diagnosis.reasons.push_back(*reason);
  if (const auto amplitude = hidden_amplitude(observation))
    diagnosis.reasons.push_back(
        {Cause::attention_factor_unexpected,
         fmt::format("amplitude {:.6g}, where {:.6g} is meant: no known rule gives it", *amplitude,
                     observation.truth().magnitude)});
  std::ranges::copy(attempt.by_default, std::back_inserter(diagnosis.reasons));
  const Tier tier = residuals.exact() && !attempt.reading.is_vectors() ? Tier::exact : Tier::drift;
  diagnosis.tier = diagnosis.reasons.empty() ? tier : Tier::wrong;
  arithmetic_ = arithmetic_of(observation, residuals, tier);
  diagnosis.arithmetic = arithmetic_.words;
  diagnosis.before = diagnosis.after = residuals.worst;
  if (tier == Tier::drift && residuals.ulps > 2 && observation.has_rows())
    for (const RotationProposer& cause :
         storage_causes())  // a shorter type may hide within the drift of far positions
      for (const auto& proposal : cause.propose(observation, observation.start()))
        diagnosis.notes.push_back(proposal.sentence);
  finish(attempt, observation, residuals);
}

void TurnReport::take_reasons(const Attempt& attempt, const RotationResiduals& residuals,
                              const std::vector<Reason>& found, Tier tier, bool copies_count) {
  diagnosis.reasons = attempt.reasons;
  std::ranges::copy(found, std::back_inserter(diagnosis.reasons));
  const auto copies = copies_differ(residuals, attempt.reading);
  if (copies && copies_count) diagnosis.reasons.push_back(*copies);
  std::ranges::copy(attempt.by_default, std::back_inserter(diagnosis.reasons));
  const bool is_alone =
      attempt.reasons.empty() && attempt.by_default.empty() && residuals.copies_differ == 0;
  diagnosis.tier = is_alone ? tier : Tier::wrong;
}

bool TurnReport::tells_damage(const Attempt& attempt, const RotationObservation& observation,
                              const RotationResiduals& residuals) {
  const auto cells = damaged_cells(residuals, observation, dump_);
  if (!cells) return false;
  diagnosis.before = diagnosis.after = residuals.worst;
  take_reasons(attempt, residuals, {*cells}, Tier::wrong, true);
  diagnosis.tier = Tier::wrong;
  finish(attempt, observation, residuals);
  return true;
}

void TurnReport::tell(const Attempt& attempt, const RotationObservation& observation,
                      const RotationResiduals& residuals) {
  const Explanation<RotationObservation>& hypothesis = attempt.hypotheses.front();
  const bool nothing_held =
      hypothesis.fit.residual == 0 && !hypothesis.reasons.empty() &&
      hypothesis.reasons.back().cause == Cause::uninitialised;  // noise tells no width
  const bool by_hand =
      !expected_.layout.empty() &&
      std::ranges::find(hypothesis.reasons, Cause::wrong_pairing, &Reason::cause) !=
          hypothesis.reasons.end();  // of a layout that it has not
  take_reasons(attempt, residuals, hypothesis.reasons, hypothesis.tier,
               !by_hand && !are_unwritten(residuals, hypothesis.hypothesis, attempt));
  if (nothing_held) diagnosis.reasons = hypothesis.reasons;
  diagnosis.after = hypothesis.fit.residual;
  diagnosis.others = other_explanations(observation, attempt.hypotheses);
}

}  // namespace pe
