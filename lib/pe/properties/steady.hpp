// Steady turns: those in proportion to a coordinate that lie nearest to a dump's, and how far from
// them the dump's own arithmetic may lie.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "pe/properties/property.hpp"

namespace pe::laws {

/// Turns as a dump has them, and what is known of them beforehand.
struct SeenTurns {
  Index rows = 0;
  std::size_t pairs = 0;
  std::function<void(Index first, Index count, std::complex<double>* out)> read;  // [row, pair]
  std::function<double(Index row, std::size_t pair)> coordinate;
  bool in_steps_of_one = true;       // the coordinates follow each other
  std::vector<double> nominal = {};  // frequencies that are meant; empty: none are known
  double amplitude = 0;              // that every pair has; 0: each pair its own
  std::vector<std::array<Index, 2>> columns = {};  // that a table keeps each pair in
};

/// What rounds the numbers of a file on their way, as far as a law sees it. A frequency's own error
/// is none: the same at every position, it makes turns of another frequency, as steady.
struct Arithmetic {
  double value = 0;    // of any number, before it is rounded to the file's type
  double product = 0;  // of an angle, relative
  double chain = 0;    // the same for each pair before it: a power taken by multiplication
  std::string name;
  double angle(std::size_t pair) const { return product + chain * static_cast<double>(pair); }
};

/// A turn, how far it lies from the steady one, and how far it may.
struct SteadyPlace {
  double off = 0, allowed = 0;
  Index row = 0;
  std::size_t pair = 0;
};

/// One pair held to its steady turns.
struct SteadyPair {
  SteadyPlace worst;  // the turn that is nearest to its bound, or farthest beyond it
  double share = 0;   // its part of the bound
  Power power;
  Index outside = 0;  // turns beyond their bounds
};

struct SteadyFit {
  std::vector<SteadyPair> pairs;
  std::string untold;      // why the rows cannot tell; empty where they do
  std::string bound_from;  // how `allowed` comes about, with its numbers

  Index outside() const;
  const SteadyPair& worst() const;  // the pair whose turn is farthest in parts of its bound
  Power power() const;              // of the pair that is seen least
};

/// Pair by pair a frequency, a phase and an amplitude. `still`: turns whose angle is 0 at
/// coordinate 0.
SteadyFit fit_steady(const SeenTurns& turns, const Case& subject, bool still);

/// The frequency that each pair begins the fit with: the nominal one where most turns lie within
/// the tolerance that the case gives it, or read off the turns themselves.
struct SteadyStart {
  std::vector<double> frequencies, amplitudes;
  std::vector<double> phases;   // of the middle coordinate
  std::vector<double> middles;  // the middle coordinate
  std::vector<char> nominal;    // the frequency is the nominal one
  std::vector<char> own;        // the amplitude was read off the turns
};
SteadyStart start_steady(const SeenTurns& turns, const Case& subject, bool still, double value);

/// The turns of a rotation that is a dump.
SeenTurns turns_seen(const Rotation& rotation, const Case& subject);
SeenTurns turns_seen(const Rotation&&, const Case&) = delete;  // it is read later

/// A table's columns in pairs that turn steadily, as its own parts name them, or side by side or in
/// halves, whichever does for more; and the columns that are left.
struct SteadyTable {
  std::string off_from;  // "where a steady turn is"
  SeenTurns turns;       // of the pairs that are steady in most rows
  SteadyFit fit;
  std::vector<Index> rest;
};
SteadyTable steady_table(const Table& table, const Case& subject);

/// The same for pairs that keep the sum of their squares, however they turn.
SteadyTable round_table(const Table& table, const Case& subject);
SteadyFit fit_round(const SeenTurns& turns, const Case& subject);

/// From the closest to the loosest.
std::vector<Arithmetic> arithmetics_of(const SeenTurns& turns, const Case& subject);

/// Some columns of a table, as a table.
Table columns_of(const Table& table, const std::vector<Index>& columns);

/// "position 40, pair 3"
std::string spell_place(const SeenTurns& turns, const Case& subject, Index row, std::size_t pair);

}  // namespace pe::laws
