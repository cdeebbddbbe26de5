// Companions: arrays of a dump beside those that say what it is (frequencies beside a cache, slopes
// beside a bias).
#pragma once

#include "pe/diagnosis/diagnosis.hpp"

namespace pe {

struct Companions {
  Dump main;                   // what says what the dump is
  std::vector<Stored> fields;  // named as other fields are, or as frequencies
  std::vector<Dump> twins;     // named as the main arrays are, but for their numbers
  std::vector<Dump> copies;    // the same but for words that say no other thing: "cos_cached"
  std::vector<Stored> others;  // of no known name: nobody looks at them
};

/// Nothing where a dump has one array, vectors before and after, or more arrays than
/// most_companions: it is judged as it lies.
std::optional<Companions> companions_of(const Expectation& expected, const Dump& dump);
inline constexpr std::size_t most_companions = 1024;

/// Throws UsageError where a dump has two arrays of one name, and the name is a field's, of which
/// one alone would be judged: two files of cosines and sines.
void refuse_same_names(const Dump& dump);

}  // namespace pe
