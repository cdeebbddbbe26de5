// Kinds of layers that a config tells apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/configs/reading.hpp"

namespace pe {

/// Layers that the config tells apart: those of a nested object, else those that the family has.
std::vector<std::string> layer_types_of(const Config& config, const Family& family);

/// The one asked for, or the first, with a warning that names the others; "" where all are alike.
std::string choose_layer(Reading& reading, const Config& config, std::string_view asked);

}  // namespace pe
