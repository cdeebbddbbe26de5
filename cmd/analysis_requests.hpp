// Whom an analysis asks: one request for each subject.
#pragma once

#include <string>
#include <vector>

#include "analysis.hpp"

namespace pe::cmd {

/// What is asked for first, and what beside it; of a quantity alone, every encoding that it has a
/// meaning for, as it is without a word. Throws UsageError for a text of --versus that is none.
std::vector<Request> requests_of(const Analysis& analysis);

/// What tells the subject from others: the model or the encoding, and what was said of it.
std::string label_of(const Request& request);

/// Throws UsageError where one value belongs and several stand: each other is another subject.
void refuse_sweeps(const Request& request);

/// Throws UsageError where --queries is a count: that is --length.
void refuse_counted_queries(const Given& told);

}  // namespace pe::cmd
