// Causes: one enumerator per row of causes.def.
#pragma once

#include "pe/diagnosis/cause.hpp"

namespace pe {

enum class Cause : int {
#define PE_CAUSE(identifier, name, statement, kinds, tier) identifier,
#include "pe/diagnosis/causes.def"
#undef PE_CAUSE
};

}  // namespace pe
