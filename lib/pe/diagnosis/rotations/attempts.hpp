// Turn attempts: each way to read a dump as the turns that are meant, and what it has against it.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"
#include "pe/diagnosis/rotations/required.hpp"

namespace pe {

/// One way to read the dump, and what came of it.
struct Attempt {
  RotationReading reading;
  RotationTruth truth;
  Effect effect;
  std::vector<Reason> reasons;  // that come with the reading
  double cost = 0;
  bool copies_differ = false;           // second columns are not the first ones, as probed
  bool is_repeated = false;             // rows are a grid's several times, on one axis
  bool refuted = false;                 // as it stands, by a pass over every cell
  std::vector<Index> damaged = {};      // probes that are no turns, which no hypothesis explains
  std::vector<Reason> by_default = {};  // reasons that only a default speaks for; named last
  std::vector<Explanation<RotationObservation>> hypotheses = {};
  double total() const { return cost + (hypotheses.empty() ? 1000 : hypotheses.front().cost); }
};

/// What the command says of vectors and of scales; `side`: whether they are those of queries or of
/// keys, where it does.
TurnQuestion question_of(const Expectation& expected, const RotationTruth& truth,
                         std::optional<Side> side);

/// Every reading that suits. Throws UsageError where none does, with the candidates.
std::vector<Attempt> attempts_of(const Expectation& expected, const Dump& dump,
                                 const RotationTruth& truth, const RequiredLayout& required,
                                 std::optional<Side> side = {});

}  // namespace pe
