// What the identifications of biases, buckets and tables share: an array as a matrix, and the
// candidate that fits it best.
#pragma once

#include <optional>
#include <vector>

#include "pe/diagnosis/identify/candidate.hpp"
#include "pe/diagnosis/mask/mask.hpp"

namespace pe {

/// Queries and keys, and one matrix of them for each head of each batch.
struct ScoreMatrix : ScoreAxes {
  DumpMask mask = {};

  /// Of a plane, NaN where the mask hides the key.
  std::vector<double> row(const Stored& array, Index plane, Index query) const;
};
/// Of numbers for which masks have no meaning: indices, tables.
ScoreMatrix matrix_of(const Stored& array);
ScoreMatrix masked_matrix_of(const Stored& array);

inline bool is_good(const Diagnosis& diagnosis) { return diagnosis.tier != Tier::wrong; }

/// The first candidate without faults, or with `faults` with some that have names. Summary and
/// family are left to the caller.
std::optional<Identification> settle(const std::vector<Candidate>& candidates, const Dump& dump,
                                     const std::string& layout, bool faults);

/// A bias that is a formula of the distance: KERPLE's, Sandwich's.
std::optional<Identification> identify_distance(const Dump& dump, const std::string& layout);
std::optional<Identification> identify_index(const Dump& dump, const std::string& layout);
/// A trained bias of relative positions: constant on each bucket of a map of T5's, or on each
/// difference of rows and columns in a window.
std::optional<Identification> identify_trained(const Dump& dump, const std::string& layout);

}  // namespace pe
