// Companions, each held to the field that its name says.
#pragma once

#include "pe/diagnosis/companions.hpp"

namespace pe {

/// Adds to a verdict on the main arrays what is wrong with those beside them, and doubts that name
/// what was not looked at. Frequencies, complex turns and the caches of other layers (`twins`) are
/// judged as such, and so are caches kept once more (`copies`), at the same positions or from 0;
/// numbers of other fields may be off by 64 float32 roundings of themselves, of R(p) by as many of
/// their angle, and by one rounding to the file's type.
void judge_companions(const Expectation& expected, const Companions& companions,
                      Diagnosis& diagnosis);

/// The verdict on a dump of arrays that have the names of fields which no room reads (`ratio`,
/// `matrix`, `sinusoid`), held to those fields as companions are; nothing for any other.
std::optional<Diagnosis> judge_lone_field(const Expectation& expected, const Dump& dump);

}  // namespace pe
