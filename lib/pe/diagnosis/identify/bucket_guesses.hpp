// Maps of buckets that a matrix may have, for those who try them.
#pragma once

#include <string>
#include <vector>

#include "pe/diagnosis/identify/candidate.hpp"

namespace pe {

/// Of the offset key − query, where the least and the greatest number are these.
std::vector<Candidate> bucket_guesses(double lowest, double highest);

/// Windows of so many places, the squarest first, then those with a class token beside them, as
/// BEiT has it.
std::vector<Candidate> window_guesses(Index places);

/// "num-buckets 32, max-distance 128"
std::string spell_given(const std::vector<Parameters::Entry>& entries);

}  // namespace pe
