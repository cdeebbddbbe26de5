// Ladders out of frequencies: bases, scalings and their parameters that come near what was
// measured.
#pragma once

#include <vector>

#include "pe/diagnosis/identify/candidate.hpp"

namespace pe {

/// What was measured of the pairs of a dump.
struct Measured {
  std::vector<double>
      frequencies;  // radians per position; NaN or coarse for waves much longer than the table
  double amplitude = 1;
  bool has_amplitude = false;        // else it is not known
  bool exact = false;                // read as frequencies, not from phases
  std::vector<double> errors = {};   // bound of each frequency's, radians per position
  double amplitude_error = 0x1p-23;  // relative
};

/// θ_j = base^(−2j/d), d twice the pairs: bases of few digits first.
std::vector<Candidate> plain_guesses(const Measured& measured);
/// What every scaling's row makes of the ladder, over each base that its fast pairs have; those
/// that lie near it after those that agree.
std::vector<Candidate> scaled_guesses(const Measured& measured);
/// longrope with a divisor for each pair: whatever was measured over a ladder of a base in use.
std::vector<Candidate> listed_guesses(const Measured& measured);
/// Sinusoidal tables: both ladders, bases of few digits first.
std::vector<Candidate> sinusoidal_guesses(const Measured& measured, Index dim,
                                          const std::string& layout);
/// Ropes, and sinusoidal tables where there is a `layout`, of the bases in use, whatever was
/// measured.
std::vector<Candidate> guesses_of_bases(const Measured& measured, Index dim,
                                        const std::string& layout);
/// Timescales that reach both ends of the usual base, of a sinusoidal candidate: no rope's, in
/// whatever order sines and cosines stand.
bool is_of_sinusoids_alone(const Candidate& candidate);
/// The same tables at positions that were divided, of each of the ladders that are: timescales from
/// the divisor on.
std::vector<Candidate> divided_guesses(const std::vector<Candidate>& scaled,
                                       const Measured& measured, Index dim,
                                       const std::string& layout);

/// How far a candidate's frequencies lie from those measured: the mean of |ln ratio| over the
/// pairs, each at most 1.
double distance_of(const Measured& measured, const std::vector<double>& frequencies);

/// Whether they lie within the errors of what was measured, each.
bool is_within(const Measured& measured, const std::vector<double>& frequencies);

}  // namespace pe
