// What turns along several axes, or grows as it turns, with nothing said beforehand.
#pragma once

#include "pe/diagnosis/identify/identify.hpp"

namespace pe {

/// Every convention of every encoding that counts along a grid, over every grid that has so many
/// rows, with the base that the turns themselves show. Nothing where none comes near.
std::optional<Identification> identify_grid(const Dump& dump, const std::string& layout);

/// mrope of every model of the catalogue, with the segments that its positions show.
std::optional<Identification> identify_sections(const Dump& dump, const std::string& layout);

/// Matrices that turn a head at each position, or a pair of its channels each. Nothing where they
/// are none, or of no ladder that is known.
std::optional<Identification> identify_matrices(const Dump& dump);

/// Tables whose axes are exchanged, or whose rows stand in another order; that is the fault told.
std::optional<Identification> identify_rearranged(const Dump& dump, const std::string& layout);

/// A table of one ladder behind rows of zeros: of tokens without a position, or of padding.
std::optional<Identification> identify_prefixed(const Dump& dump, const std::string& layout);

/// xpos, of vectors before and after, and of cosines and sines that carry its scales.
std::optional<Identification> identify_scales(const Dump& dump, const std::string& layout);

/// A table of sinusoids of an odd width, whose last channel is zero or lacks its partner.
std::optional<Identification> identify_odd_sinusoid(const Dump& dump);

/// A table of sinusoids by a formula that is nearly the usual one; its verdict says what is other.
std::optional<Identification> identify_near_sinusoid(const Dump& dump);

}  // namespace pe
