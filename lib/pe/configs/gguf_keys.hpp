// GGUF metadata in the words of config.json.
#pragma once

#include "pe/configs/config.hpp"

namespace pe {

/// True when the config came out of a GGUF file.
bool speaks_gguf(const Config& config);

/// The same values under the keys of config.json; each remembers the key it had.
Config from_gguf(const Config& config);

}  // namespace pe
