// Rewritten vectors: those afterwards as they are made anew, one by one, when they are read.
#pragma once

#include <functional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// Changes the `width` numbers of one vector afterwards, beside what it was before.
using ChangedRow = std::function<void(Index row, const double* before, double* after)>;

/// The first array afterwards with every row changed, in its own type.
Stored rewritten(const Dump& dump, Index width, ChangedRow change);

}  // namespace pe
