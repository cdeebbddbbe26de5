// Coarse: what numbers were rounded to where no DType is as short: eight bits of floating point, or
// integers times a number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pe/base/stored.hpp"

namespace pe {

class Coarse {
 public:
  /// Which numbers share the one that multiplies them: all, those of a matrix [the last two axes],
  /// of a row of it, of a channel [the last axis], of a channel within its matrix, or of a block of
  /// a row.
  enum class Shared { array, matrix, row, channel, column, block };

  /// Half the distance of the neighbours of `value`, where it is element `at` in C order.
  double half_step(Index at, double value) const;
  /// "has 4 significant bits, as those of e4m3 have"; "is a multiple of 1/127 of the largest number
  /// of its row, as int8 has them".
  const std::string& words() const { return words_; }

 private:
  friend class CoarseSearch;
  std::size_t group(Index at) const;
  double typical_step() const;

  Shared shared_ = Shared::array;
  Index width_ = 1, matrix_ = 1, block_ = 1;  // numbers of a row, of a matrix, of a block
  int bits_ = 0;                              // significant ones; 0: integers
  double clipped_ = 0;         // the integer that numbers beyond it became; 0: none did
  double least_ = 0;           // distance between the least numbers, of floating point
  std::vector<double> steps_;  // of each that share one
  std::string words_;
};

/// The grid on which all finite numbers lie that `skipped` does not leave out; nothing where there
/// is none, or where it would be no news: numbers of two values lie on any.
std::optional<Coarse> coarse_of(const Stored& stored,
                                const std::function<bool(double)>& skipped = {});

}  // namespace pe
