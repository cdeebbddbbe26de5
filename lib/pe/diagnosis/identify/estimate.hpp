// What can be seen of turns before anything is known of their ladder: readings, frequencies,
// amplitude, where row 0 stands.
#pragma once

#include "pe/diagnosis/identify/ladder.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"

namespace pe {

constexpr Index most_pairs = 4096;  // of a vector of frequencies

/// A reading, and what was measured of it before anything is known of its ladder.
struct FrequencyEstimate {
  RotationReading reading;
  std::vector<Index> rows;
  double score = 0;
  bool backwards = false;
  Measured measured;
  bool at_origin = false;                 // every pair of row 0 stands at phase 0
  std::int64_t first = 0, step = 1;       // of positions
  std::vector<std::int64_t> listed = {};  // where they go by no step
};

/// A ladder for observing what has none yet.
RotationTruth blank_truth(Index pairs);

/// Whether a reading has rows of turns, not one vector of frequencies.
bool has_rows(const RotationReading& reading);

/// The reading measured; nothing where its numbers are no frequencies. `blank`: any rope.
std::optional<FrequencyEstimate> look(const Dump& dump, const RotationReading& reading,
                                      const Expectation& blank);

/// Every reading that the shapes allow; of vectors for the widths that may turn.
std::vector<RotationReading> readings_of(const Dump& dump);

/// The name of the same places in a sinusoidal table; "": it is none.
std::string sinusoidal_layout(const Dump& dump, const RotationReading& reading);

/// What speaks against a table of sinusoids (`table`), or against a cache of turns, where both hold
/// the same numbers: names decide, else the order that each has as a rule.
double cost_of_kind(const Dump& dump, const RotationReading& reading, bool table);

/// Whether a name says that an array holds frequencies or what divides them: a list fits any
/// numbers.
bool names_frequencies(const Dump& dump);

/// The position of row 0: what the phases of the first rows imply, the whole number that brings
/// every pair nearest to where it stands, and by how much it misses, radians in the mean. Position
/// 0 where none comes near.
struct Origin {
  std::int64_t first = 0;
  double off = 0.05;  // a whole position off moves the first pair by one
};
Origin origin_of(const Dump& dump, const FrequencyEstimate& seen, const Expectation& expected,
                 const RotationTruth& truth, const std::vector<double>& frequencies);

/// The same turns as those of positions in steps of more than one, with the frequencies that they
/// have then.
std::vector<FrequencyEstimate> stepped(const FrequencyEstimate& seen);

/// Frequencies and amplitude in the middle of what the values allow, where those are of a short
/// type or angles as they stand; the positions of `seen` must be known. Of the rows probed, or of
/// all that are not too many.
void narrow(const Dump& dump, const RotationObservation& observation, FrequencyEstimate& seen);
void narrow(const Dump& dump, FrequencyEstimate& seen);

/// One-dimensional arrays that hold rows one after the other, as the tables that they may be.
std::vector<Dump> unrolled(const Dump& dump);

}  // namespace pe
