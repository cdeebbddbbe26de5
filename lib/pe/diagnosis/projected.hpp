// Projected sinusoids of a relative encoding, as its code hands them to attention.
#pragma once

#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Transformer-XL's r_head_k = W_R·R, where --projection is given: real numbers by distance and by
/// head and channel, [row, head·channel], [row, head, channel] or [head, row, channel], with
/// sequences between that are all alike. Nothing where the dump is another.
std::optional<Diagnosis> diagnose_projected(const Expectation& expected, const Dump& dump);

}  // namespace pe
