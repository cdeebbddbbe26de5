// Attention query by query, and term by term.
#pragma once

#include <string>

#include "pe/analyze/attention/attended.hpp"

namespace pe {

/// [head, query, key]
Sheet attention_matrix(const Question& question, const Attended& attended);

/// [head, term]: which of the terms of a score there are, and how large they are.
Sheet attention_terms(const Question& question, const Attended& attended);

}  // namespace pe
