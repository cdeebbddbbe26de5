// How onnxruntime-genai's model builder reads a config's scaling.
#pragma once

#include "pe/configs/reader.hpp"

namespace pe {

/// Remembers for onnxruntime what its builder makes of a scaling where that is not what
/// transformers makes of it; what it refuses is told where onnxruntime is meant.
void read_as_onnx(Reader& reader, const RopeObject& object, const std::string& scaling);

}  // namespace pe
