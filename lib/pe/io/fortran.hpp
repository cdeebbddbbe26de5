// Arrays whose first index runs fastest in the file, read as if the last did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

struct FortranArray {
  std::uint64_t data = 0;    // where it begins in the file
  std::vector<Index> shape;  // of two axes or more, none of them empty
  std::size_t cell = 0;      // bytes of one element
};

/// The bytes in C order, in tiles that are boxes of the array.
MakeTile fortran_tiles(std::shared_ptr<const Source> source, FortranArray array);

}  // namespace pe::io
