// Readings of caches by the rows of layouts.def.
#pragma once

#include <string>
#include <vector>

#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/dialects/layouts.hpp"

namespace pe {

/// A reading of [rows, width] arrays with one place for each side.
RotationReading reading_of(std::string layout, RotationReading::Form form, Index rows, Index width,
                           Index pairs, RotationReading::Place cosine, RotationReading::Place sine,
                           std::optional<Pairing> pairing = {});

/// A layout of arrays whose rows have `width` elements; nothing where pairs do not come out whole.
std::optional<RotationReading> reading_of(const ArrayLayout& layout, Index rows, Index width,
                                          std::size_t cosine, std::size_t sine);

/// Whether both sides' second columns repeat the first ones in the first row, the middle one or the
/// last. Of an array that nowhere does, four columns belong to two pairs, not to one.
bool repeats(const Stored& array, const RotationReading& reading);

/// One array: both sides in it, or angles.
void add_fused(std::vector<RotationReading>& all, const Stored& array, Index rows, Index width,
               std::optional<Index> pairs);

/// Cosines in one array and sines in another.
void add_two(std::vector<RotationReading>& all, Index rows, Index width, std::size_t cosine,
             std::size_t sine);

/// Cosines whose second columns are halves, and sines that repeat by neighbours, or the reverse:
/// tables of two programs.
void add_mixed(std::vector<RotationReading>& all, const std::vector<Stored>& arrays, Index rows,
               Index width, std::size_t cosine, std::size_t sine);

/// One array that holds one side of as many pairs as are meant: cosines, or sines.
void add_one_side(std::vector<RotationReading>& all, Index rows, Index width, Index pairs);

/// Columns for channels whose halves pair up within blocks of them: pair j's are those that it is
/// written to.
void add_blocks(std::vector<RotationReading>& all, Index blocks);

}  // namespace pe
