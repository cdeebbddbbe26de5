// What the order of tokens does to what attention makes of them.
#pragma once

#include <string>

#include "pe/analyze/attention/attended.hpp"

namespace pe {

/// Whether the outputs of tokens change with their order, with the encoding and without it, and by
/// how much, as a sentence.
std::string order_note(const Attended& attended);

}  // namespace pe
