// Drift: how far a float32 evaluation of an encoding may lie from the real number, as its row says.
#pragma once

#include <string>
#include <vector>

#include "pe/kinds/effect.hpp"
#include "pe/model/parameter.hpp"

namespace pe {

/// |Δ| ≤ relative·|value| + absolute + by_distance·distance, for each head of a bias (a table has
/// one), before the rounding to a file's dtype.
struct Drift {
  std::vector<double> relative, absolute, by_distance;
  std::string derivation;  // the same in words, with its numbers

  Drift(Index heads, std::string words)
      : relative(static_cast<std::size_t>(heads), 0.0),
        absolute(relative),
        by_distance(relative),
        derivation(std::move(words)) {}
  double at(Index head, double magnitude, double distance) const {
    const auto h = static_cast<std::size_t>(head);
    return relative[h] * magnitude + absolute[h] + by_distance[h] * distance;
  }
};

/// What an evaluation reaches: the heads that a dump has, where it has any, and the farthest
/// position or distance.
struct Reach {
  Index heads = 1;
  double farthest = 0;
};

/// A row's bound. There is no default: a row that states none does not compile.
class DriftRule {
 public:
  using Function = Drift (*)(const Parameters&, const Effect&, const Reach&);
  consteval DriftRule(Function bound) : bound_(bound) {}
  Drift operator()(const Parameters& parameters, const Effect& effect, const Reach& reach) const {
    return bound_(parameters, effect, reach);
  }

 private:
  Function bound_;
};

constexpr double half_ulp_f32 = 0x1p-24;  // u: one rounding to float32, relative

/// How many times a long sum's error by one evaluation in float32, at its worst over places looked
/// at, others may have: in another order of the terms, at another place. Errors of rounding are
/// added as numbers of either sign are (Higham & Mary 2019, A New Approach to Probabilistic
/// Rounding Error Analysis): the bound that would hold if all had one sign is 10² to 10³ times what
/// programs do, and wrong weights would hide in it.
constexpr double other_orders = 16;

/// Numbers that are passed on, or whole: one rounding to float32.
Drift copies_drift(const Parameters&, const Effect&, const Reach&);
/// Sines and cosines: 10u of the angle, at most the farthest coordinate, and of 1. How far each
/// pair drifts, where that is asked, the diagnosis of rotations derives from its frequency.
Drift waves_drift(const Parameters&, const Effect&, const Reach&);

}  // namespace pe
