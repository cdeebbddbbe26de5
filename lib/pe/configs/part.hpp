// The part of a composite config that speaks of positions.
#pragma once

#include "pe/configs/reading.hpp"

namespace pe {

/// The config of a composite's part, down to one that has a family; any other config as it is. The
/// part is the one asked for (a key, "vision_config", "thinker_config.audio_config", or a word of
/// one, "vision"), which is then taken off `part`; else the text's or the decoder's. What is
/// doubtful about the choice is added to the reading's warnings.
Config speaking_part(const Config& config, Reading& reading, std::string& part);

/// Where a config says no model_type, or one in no row, sets that of its architectures; says so.
std::string name_type(Config& config);

/// Throws UsageError: a part that neither a composite nor a row of the family has.
[[noreturn]] void refuse_part(const Config& config, std::string_view part);

}  // namespace pe
