// What the header of a safetensors file says: its tensors, by their place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

inline constexpr std::uint64_t largest_safetensors_header = 100'000'000;  // the format's own limit

struct SafetensorsTensor {
  std::string name, type;
  std::vector<Index> shape;
  std::uint64_t begin = 0, end = 0;  // in the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsTensor> tensors;  // one behind the other, and nothing else in the data
  std::uint64_t data = 0;                  // where the data begins in the file
};

/// Throws FileError on anything that the format forbids or that does not fit the file.
SafetensorsHeader read_safetensors_header(const Source& source);

}  // namespace pe::io
