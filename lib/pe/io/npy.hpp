// NumPy's .npy: one array behind a short text header.
#pragma once

#include "pe/io/element.hpp"
#include "pe/io/format.hpp"

namespace pe::io {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::uint64_t longest_npy_text = 1 << 20;

void write_npy(const Job& job);
std::vector<Offered> open_npy(const std::shared_ptr<const Source>& source, const RawForm& raw);

/// Everything before the data, for this element type and shape; npz uses it too.
std::string npy_header(const Field& field);
/// Throws UsageError when npy has no such element type.
void check_npy(const Field& field, std::string_view format);

struct NpyHeader {
  Element element;
  bool is_complex = false;
  std::vector<Index> shape;
  bool fortran = false;
  std::uint64_t data = 0;  // where it begins

  std::size_t cell() const { return element.bytes * (is_complex ? 2 : 1); }
};
/// The header at the start of an npy of so many bytes, held against these. Throws FileError,
/// OtherType.
NpyHeader read_npy_header(const Source& start, std::uint64_t bytes);
/// The array of the npy that `source` is. Fortran order is turned tile by
/// tile.
Stored npy_array(const NpyHeader& header, const std::shared_ptr<const Source>& source);

}  // namespace pe::io
