// Opening somebody's arrays where they lie.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// What a file without a header holds.
struct RawForm {
  std::optional<DType> dtype;
  std::vector<Index> shape;
};

/// "FILE[:TENSOR]": the tensor, or all arrays of the file.
std::vector<Stored> open_arrays(const std::string& spec, const RawForm& raw);

}  // namespace pe
