// What carries floater's table from one position to the next.
#pragma once

#include <functional>
#include <vector>

#include "pe/model/parameter.hpp"

namespace pe::floater_dynamics {

using State = std::vector<double>;

/// p(k) → p(k+1).
using Advance = std::function<void(State&, Index k)>;

/// The clock is looked at once in so many steps, of some microseconds each.
inline constexpr Index steps_between_looks = 256;

/// A tensor as doubles, of the given shape.
State values_of(const Parameters& parameters, const char* name, const std::vector<Index>& shape);

/// Rotation's, in radians from one position to the next.
std::vector<Real> frequencies_of(const Parameters& parameters);

/// d/dt (sin, cos) = (θ cos, −θ sin) with θ = frequency/interval: p(k) = (sin kθ_0, cos kθ_0, …).
/// As a recursion, one turn by θ.
Advance rotation(const Parameters& parameters);

/// Two layers, each with t as an input more.
Advance mlp(const Parameters& parameters);

/// How wide the first of them is.
Index hidden_of(const Parameters& parameters);

}  // namespace pe::floater_dynamics
