// Field: a named array that is filled block by block; the narrow waist between kinds and formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pe/base/array.hpp"
#include "pe/model/position.hpp"

namespace pe {

/// One dimension of a field and the coordinate of each index along it.
struct Axis {
  std::string name;  // position, dim, pair, head, query, key, relative_position, bucket, …
  PositionRange coordinates;  // its count is the size of the axis
  std::string description;
  std::vector<std::string> labels = {};  // a name for each index, where they are no numbers
  std::vector<double> places = {};       // a coordinate for each index, where they make no run

  bool operator==(const Axis& other) const {
    return name == other.name && coordinates == other.coordinates && labels == other.labels &&
           places == other.places;
  }
};

/// Lines are the contiguous runs along the last axis; a field of one axis has one element a line,
/// so that every field streams. `fill(first, count, out)` writes lines first … first+count−1 in C
/// order, already rounded to `dtype`. It may be called from several threads at once, in any order
/// and any blocks, and gives the same bytes.
struct Field {
  using Fill = std::function<void(Index first_line, Index lines, std::byte* out)>;

  std::string name;         // cos, sin, pe, bias, slope, bucket, inv_freq, …
  std::string description;  // one phrase: long_name in HDF5
  std::vector<Axis> axes;   // outermost first; empty: a single value
  DType dtype = DType::f32;
  Fill fill;
  std::vector<std::string> words = {};  // of an i64 field: value v stands for words[v], −1 for none

  std::vector<Index> shape() const;
  Index lines() const;      // how many lines the field has
  Index line_size() const;  // elements in a line
  std::size_t line_bytes() const { return static_cast<std::size_t>(line_size()) * size_of(dtype); }
};

/// Fills lines with `threads` threads (0: one for each processor), each taking a contiguous part.
void fill(const Field& field, Index first_line, Index lines, std::byte* out, int threads = 0);

/// The whole field in memory.
Array collect(const Field& field, int threads = 0);

}  // namespace pe
