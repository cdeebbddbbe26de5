// What can be asked of a table of vectors whose formula nobody knows: how alike neighbours are, how
// many directions it has, whether positions can be read off it.
#pragma once

#include <cstdint>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/matrix.hpp"

namespace pe {

class TableStatistics {
 public:
  explicit TableStatistics(Matrix rows);

  double adjacent_cosine() const;  // the mean of cos(P_i, P_{i+1})
  /// The share of the variance of cos(P_i, P_j), i < j, that its means for each j − i explain.
  double toeplitz() const;
  /// The mean over rows i of the share of steps from j to j + 1, j ≥ i, j − i < window, at which
  /// cos(P_i, P_j) falls.
  double monotone(Index window) const;

  /// Of the centred table or of the table as it is, falling.
  std::vector<double> singular(bool of_centred) const;
  /// Shares of the energy of the centred table in modes 0 … ⌊n/2⌋ along positions.
  std::vector<double> spectrum() const;

  /// Positions by the regression of row_regression.hpp.
  struct Regressed {
    double r2 = 0, mae = 0;  // the latter of predictions rounded to positions
  };
  Regressed regressed(const std::vector<int>& folds, int parts) const;

 private:
  double cosine(Index i, Index j) const;

  Index n_ = 0;
  Matrix rows_, gram_;  // the products of rows
  std::vector<double> norms_;
};

/// What singular values say of directions. Two entropies are in use: Roy & Vetterli's effective
/// rank is of the values' shares of their sum; of the shares of variance, their squares', it is
/// Del Giudice's effective dimensionality n1.
struct Directions {
  double effective_rank = 0;       // exp of the entropy of σ_i / Σ σ
  double effective_dimension = 0;  // exp of the entropy of σ_i² / Σ σ²
  double participation_ratio = 0;  // 1 / Σ share², of variance
  double top3 = 0;                 // the three greatest shares of variance
};
Directions directions_of(const std::vector<double>& singular);

/// How few modes hold that share of the energy.
double modes_of(std::vector<double> spectrum, double energy);

/// Folds of n rows that a seed decides, as equal in size as can be.
std::vector<int> shuffled_folds(Index n, int parts, std::uint64_t seed);

}  // namespace pe
