// A bias of so many positions, and what it tells of others.
#pragma once

#include "pe/kinds/bias.hpp"

namespace pe {

/// Of positions that do not exist it knows no number, NaN, whoever asks for them: no memory beyond
/// its tables is read. Any other bias stays as it is.
Bias within_rows(Bias bias);

}  // namespace pe
