// Twins: arrays of a dump that are named as its main ones are, of other layers or kept once more.
#pragma once

#include "pe/diagnosis/companions.hpp"

namespace pe {

/// Moves from the others to the twins what is named as the main arrays are but for a number
/// ("layers.1.cos"), and to the copies what is but for words that say no other thing
/// ("cos_cached" beside "cos"; where `sides_alike`, "k_cos" beside "q_cos"). A set that is not
/// whole stays.
void find_twins(Companions& all, bool sides_alike);

/// How a copy is judged: it starts where the main arrays do, or, where `from_zero`, at position 0,
/// as caches do beside the rows of a run. It may be laid out, and as long, as it likes.
Expectation expectation_of_copy(const Expectation& expected, bool from_zero);

}  // namespace pe
