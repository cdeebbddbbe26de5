// Reading a config as transformers 4.57 does, the last release of its line.
#pragma once

#include "pe/configs/reader.hpp"

namespace pe {

/// Remembers for the dialect hf-v4 what its class takes otherwise than was read, after read_rotary.
/// Of a file in the older form, without rope_parameters, each difference is a warning for all.
void read_as_v4(Reader& reader, const LayerType& layer);

}  // namespace pe
