// Vectors of a relative encoding, one for each pair of a query and a key.
#pragma once

#include <optional>

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

/// A dump [query, key, channel] of Shaw's or NEZHA's vectors, each the row of the given table at
/// the pair's bucket: which row each is, judged as an index matrix. Nothing where the dump is
/// another, or the table was not given.
bool are_vectors(const Expectation& expected, const Dump& dump);
std::optional<Diagnosis> diagnose_relative_vectors(const Expectation& expected, const Dump& dump);

/// What is expected of a dump that holds the numbers of an encoding's table, [row, channel].
Expectation as_table(const Expectation& expected, const Array& table);

/// The same dump as what it ought to be where it holds the table itself, [bucket, channel]: rows of
/// a table. Nothing where it is another.
std::optional<Expectation> table_of_vectors(const Expectation& expected, const Dump& dump);

}  // namespace pe
