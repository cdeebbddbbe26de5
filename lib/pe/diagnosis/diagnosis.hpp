// Diagnosis: what a dump is, how far from the truth it lies, and the smallest cause that explains
// the distance. What is asked, and what is answered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/base/coarse.hpp"
#include "pe/base/stored.hpp"
#include "pe/diagnosis/cause.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/settings.hpp"

namespace pe {

/// What a dump ought to be.
struct Expectation {
  const Encoding* encoding = nullptr;
  Parameters parameters;
  Effect effect;
  std::int64_t first = 0;                 // position of the first row
  std::int64_t step = 1;                  // from each to the next: of turns and waves other than 1
  std::vector<std::int64_t> listed = {};  // the rows' positions, where these go by no step
  std::optional<Index> rows;              // --length: how many rows there must be at least
  const Dialect* dialect = nullptr;       // whose layout and arithmetic are required; null: any
  std::string layout;        // --file-layout: how the arrays are laid out; "": recognised
  std::string axes = {};     // --axes: of vectors, letters b h s d; "": by the count of rows
  std::string still = {};    // which of the model's layers do not turn; "": all do, or who knows
  bool layers_alike = true;  // what holds of one layer's cache holds of the next one's
  bool searches = true;      // causes of turns are looked for where they are not as meant
  int most_causes = 2;       // of turns: how many together
  bool wide_heads = false;   // nobody says how wide a head is: its other channels may stay
  /// The same encoding with other parameters (an empty word takes one away); nothing when it
  /// refuses them.
  struct Remade {
    Parameters parameters;
    Effect effect;
  };
  std::function<std::optional<Remade>(const Settings& changes)> remake;

  std::int64_t position(Index slot) const {
    return static_cast<std::size_t>(slot) < listed.size() ? listed[static_cast<std::size_t>(slot)]
                                                          : first + step * slot;
  }
};

/// Somebody's arrays: one or several of one file or more, in the order given.
struct Dump {
  std::vector<Stored> arrays;
  std::vector<Stored>
      before;  // vectors before the encoding was applied; `arrays` then hold them afterwards
  bool has_gaps = false;  // what is no number is held to nothing
  std::shared_ptr<const Coarse> coarse =
      {};  // what the numbers of arrays[0] were rounded to; null: its own type
};

/// One number of a dump.
struct Cell {
  std::string place;  // "position 131071, pair 3, cos"
  double expected = 0, got = 0;
};

struct Diagnosis {
  std::string what;        // what was recognised: "cos and sin, both halves [131072, 128], f32"
  std::string layout;      // of the dump, by name
  std::string arithmetic;  // "hf, bit for bit", "float32, of no known codebase"; "" where wrong
  Tier tier = Tier::wrong;
  std::vector<Reason>
      reasons;  // the smallest explanation; empty where none is needed, or none was found
  std::vector<std::vector<Reason>> others;  // other explanations that fit
  std::vector<std::string> notes;           // equivalences, warnings, what a table cannot show
  /// What had to be taken for granted, since nothing said it; part of the headline of a dump that
  /// is not wrong.
  std::vector<std::string> doubts;
  double worst = 0;  // distance from the truth, over every cell looked at
  Cell worst_cell;
  double bound = 0;        // at the worst cell
  std::string bound_from;  // its derivation, with its numbers
  double before = 0,
         after =
             0;  // residual before and after the reasons are taken into account, at the rows probed
  Index cells = 0,
        rounded_otherwise =
            0;  // how many were compared, and how many are not the correctly rounded value
  double ulps =
      0;  // worst distance from the correctly rounded value, in numbers of the dump's type
  std::optional<Cell> first_wrong;  // first cell beyond the bound, in order of position
  struct Point {
    std::int64_t position;
    double worst;  // largest error from the position before up to this one
  };
  std::vector<Point> curve;  // error against position
  std::string coverage;      // "all 131072 x 128 cells"
};

/// How a dump that was made of another, or is held to another expectation, is judged.
using Judge = std::function<Diagnosis(const Expectation& expected, const Dump& dump)>;
using DumpJudge = std::function<Diagnosis(const Dump& dump)>;  // to the same expectation

}  // namespace pe
