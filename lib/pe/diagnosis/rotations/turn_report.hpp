// Turn report: the diagnosis of turns while it is made.
#pragma once

#include <vector>

#include "pe/base/kept.hpp"
#include "pe/diagnosis/rotations/verdict.hpp"

namespace pe {

class TurnReport {
 public:
  TurnReport(Kept<Expectation> expected, Kept<Dump> dump, Kept<RequiredLayout> required)
      : expected_(expected), dump_(dump), required_(required) {}

  Diagnosis diagnosis = {};

  /// The numbers of every cell beside what is meant, with what is to be said of the reading.
  void finish(const Attempt& attempt, const RotationObservation& observation,
              const RotationResiduals& residuals);

  /// Where a number is none, that, and nothing else.
  bool blame_numbers(const Attempt& attempt, const RotationObservation& observation,
                     const RotationResiduals& residuals);

  /// A reading that agrees at every cell, with what speaks against the reading itself.
  void take_agreement(const Attempt& attempt, const RotationObservation& observation,
                      const RotationResiduals& residuals);

  /// What comes with a reading beside what was found; of second columns, where they count.
  void take_reasons(const Attempt& attempt, const RotationResiduals& residuals,
                    const std::vector<Reason>& found, Tier tier, bool copies_count);

  /// What is meant holds but for the cells that no turn explains.
  bool tells_damage(const Attempt& attempt, const RotationObservation& observation,
                    const RotationResiduals& residuals);

  /// The first hypothesis of an attempt, and others that fit.
  void tell(const Attempt& attempt, const RotationObservation& observation,
            const RotationResiduals& residuals);

 private:
  const Expectation& expected_;
  const Dump& dump_;
  const RequiredLayout& required_;
  TurnArithmetic arithmetic_;
};

}  // namespace pe
