// The part of a composite config that speaks of positions.
#pragma once

#include "pe/configs/reading.hpp"

namespace pe {

/// The text's or the decoder's config of a composite, down to the one that has a family; any other
/// config as it is. What is doubtful about the choice is added to the reading's warnings.
Config speaking_part(const Config& config, Reading& reading);

}  // namespace pe
