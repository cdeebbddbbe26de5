// Token rows: rows beside those of positions, which stand nowhere.
#pragma once

#include "pe/diagnosis/written.hpp"

namespace pe {

/// Without the rows that class tokens and registers have, as the effect says, and of a grid where
/// they are seen; what they should not hold is the reason.
void leave_out_tokens(Written& written);

}  // namespace pe
