// Numbers that are trained in a model and drawn here.
#pragma once

#include <string>

#include "pe/subject/subject.hpp"

namespace pe {

/// A sentence for those who look at the numbers, where a seed that was asked
/// for makes them; "" where none does, or the subject's doubts say so.
std::string drawn_warning(const Subject& subject);

}  // namespace pe
