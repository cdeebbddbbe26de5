// Companions: arrays of a dump beside those that say what it is (frequencies beside a cache, slopes
// beside a bias), each held to the field that its name says.
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

/// Adds to a verdict on the main arrays what is wrong with those beside them, and doubts that name
/// what was not looked at. Frequencies, complex turns and the caches of other layers (`twins`) are
/// judged as such, and so are caches kept once more (`copies`), at the same positions or from 0;
/// numbers of other fields may be off by 64 float32 roundings of themselves, of R(p) by as many of
/// their angle, and by one rounding to the file's type.
void judge_companions(const Expectation& expected, const Companions& companions,
                      Diagnosis& diagnosis);

/// The verdict on a dump of one array that has the name of a field which no room reads (`ratio`,
/// `matrix`, `sinusoid`), held to that field as companions are; nothing for any other.
std::optional<Diagnosis> judge_lone_field(const Expectation& expected, const Dump& dump);

}  // namespace pe
