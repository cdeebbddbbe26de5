// The tables that attention is shown as.
#pragma once

#include <string>

#include "pe/analyze/attention/attended.hpp"

namespace pe {

/// Refuses what would take hours, or more numbers than a table should hold, and says what would
/// fit.
void begin_attention(const Attended& attended, bool all_queries, bool matrix);

/// [head, distance]: of the last query, or the mean over all.
Sheet attention_by_distance(const Question& question, const Attended& attended, bool all_queries);
/// [head]
Sheet attention_summary(const Question& question, const Attended& attended, bool all_queries);

}  // namespace pe
