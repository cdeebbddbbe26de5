// Turns: the diagnosis of caches, angles, frequencies, sinusoids and turned vectors.
#pragma once

#include "pe/diagnosis/rotations/attempts.hpp"

namespace pe {

/// For rotations, and for tables whose rows are waves along one axis.
Diagnosis diagnose_turns(const Expectation& expected, const Dump& dump);

/// The turns that are meant, at the rows of a table.
RotationTruth truth_of(const Expectation& expected);

/// One dump as it lies. `side`: whether it is one of queries or of keys, where that is known.
Diagnosis judge(const Expectation& expected, const Dump& dump, std::optional<Side> side = {});

/// The same where a reading that is meant holds at every cell, without a search for causes; nothing
/// where none does.
std::optional<Diagnosis> held_as_meant(const Expectation& expected, const Dump& dump,
                                       std::optional<Side> side = {});

/// What is wrong with rows whose positions are listed, all of them at once: the smallest causes
/// that hold for every row; empty where none do.
std::vector<Reason> explained_at_once(const Expectation& expected, const Dump& dump);

/// Whether more is known than that the table has too few rows.
bool is_explained(const Diagnosis& diagnosis);

/// Whether some cells are beside what is known of the others.
bool leaves_cells(const Diagnosis& diagnosis);

/// How far every cell lies from what is meant, by the reading that least speaks against; no cause.
Diagnosis compared_as_meant(const Expectation& expected, const Dump& dump,
                            std::optional<Side> side = {});

/// A longrope cache that is two, as the dialect that is required keeps it: rows of the original
/// length by the short factors, then rows from position 0 again by the long ones. Nothing where it
/// is not asked for, or where nothing explains what is wrong with one of them.
std::optional<Diagnosis> diagnose_stacked(const Expectation& expected, const Dump& dump);

/// Cosines and sines that stand one behind the other along the first axis of one array, as
/// stacking makes them, apart; nothing where there are no two of anything.
std::optional<Dump> sides_apart(const Dump& dump);

/// The reading of a dump that looks most like turns, the truth for as many pairs as it has, and the
/// part of the probed values that agree with it.
struct LikelyReading {
  RotationReading reading;
  RotationTruth truth;
  Effect effect;
  double share = 0;
};
/// By so many rows of those that are probed, and how many of their values it holds, alone.
LikelyReading likely_reading(const Expectation& expected, const Dump& dump,
                             Index most = std::numeric_limits<Index>::max());
/// The same of the readings against which nothing speaks, where there are any.
LikelyReading meant_reading(const Expectation& expected, const Dump& dump);

/// How closely a codebase's arithmetic gives the observed turns: worst distance at the probes, in
/// numbers of the file's type; the best of all dialects. Nothing where no dialect has a rule for
/// the encoding.
struct Arithmetic {
  const Dialect* dialect = nullptr;
  double ulps = 0;
};
std::optional<Arithmetic> nearest_arithmetic(const RotationObservation& observation);

}  // namespace pe
