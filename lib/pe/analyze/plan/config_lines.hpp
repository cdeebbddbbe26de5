// The lines of a config.json that make a model turn by a rule's ladder.
#pragma once

#include <string>

#include "pe/analyze/rules.hpp"

namespace pe {

/// JSON to be merged into the subject's config.json, in the form that this one has: the rule by its
/// name where transformers knows it, another rope_theta where the rule changes the base alone, else
/// longrope with a divisor for each pair. A rule without a scaling is no rule at all.
std::string config_lines(const Subject& subject, const BentRule& rule,
                         const Stretching& stretching);

}  // namespace pe
