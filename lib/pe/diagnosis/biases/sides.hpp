// Keys after the query: what a dump does with them beside a hypothesis that agrees at all others.
#pragma once

#include <optional>

#include "pe/diagnosis/biases/residuals.hpp"

namespace pe {

/// Zeros after the query are left to attention by many programs; a bias there is told in the
/// headline.
void note_later(const LaterKeys& later, Diagnosis& diagnosis);

/// What is wrong with the keys that a dump hides, and with those that it leaves open, behind a
/// hypothesis that agrees; nothing where they are as meant.
std::optional<Reason> wrong_sides(const BiasObservation& observation,
                                  const BiasHypothesis& hypothesis, const LaterKeys& later);

}  // namespace pe
