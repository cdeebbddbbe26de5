// Reading a scaling as engines do: vLLM, SGLang, TensorRT-LLM, llama.cpp, mlx-lm, ONNX's builder.
#pragma once

#include "pe/configs/reader.hpp"

namespace pe {

/// Remembers what each of them takes otherwise than `read_scaling` took of the same object.
void compare_engines(Reader& reader, const LayerType& layer, const RopeObject& object,
                     const std::string& name);

/// By layer type transformers reads the key at the top alone; vLLM hands get_rope a layer type's
/// object whole, and a null there is false.
void compare_truncate(Reader& reader, const RopeObject& object, std::string_view key);

}  // namespace pe
