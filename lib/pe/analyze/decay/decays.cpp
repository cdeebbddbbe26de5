// Scores as curves: their fall, and the weights that softmax makes of it.
#include "pe/analyze/decay/decays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pe {

// e of a score s and of the one at 0, f: |s| ≤ |fall| + |f|, so a fall is off by 2·absolute +
// 2·relative·|f| + relative·|fall| and one rounding.
Error fall_error(const Error& score, double first) {
  return {.absolute = 2 * score.absolute + 2 * score.relative * std::fabs(first),
          .relative = score.relative + 0x1p-53};
}

Error weight_error(const Error& fall, double deepest) {
  const double off = fall.absolute + fall.relative * std::min(deepest, 745.0);
  return {.absolute = 0x1p-1070, .relative = std::expm1(std::min(off, 700.0)) + 0x1p-51};
}

Sheet sheet_of(ScoreCurve curve) {
  const double first = curve.score.front(), size = std::fabs(first);
  std::vector<double> fall, weight, share;
  double deepest = 0;
  for (const double score : curve.score) {
    fall.push_back(score - first);
    weight.push_back(std::exp(fall.back()));
    share.push_back(curve.scales && first != 0 ? score / first
                                               : std::numeric_limits<double>::quiet_NaN());
    deepest = std::max(deepest, std::fabs(fall.back()));
  }
  const Error error = curve.error, off = fall_error(error, first);
  // Both sides of the quotient, each by its own error.
  const Error part{.absolute = size > 0 ? error.absolute / size : 0,
                   .relative = size > 0 ? error.absolute / size + 2 * error.relative + 0x1p-52 : 0};
  return {
      .axes = {std::move(curve.distance)},
      .columns = {{"score", "the score, or what a bias adds to it", std::move(curve.score), error},
                  {"fall", "score − score at distance 0", fall, off},
                  {"weight", "e^fall: attention beside that of distance 0", weight,
                   weight_error(off, deepest)},
                  {"share", "score / score at distance 0, where the score is no sum with others",
                   share, part}},
      .notes = std::move(curve.notes)};
}

}  // namespace pe
