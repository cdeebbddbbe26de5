// How often two of L positions drawn out of N lie at a given distance, exactly.
#pragma once

#include "pe/base/dtype.hpp"

namespace pe {

/// The chance that some two of `drawn` positions, drawn without replacement out of `all`, are
/// `distance` apart (1 ≤ distance < all). Off by 10^−9 at most for `all` up to 2^22.
/// `log_tilt` passes what one distance found on to the next, whose work it mostly spares; begin
/// with 0.
double chance_of_distance(Index all, Index drawn, Index distance, long double& log_tilt);

}  // namespace pe
