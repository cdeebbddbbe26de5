// Biases, slopes, index matrices and tables of no waves, of unknown make.
#pragma once

#include <optional>

#include "pe/diagnosis/identify/candidate.hpp"

namespace pe {

/// Index matrices and biases; nothing where the array looks like neither; an identification without
/// an encoding where it does and none is known.
std::optional<Identification> identify_scores(const Dump& dump, const std::string& layout);

/// Some of the array's numbers are a mask, by their level and their shape: they are scores, if of
/// no formula.
bool is_masked(const Dump& dump);

/// What is left: tables of rows. `encoding` is set for index and normalized-index alone; of others
/// `seen` says what can be said.
Identification identify_rows(const Dump& dump);

}  // namespace pe
