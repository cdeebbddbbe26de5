// Shares: how much of each product a number of a turned vector holds, over many of them, where
// rounding hides it in every one.
#pragma once

#include <array>
#include <cstddef>

#include "pe/base/array.hpp"

namespace pe {

/// y = α·u + β·z over many numbers of one channel, by least squares, u the number's own share and z
/// that of the other number of its pair. Numbers that were the same before the turn round alike,
/// and tell no more than one does: keys that were repeated for every head, a token that comes
/// again.
class ShareTally {
 public:
  /// `before`: the number that the channel held.
  void add(double before, double u, double z, double y);

  struct Fit {
    double other = 1, error;  // β, and its standard error over groups of numbers that are the same
  };
  Fit fit() const;

 private:
  struct Sums {
    Index count = 0;
    double uu = 0, uz = 0, zz = 0, yu = 0, yz = 0, yy = 0;
    void add(const Sums& other);
  };
  std::array<Sums, 64> groups_{};
};

/// The factor of all numbers together, and its standard error, likewise.
class FactorTally {
 public:
  void add(double before, double want, double got);

  struct Fit {
    double factor = 1, error;
  };
  Fit fit() const;

 private:
  struct Sums {
    double along = 0, square = 0;
  };
  std::array<Sums, 1024> groups_{};
};

}  // namespace pe
