// What the identifications of biases, buckets and tables share: an array as a matrix, and the
// candidate that fits it best.
#pragma once

#include <optional>
#include <vector>

#include "pe/diagnosis/identify/candidate.hpp"

namespace pe {

/// The last two axes, and all before them as heads.
struct Matrix {
  Index heads = 1, queries = 1, keys = 1;
  std::vector<double> row(const Stored& array, Index head, Index query) const;
};
Matrix matrix_of(const Stored& array);

inline bool is_good(const Diagnosis& diagnosis) { return diagnosis.tier != Tier::wrong; }

/// The candidate with the fewest faults: none, or with `faults` some that have names. Summary and
/// family are left to the caller.
std::optional<Identification> settle(const std::vector<Candidate>& candidates, const Dump& dump,
                                     const std::string& layout, bool faults);

std::optional<Identification> identify_index(const Dump& dump, const std::string& layout);
/// A trained bias of relative positions: the same along each diagonal, and constant on each bucket
/// of a map.
std::optional<Identification> identify_trained(const Dump& dump);

}  // namespace pe
