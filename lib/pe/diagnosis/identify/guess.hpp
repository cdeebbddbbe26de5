// Guesses that are whole: every parameter said, the dump read as they would have it.
#pragma once

#include "pe/diagnosis/identify/candidate.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

/// A candidate over `rows` positions, the dump without its rows of tokens, and the reading that
/// suits them best.
struct Guess {
  Candidate candidate;
  Expectation expected;
  Dump dump;
  LikelyReading likely;
  Tokens tokens = {};  // whose rows are left out

  /// Every value probed is the candidate's own.
  bool agrees() const { return likely.share == 1; }
  /// The dump as the guess reads it, at these rows. It keeps the guess.
  RotationObservation observe(std::vector<Index> rows) const;
};

/// Nothing where the candidate cannot be, or the dump cannot be read as its turns. At a glance a
/// few rows are looked at alone while these refute it.
std::optional<Guess> held(const Candidate& candidate, const Dump& dump, Index rows,
                          const std::string& layout, bool at_a_glance = false);

/// Of guesses that agree the cheapest that holds for every value, the others as what nobody can
/// tell from it.
std::optional<Identification> told(std::vector<Guess> agreeing, const Dump& dump);

/// A guess that may be off, with what the dump was found to be beside it.
Identification told(const Guess& guess, const Dump& dump, Diagnosis diagnosis);

/// The extents before the channels that may count positions, and of a table the products of the
/// first of them: the most rows first, none below three.
std::vector<Index> counts_of_rows(const Dump& dump);

}  // namespace pe
