// A table whose rows are made once.
#pragma once

#include "pe/kinds/effect.hpp"

namespace pe {

/// The same effect. Where it is a table each row of which is solved for from the one before, its
/// rows at whole positions, as they are stored in `dtype`, are kept when they are first asked for,
/// as long as they are few enough.
Effect with_kept_rows(const Effect& effect, const PositionRange& positions, DType dtype);

}  // namespace pe
