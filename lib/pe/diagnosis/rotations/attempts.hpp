// Turn attempts: each way to read a dump as the turns that are meant, what it has against it, and
// how much it looks like turns.
#pragma once

#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {

/// What the command asks of the layout; empty: any will do.
struct RequiredLayout {
  std::string layout;  // of the arrays, or of a sinusoidal table
  std::optional<Pairing> pairing;
  std::string from,
      layout_from =
          {};  // who says so, of the pairing or a table's order, and of the arrays' layout
  bool by_default = false;  // nobody does: it is the encoding's own default
  bool by_hand = false;  // not a model's family: weights may have been permuted to suit a table of
                         // the other pairing
};

RequiredLayout required_layout(const Expectation& expected);

/// One way to read the dump, and what came of it.
struct Attempt {
  RotationReading reading;
  RotationTruth truth;
  Effect effect;
  std::vector<Reason> reasons;  // that come with the reading
  double cost = 0;
  bool copy = false;                    // the second columns are the ones that tell the hypothesis
  bool refuted = false;                 // as it stands, by a pass over every cell
  std::vector<Reason> by_default = {};  // reasons that only a default speaks for; named last
  std::vector<Explanation<RotationObservation>> hypotheses = {};
  double total() const { return cost + (hypotheses.empty() ? 1000 : hypotheses.front().cost); }
};

/// What the command says of vectors; `key`: whether they are keys, where it does.
VectorQuestion question_of(const Expectation& expected, const RotationTruth& truth,
                           std::optional<bool> key);

/// Every reading that suits. Throws UsageError where none does, with the candidates.
std::vector<Attempt> attempts_of(const Expectation& expected, const Dump& dump,
                                 const RotationTruth& truth, const RequiredLayout& required,
                                 std::optional<bool> key = {});

/// How much a reading looks like turns: where it says that columns are equal, they are.
struct Likelihood {
  double share =
      0;  // of the cells that look like turns, and a quarter of the share of equal columns
  bool copies_differ = false;
};

Likelihood likelihood(const Expectation& expected, const Dump& dump, const Attempt& attempt,
                      const RotationObservation& observation);

/// Part of the observed turns that could be turns of this reading: on a circle.
double plausibility(const RotationObservation& observation);
/// Part of the columns that grow by the same step from row to row, as angles do.
double straightness(const Dump& dump, const RotationReading& reading);
/// Part of the columns that are waves of equal steps, as one side of turns is.
double waviness(const Dump& dump, const RotationReading& reading, double amplitude);
/// Whether vectors pass the channels that do not turn through, at these rows.
bool passes_rest(const Dump& dump, const RotationReading& reading, const std::vector<Index>& rows);

}  // namespace pe
