// Bases and parts that a config lists layer by layer.
#pragma once

#include "pe/configs/config.hpp"

namespace pe {

/// The same config with an object for each layer type in the place of the lists rope_theta and
/// partial_rotary_factors, as Step 3.5 writes them; of a type's layers the first speaks for all, as
/// in transformers. Any other config as it is. Throws UsageError when a list is shorter than
/// layer_types.
Config unlist_layers(const Config& config);

}  // namespace pe
