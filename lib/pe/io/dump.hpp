// Opening somebody's file: its arrays as they lie there, read in parts when they are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

/// What a file without a header holds: a .bin or a pipe.
struct RawForm {
  std::optional<DType>
      dtype;  // bf16 says, too, that the 16-bit unsigned integers of other files are its bits;
              // numbers that are all of this type are, whatever longer one holds them
  std::vector<Index> shape;  // empty: one axis; what says its shape itself must have this one
};

/// Every array of "FILE" or "-" (standard input), or the one of "FILE:TENSOR", in the file's order:
/// npy, npz, safetensors, hdf5, gguf, csv, bin. What lies in one piece is read where it lies,
/// window by window; Fortran order, compressed data, csv and pipes are taken into memory. Arrays of
/// elements that are not read (strings, quantised numbers) are passed over unless they are named.
/// Throws UsageError and FileError.
std::vector<Stored> open_arrays(const std::string& spec, const RawForm& raw = {});

/// The same of several, each one's arrays in their order. Throws UsageError, too, where a type is
/// told that none of them takes: each says its own, and its numbers are not all of the one told.
std::vector<std::vector<Stored>> open_files(const std::vector<std::string>& specs,
                                            const RawForm& raw);

namespace io {

/// The path in "FILE" or "FILE:TENSOR".
std::string path_of(const std::string& spec);

}  // namespace io
}  // namespace pe
