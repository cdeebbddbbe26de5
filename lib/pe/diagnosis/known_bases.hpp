// Bases that models have, the likeliest first.
#pragma once

namespace pe {

inline constexpr double known_bases[] = {1e4,   1e6,   5e5,   1e5, 1.5e5, 2.5e4, 5e4, 1.3e5,
                                         1.6e5, 2.5e5, 6.4e5, 2e6, 5e6,   8e6,   1e7};

}  // namespace pe
