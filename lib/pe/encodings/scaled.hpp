// What --scaling asks of an encoding that has it: the rule, its flags, the laws that it breaks.
#pragma once

#include <string>
#include <vector>

#include "pe/model/parameter.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

/// What codebases call the ways in which channels pair up, for `Parameter::also`.
inline constexpr const char* words_for_pairings =
    "neox=halves neox-style=halves rotate-half=halves rotate_half=halves half=halves "
    "split-half=halves half-split=halves split=halves gpt-neox=halves non-interleaved=halves "
    "interleaved=adjacent gptj=adjacent gpt-j=adjacent gptj-style=adjacent "
    "rotate_every_two=adjacent";

/// The rows that a scalable encoding's schema holds beside those of the scalings.
inline constexpr Parameter scaling_parameter{
    .name = "scaling",
    .type = Parameter::Type::name,
    .help = "rule that bends the frequencies (pe-gen list scalings)",
    .fallback = "none"};
inline constexpr Parameter max_position_parameter{.name = "max-position",
                                                  .help = "the model's maximal length",
                                                  .lowest = "1",
                                                  .highest = "9007199254740992",
                                                  .config = "max_position_embeddings"};

/// The rule that --scaling names; null: none. Throws UsageError for a rule that there is not, for
/// what the rule lacks, and for flags that no chosen rule reads.
const Scaling* chosen_scaling(const Parameters& parameters);

/// The laws that the chosen rules break.
std::vector<std::string> revoked_by_scaling(const Parameters& parameters);

}  // namespace pe
