// Scores of queries and keys that are drawn.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include "pe/analyze/decay/rotation_decay.hpp"

namespace pe {

/// The mean and the deviation over the draws at each distance.
class Draws {
 public:
  Draws(const DecaySetting& setting, std::uint64_t seed, Index draws);

  Index count() const { return draws_; }
  std::pair<double, double> scores(const std::vector<std::complex<double>>& turns,
                                   double scale) const;

 private:
  Index draws_, pairs_;
  std::vector<std::complex<double>> products_;
  std::vector<double> passed_;
};

/// As many as --draws and --seed ask for. Throws UsageError where that takes too long.
Draws draws_for(const Question& question, const DecaySetting& setting, std::size_t distances);

}  // namespace pe
