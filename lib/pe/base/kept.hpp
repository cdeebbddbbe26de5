// Arguments that the callee keeps a reference to.
#pragma once

#include <functional>

namespace pe {

/// A parameter of a constructor whose object keeps a reference to the argument, and must not
/// outlive it: takes what has a name; a temporary does not compile.
template <typename T>
using Kept = std::reference_wrapper<const T>;

}  // namespace pe
