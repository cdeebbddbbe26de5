// The metadata of a GGUF file as a Config: its keys as they stand, and its rotary factors as lists.
#pragma once

#include <memory>
#include <string>

#include "pe/configs/config.hpp"
#include "pe/io/source.hpp"

namespace pe {

/// Every plain metadata value, and the tensors rope_freqs.weight, rope_factors_long.weight and
/// rope_factors_short.weight (float32) as lists. Numbers are the decimal that stands for the stored
/// bits. Throws FileError when the file is cut or lies.
Config read_gguf_config(const std::string& path, const std::shared_ptr<const io::Source>& source);

}  // namespace pe
