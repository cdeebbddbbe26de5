// Another table than the one that is meant.
#pragma once

#include <optional>

#include "pe/diagnosis/rows/observation.hpp"

namespace pe {

/// Whether the numbers probed are as large as those of a trained table and have nothing to do with
/// them; nothing where they are like them, or where there are too few.
std::optional<Reason> another_table(const RowObservation& observation);

}  // namespace pe
