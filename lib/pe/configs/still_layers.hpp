// Layers that do not turn, though others of their model do.
#pragma once

#include <string>
#include <string_view>

#include "pe/configs/reader.hpp"

namespace pe {

/// The layer type to read where `asked` was named: "" for one of a class whose turning layers are
/// all alike. Throws UsageError for layers that the class leaves as they are.
std::string turning_layer(Reader& reader, std::string_view asked);

/// Reads layer_rope_theta, a base for each layer and 0 for one that does not turn. Throws
/// UsageError where none turns.
void read_layer_bases(Reader& reader);

}  // namespace pe
