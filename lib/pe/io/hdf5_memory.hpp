// A file in memory for the HDF5 library that keeps only the parts that the library writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "pe/io/hdf5_handle.hpp"

namespace pe::io {

/// Room that is claimed and never written costs nothing, unlike in the library's own core driver.
class SparseFile {
 public:
  void read(std::uint64_t offset, std::byte* out,
            std::size_t bytes) const;  // zeros where nothing was written
  void write(std::uint64_t offset, const std::byte* data, std::size_t bytes);

  /// File access properties that make the library keep its next new file here; valid while this
  /// lives.
  Handle access();

  std::uint64_t claimed = 0;  // the library's end of allocation: the size of the file

 private:
  static constexpr std::size_t page_bytes = 4096;
  std::map<std::uint64_t, std::array<std::byte, page_bytes>> pages_;
};

}  // namespace pe::io
