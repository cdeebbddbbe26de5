// Turn dump: arrays read as the turns of pairs, in one of the layouts that codebases keep them in.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pe/diagnosis/diagnosis.hpp"
#include "pe/diagnosis/rotations/hypothesis.hpp"

namespace pe {

/// How arrays are read as turns: where cosine and sine of (row, pair) lie, as layouts.def says, and
/// one side alone as cos-pairs, sin-halves, …. engines.md's layouts, by
/// name: two arrays: pairs, halves, adjacent. One: cos-sin, sin-cos, turns (cosine, sine of each
/// pair; complex numbers, too), turns-swapped, angles, angles-halves, angles-adjacent. Vectors:
/// inv_freq, periods (1/θ), wavelengths (2π/θ), freq-factors. Vectors before and after: halves,
/// adjacent, adjacent-to-halves.
struct RotationReading {
  enum class Side { both, cosine, sine };  // which of them an array of turns holds
  enum class Form { turns, angles, frequencies, periods, wavelengths, factors, vectors };

  /// Element offset + j·step of a row of an array, or columns[j].
  struct Place {
    std::size_t array = 0;
    Index offset = 0, step = 1;
    std::vector<Index> columns = {};

    Index at(Index pair) const {
      return columns.empty() ? offset + pair * step : columns[static_cast<std::size_t>(pair)];
    }
  };

  std::string layout;
  Form form = Form::turns;
  Index rows = 0, pairs = 0, width = 0;         // width: elements in a row of each array
  Place cosine, sine;                           // angles and frequencies: `cosine` alone
  std::optional<Place> cosine_copy, sine_copy;  // the second of two equal columns
  std::optional<Pairing> pairing;               // that the layout implies
  Side side = Side::both;                       // one alone: the other is not known
  bool misnamed = false;  // the array's name says the other side of one alone, or the other order
  bool has_own_name = false;  // in its file: the file's may be anything
  // Vectors: rows are [batch, head, position] in the order of the arrays' axes. Caches of several
  // sequences, or of several axes of the positions, one after another: [sequence, position].
  Index run = 0;     // positions: row r stands at (r / stride) % run; 0: row r at r
  Index stride = 1;  // rows between two positions
  bool per_axis =
      false;  // the outer runs are the axes of the positions: every pair turns with the run's axis
  /// Whose scales the turns carry, where queries and keys have scales of their own; nobody's:
  /// cosines and sines alone.
  std::optional<pe::Side> scales = {};
  bool side_said = true;  // the command says whether queries or keys
  // Vectors, and tables of several sequences:
  std::vector<Index> extents = {};  // of the axes before the channels
  std::size_t axis = 0;             // which of them counts positions
  // Vectors alone:
  std::string axis_from = {};  // who says so; empty: nobody, and another would do as well
  Index blocks = 1;            // halves pair up within each of so many blocks of channels
  bool last = false;           // the channels that turn are the last, not the first
  bool backward = false;       // they turn by −angle, as is meant
  bool named = false;          // the array's name says what its numbers are
  double cost = 0;             // against readings that nothing prefers
  /// Of a grid's row: which axis's part stands first, second, …; empty: as is meant.
  std::vector<std::size_t> parts = {};
  std::vector<Index> lone = {};  // columns of a table that no pair has both sides of
  std::vector<Index> open = {};  // pairs that are held to nothing, ascending

  bool is_one_sided() const { return side != Side::both; }
  bool is_vectors() const { return form == Form::vectors; }
  /// A number for each pair, which is no turn.
  bool is_of_frequencies() const {
    return form == Form::frequencies || is_reciprocal() || form == Form::factors;
  }
  /// A number that is the larger, the slower a pair turns.
  bool is_reciprocal() const { return form == Form::periods || form == Form::wavelengths; }
  /// Which position in its run a row stands at.
  Index slot(Index row) const { return run > 0 ? row / stride % run : row; }
  Index slots() const { return run > 0 ? run : rows; }
  /// Rows between two entries of an axis.
  Index inner(std::size_t of) const {
    Index rows_of_one = 1;
    for (std::size_t i = of + 1; i < extents.size(); ++i) rows_of_one *= extents[i];
    return rows_of_one;
  }
  /// Where a row of vectors stands along an axis.
  Index along(Index row, std::size_t of) const { return row / inner(of) % extents[of]; }
};

/// What is known of vectors, and of turns that may carry scales, before anyone looks at them.
struct TurnQuestion {
  std::string axes = {};              // letters b h s d; empty: to be told from the extents
  std::optional<Index> rows = {};     // positions that there must be
  Index blocks = 1;                   // see RotationReading
  bool backward = false;              // likewise
  bool scaled = false;                // queries and keys have scales of their own
  bool carried = false;               // cosines and sines carry them
  std::optional<pe::Side> side = {};  // whose
  bool factors = false;               // the command says that a number for each pair divides it
};

/// "bhsd": what the axes of vectors are called, the one at `position` holding positions; empty for
/// more axes than have names.
std::string letters_of(std::size_t rank, std::size_t position);

/// "head", "sequence", "position", or "axis 1".
std::string name_of_axis(const RotationReading& reading, std::size_t axis);

/// The channels of a vector that pair j is read from and written to.
PairChannels channels_of(const RotationReading& reading, Index pair);

/// Whether a channel of a vector belongs to a pair.
bool turns(const RotationReading& reading, Index channel);

/// Whether an array has several axes that are longer than one.
bool is_table(const Stored& array);

/// Whether an array's name says that it is of queries, or of keys.
std::optional<pe::Side> whose(const Stored& array);

/// The caches of a dump that holds those of queries and of keys, cosines and sines of each, and
/// whose each is, as the names of the arrays say (cos, sin, cos_k, sin_k), or the order of four
/// that say nothing. A dump that holds one alone as it is.
struct SidedDump {
  Dump dump;
  std::optional<pe::Side> side;
};
std::vector<SidedDump> sided_caches(const Dump& dump);

/// The one side of turns that an array's name says it holds; nothing where it says none, or both.
std::optional<RotationReading::Side> side_said_by(const Stored& array);

/// Every reading that the shapes allow, for `pairs` pairs where that is known. `names` of arrays
/// say which is cos and which is sin. Throws UsageError that names the arrays where no reading
/// does.
std::vector<RotationReading> turn_readings(const Dump& dump, std::optional<Index> pairs,
                                           const TurnQuestion& question = {});

/// The same for vectors before and after.
std::vector<RotationReading> vector_readings(const Dump& dump, std::optional<Index> pairs,
                                             const TurnQuestion& question);

/// A turn of which nothing is known.
inline void leave_open(double& cosine, double& sine, double& slack) {
  cosine = 1;
  sine = 0;
  slack = std::numeric_limits<double>::infinity();
}

/// Those of a reading's open pairs in so many rows.
void leave_open(const RotationReading& reading, Index count, double* cosine, double* sine,
                double* slack);

/// Turns and, where there are scales, the growth of each pair: y/x as complex numbers.
void read_vectors(const Dump& dump, const RotationReading& reading, Index first, Index count,
                  double* cosine, double* sine, double* slack);

/// The places where a table of sinusoids with `pairs` pairs keeps its sides: interleaved, halves
/// (sines, then cosines), halves-cos-first, interleaved-cos-first.
std::vector<RotationReading> sinusoid_readings(const Dump& dump, const RotationTruth& truth);

/// The same for a grid's table, whose parts keep their sides at these columns; each part may have
/// them in another order.
std::vector<RotationReading> grid_readings(const Dump& dump, const RotationTruth& truth);

/// Turns of rows first … first+count−1, [row, pair] each: cosine and sine times the amplitude (the
/// side that is not there is 0), and
/// how far rounding of the file's own type can have moved either (`slack`; infinite where a pair of
/// zeros tells nothing, or a gap of the dump). `copy`: from the second of two equal columns.
void read_turns(const Dump& dump, const RotationReading& reading, Index first, Index count,
                double* cosine, double* sine, double* slack, bool copy = false);

/// The vector of a reading of frequencies, periods, wavelengths or factors, as frequencies
/// (`unscaled` over a factor).
std::vector<double> read_frequencies(const Dump& dump, const RotationReading& reading,
                                     const std::vector<double>& unscaled);

/// "cosines and sines, f32 [131072 x 64], layout pairs"; of vectors, how many there are of each
/// axis.
std::string describe(const Dump& dump, const RotationReading& reading);

}  // namespace pe
