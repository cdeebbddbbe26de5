// What a file format offers: one row of functions for each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/stored.hpp"
#include "pe/io/dump.hpp"
#include "pe/io/file.hpp"
#include "pe/io/source.hpp"

namespace pe::io {

/// The arrays that a file may list: the largest models, merged into one file, have as many.
inline constexpr std::size_t most_arrays = 100'000;
/// Bytes of their names together.
inline constexpr std::size_t most_names = 8 << 20;
/// Axes of one array, as many as NumPy has.
inline constexpr std::size_t most_axes = 32;

/// Counts the arrays that a file lists, and refuses it where they are too many.
class ArrayCount {
 public:
  explicit ArrayCount(Kept<Source> source) : source_(source) {}
  void add(std::string_view name);

 private:
  const Source& source_;
  std::size_t arrays_ = 0, names_ = 0;
};

/// Everything that a writer is given.
struct Job {
  const std::vector<Field>& fields;
  const Provenance& provenance;
  const Output& output;
};

/// An array of a file, or why there is none.
struct Offered {
  Stored stored;        // with its name alone where it cannot be read; a nameless array is ""
  std::string refusal;  // the whole sentence; "": it can be read
  bool is_other_type =
      false;  // sound, but of elements that are not read: passed over where it is not named
};

/// Elements of a type that is not read; `what` is the reason alone.
struct OtherType : FileError {
  using FileError::FileError;
};

/// What `open` returns under this name, or what it throws as a refusal.
template <typename Open>
Offered offer(std::string name, const Source& source, const Open& open);

struct FormatRow {
  Format format;
  std::string_view name;
  std::string_view
      suffixes;  // "" or words such as ".h5 .hdf5"; the format's own name is always understood
  bool text;     // may be shown on a terminal
  bool placed;   // each element's place is known beforehand, so that several processes can write it
  std::string_view summary;       // what stands where in such a file
  void (*write)(const Job& job);  // null for formats that are only read
  /// The arrays in the file's order, nothing of them read yet. Null for formats that are only
  /// written.
  std::vector<Offered> (*open)(const std::shared_ptr<const Source>& source, const RawForm& raw);
};

std::span<const FormatRow> formats();

/// The suffix of the last part of the path, in lower case: ".csv", or "".
std::string suffix_of(const std::string& path);
/// Null where no format has this suffix.
const FormatRow* row_of_suffix(const std::string& suffix);

/// What to say of a file that torch.save made, or another framework's: it is a program, not a list
/// of arrays.
std::string spell_pytorch(const std::string& shown);

/// The only field of a format that holds one array; throws UsageError that lists them otherwise.
const Field& only_field(const Job& job, std::string_view format);

/// "cos, sin": how messages list.
std::string spell_names(const std::vector<std::string>& names);
std::string spell_names(const std::vector<Field>& fields);

template <typename Open>
Offered offer(std::string name, const Source& source, const Open& open) {
  Offered offered;
  try {
    try {
      offered.stored = open();
    } catch (const OtherType& error) {
      offered.is_other_type = true;
      source.refuse(error.what());
    }
  } catch (const FileError& error) {
    offered.refusal = error.what();
  }
  offered.stored.name = std::move(name);
  return offered;
}

}  // namespace pe::io
