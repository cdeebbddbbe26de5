// A subject as what its dump ought to be.
#pragma once

#include "pe/diagnosis/diagnosis.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

/// Positions and dialect are required where somebody gave them; any layout. Throws UsageError for
/// positions that rows of a dump cannot have.
Expectation expectation_of(const Subject& subject);

}  // namespace pe
