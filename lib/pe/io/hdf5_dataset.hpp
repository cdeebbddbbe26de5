// What a numeric dataset of an HDF5 file is, found by the HDF5 library; used in the child process
// alone.
#pragma once

#include <optional>
#include <vector>

#include "pe/io/element.hpp"
#include "pe/io/hdf5_handle.hpp"

namespace pe::io {

/// Numbers of a kind that is read.
struct NumberType {
  Element element;          // in the file, or as the library gives it in memory
  bool is_complex = false;  // h5py's: a compound of two
  bool lies_plain = false;  // the file's bytes are `element`; otherwise the library has to convert
};
std::optional<NumberType> number_type(hid_t type);

/// The type that the library is to convert to: `element` in this machine's byte order; of f16 and
/// bf16 the file's own, whose bits are taken.
Handle memory_type(hid_t type, const NumberType& number);

struct Dataset {
  NumberType type;
  std::vector<Index> shape;
  std::optional<std::uint64_t> address;  // of data that lies in one piece in the file
  std::uint64_t bytes = 0;               // in memory, before widening
};

/// Throws FileError when the file cannot hold what the dataset claims.
Dataset describe(const Source& source, hid_t dataset, const NumberType& type);

}  // namespace pe::io
