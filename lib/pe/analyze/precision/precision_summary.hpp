// A row for each pipeline, of every position.
#pragma once

#include "pe/analyze/precision/precision_errors.hpp"

namespace pe {

Sheet precision_summary(const Question& question, const PrecisionSubject& subject,
                        const PositionRange& run);

}  // namespace pe
