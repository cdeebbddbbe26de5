// How mlx-lm reads a config: by classes of its own, each with its own keys and numbers.
#pragma once

#include "pe/configs/reader.hpp"

namespace pe {

/// Remembers for mlx what its class of the model's type makes of the file, by its row in
/// data/families_mlx.json; nothing where there is none. What it refuses is told where mlx is meant.
void read_as_mlx(Reader& reader, const std::string& layer_type);

}  // namespace pe
