// Turn verdict: the numbers, bounds, notes and arithmetic of a verdict on turns.
#pragma once

#include "pe/diagnosis/rotations/attempts.hpp"
#include "pe/diagnosis/rotations/residuals.hpp"

namespace pe {

/// Whose arithmetic a dump has, or of which precision.
struct TurnArithmetic {
  std::string words;                 // "hf, bit for bit at the rows probed"
  const Dialect* dialect = nullptr;  // within few ulps; null: of none
};
TurnArithmetic arithmetic_of(const RotationObservation& observation,
                             const RotationResiduals& residuals, Tier tier);

/// Equivalences, and what the dump cannot show.
void add_notes(const Expectation& expected, const Attempt& attempt, const RequiredLayout& required,
               const TurnArithmetic& arithmetic, Diagnosis& diagnosis);

/// What vectors leave open where nothing was said: the axis of positions, the pairing, the side.
void add_doubts(const Attempt& attempt, const RequiredLayout& required, Diagnosis& diagnosis);

/// Every row, or the one vector of frequencies.
RotationResiduals residuals_of(const RotationObservation& observation, const Dump& dump,
                               const Attempt& attempt);

/// The numbers into the diagnosis, with the bound's derivation.
void take_residuals(const RotationResiduals& residuals, const RotationObservation& observation,
                    Diagnosis& diagnosis);

/// Where the first NaN or infinity stands.
Reason not_finite(const RotationResiduals& residuals);

/// Fewer rows than are meant; nothing where there are enough.
std::optional<Reason> too_short(const Expectation& expected, const RotationReading& reading);

/// What other causes than those of the first hypothesis explain a dump about as well: four at most.
std::vector<std::vector<Reason>> other_explanations(
    const RotationObservation& observation,
    const std::vector<Explanation<RotationObservation>>& hypotheses);

/// Whether arrays lie as Megatron and Transformer Engine keep angles, [position, 1, 1, channel],
/// which may all be 0; and whether every number is 0, which gives up at the first other one.
bool is_of_angles(const Stored& array);
bool is_zero(const Stored& array);

/// A few cells that lie beyond the bound among many that do not; nothing where they are many, or
/// lie in most of many rows and are turns: a pair that is wrong in every row was made so. Of
/// frequencies a single one.
std::optional<Reason> damaged_cells(const RotationResiduals& residuals,
                                    const RotationObservation& observation, const Dump& dump);

/// Columns that should be equal and are not: damage where they are few; nothing where they are
/// equal.
std::optional<Reason> copies_differ(const RotationResiduals& residuals,
                                    const RotationReading& reading);

}  // namespace pe
