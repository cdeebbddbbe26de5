// What field an array of a dump is, by its name.
#pragma once

#include <string>
#include <string_view>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// xpos' buffer of ζ, one for each pair, which torchscale and flash-attention call scale.
bool is_of_ratios(const Expectation& expected, const Stored& array);

/// The last part of "model.layers.0.rotary.inv_freq", in small letters; a field's own name for what
/// codebases call it.
std::string last_name(const Stored& array);

bool says(const std::string& name, std::string_view word);

/// A vector of numbers for the pairs, as codebases keep them beside their caches.
bool is_of_frequencies(const Expectation& expected, const Stored& array);

/// Whether its name is a field's, or a side's: "x" says nothing, and two such are two parts.
bool says_what_it_is(const Stored& array);

/// How near the fields of a kind stand to what says what a dump is: those of turns all alike, else
/// in the order of the catalogue. −1: no field's name.
int rank_of(const Expectation& expected, const Stored& array);

}  // namespace pe
