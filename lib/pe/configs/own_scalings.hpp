// Scalings as the code beside checkpoints has them, which no class of transformers does.
#pragma once

#include <string>
#include <string_view>

#include "pe/configs/reader.hpp"

namespace pe {

/// A yarn whose attention factor grows with 0.07 · ln s.
constexpr std::string_view telechat3_yarn = "telechat3-yarn";

/// TeleChat 3 grows its magnitude less, whatever keys stand beside (vLLM: 0.07 in place of 0.1);
/// mlx-lm makes the usual one. `key` is that of the rule's name.
void take_grown_less(Reader& reader, const std::string& key);

/// longrope's magnitude where the model's own code takes it of the longest length over the original
/// one, whatever factor stands beside, and below 1, too (MiniCPM).
void take_open_magnitude(Reader& reader);

/// A rule that a family spells by keys of its own at the top (`stretch`): a linear one; Nomic's, of
/// a factor and the length trained on; or one whose base grows in doublings of `start`, from the
/// `length` trained on (TeleChat) or where a `flag` is true (Qwen). Nothing where no key says so.
std::string take_stretch(Reader& reader, const JsonNode& stretch);

}  // namespace pe
