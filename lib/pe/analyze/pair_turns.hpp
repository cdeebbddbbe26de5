// The turns that a rotation makes, or that a table of waves is made of, pair by pair: exact, and
// as a pipeline rounds them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pe/analyze/pipeline.hpp"
#include "pe/base/twofold.hpp"
#include "pe/subject/subject.hpp"

namespace pe {

struct PairTurns {
  Index pairs = 0;
  Index channels = 0;      // of a head, or of a row
  bool rows = false;       // the turns are entries of a table that is added
  double magnitude = 1;    // of cosines and sines
  bool on_a_line = false;  // every pair turns by the position itself
  std::vector<Real> frequencies;
  /// Cosines and sines times the magnitude, [position, pair] each, correctly rounded.
  std::function<void(const PositionRange&, double* cosine, double* sine)> fill;
  /// What multiplies the frequency of each pair at a position.
  std::function<void(const PositionRange& one, double* places)> places;
};

/// Nothing for an effect that is not made of turns.
std::optional<PairTurns> turns_of(const Subject& subject);
/// Of a ladder whose pairs turn by the position.
PairTurns turns_of(const Ladder& ladder);

/// A pipeline at work on the turns of an effect.
class RoundedTurns {
 public:
  /// Of a pipeline without a dialect.
  RoundedTurns(const Pipeline& pipeline, const PairTurns& turns, DType stored);
  /// Throws UsageError where the dialect has no rule for the effect.
  RoundedTurns(const Pipeline& pipeline, const PairTurns& turns, const Effect& effect,
               DType stored);

  /// The angles of one position, and cosines and sines as they are stored. Thread-safe.
  void at(const double* places, double* angles, double* cosine, double* sine) const;

 private:
  Pipeline pipeline_;
  DType table_ = DType::f32;
  Index pairs_ = 0;
  double magnitude_ = 1;
  std::vector<double> frequencies_;
  std::function<void(double, float*)> steps_;
};

}  // namespace pe
