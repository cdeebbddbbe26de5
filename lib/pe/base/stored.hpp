// Stored: an array where it lies, read in parts; what a file offers before anyone takes it into
// memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/array.hpp"

namespace pe {

/// Dense, C order. Reading is thread-safe and throws FileError when the bytes are not there.
struct Stored {
  std::string name;          // of the tensor, or the stem of a file that has no names
  std::string shown;         // how messages name it: "dump.npz:cos"
  DType dtype = DType::f64;  // of what `fill` writes
  std::vector<Index> shape;
  bool u16 =
      false;  // unsigned 16-bit integers, given as i32: numbers, or the bits of bfloat16 (as_bf16)
  bool is_complex = false;  // complex numbers, given as a last axis of two
  /// Elements first … first+count−1 in C order, as `dtype`.
  std::function<void(Index first, Index count, std::byte* out)> fill;

  Index size() const;
  /// The same widened to double.
  void read(Index first, Index count, double* out) const;
};

/// A shape without its axes of one; {1} where nothing is left.
std::vector<Index> squeezed(const std::vector<Index>& shape);

/// An array in memory.
Stored stored(const Array& array, std::string name, std::string shown);

/// 16-bit integers read as the bits of bfloat16 numbers.
Stored as_bf16(const Stored& stored);

/// The numbers rounded to a shorter type.
Stored narrowed(const Stored& stored, DType type);

/// The coarsest type of which every number is one, where one is coarser than the array's own:
/// bfloat16 vectors that were made float32 to be written. Reads no further than a number of none.
std::optional<DType> type_of_numbers(const Stored& stored);

/// The same bytes, those of each number in the other order.
Stored with_bytes_reversed(const Stored& stored);

/// An array [width, rows] read as [rows, width].
Stored transposed(const Stored& array, Index rows, Index width);

/// The same numbers with one axis behind all others.
Stored moved_last(const Stored& array, std::size_t axis);

/// Entries first … first+count−1 along one axis.
Stored rows_of(const Stored& array, std::size_t axis, Index first, Index count);

/// The entries along one axis that are listed, in that order.
Stored gathered(const Stored& array, std::size_t axis, std::vector<Index> entries);

/// The same, read into memory at the first question where it is small (4 MiB).
Stored at_hand(const Stored& stored);

/// All of it in memory.
Array collect(const Stored& stored);

}  // namespace pe
