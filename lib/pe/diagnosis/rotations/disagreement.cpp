// A hypothesis against every row, until enough refute it.
#include <cmath>

#include "pe/diagnosis/rotations/blocks.hpp"
#include "pe/diagnosis/rotations/residuals.hpp"
#include "pe/diagnosis/rotations/rest.hpp"

namespace pe {

std::vector<Index> disagreeing_rows(const RotationObservation& observation, const Dump& dump,
                                    const RotationHypothesis& hypothesis) {
  const RotationReading& reading = observation.reading();
  const std::size_t threads = threads_for(reading);
  std::vector<std::vector<Index>> found(threads);
  const auto own = observation.angles(hypothesis);
  const RotationPrediction prediction =
      own ? RotationPrediction(hypothesis, *own, observation.dtype(), observation.has_values())
          : observation.prediction(hypothesis);
  in_blocks(reading.rows, block_of(reading), threads, [&](std::size_t t, Index first, Index count) {
    if (found[t].size() >= 8) return;
    const auto is_blank = [&](const RestCell& cell) {
      return cell.after == 0 && hypothesis.row &&
             hypothesis.row(cell.row) == RotationHypothesis::Row::blank;
    };
    for (const RestCell& cell : changed_rest(dump, reading, first, count))
      if (!is_blank(cell) && found[t].size() < 8 &&
          (found[t].empty() || found[t].back() != cell.row))
        found[t].push_back(cell.row);
    const auto size = static_cast<std::size_t>(count * reading.pairs);
    std::vector<double> c(size), s(size), slack(size), pc(observation.pairs()),
        ps(observation.pairs()), bound(observation.pairs());
    read_turns(dump, reading, first, count, c.data(), s.data(), slack.data());
    for (Index r = 0; r < count && found[t].size() < 8; ++r) {
      prediction.row(first + r, pc, ps, bound);
      for (std::size_t j = 0; j < observation.pairs(); ++j) {
        const std::size_t at = static_cast<std::size_t>(r) * observation.pairs() + j;
        const double allowed = bound[j] + slack[at];
        if (!observation.has_cosine()) c[at] = pc[j];
        if (!observation.has_sine()) s[at] = ps[j];
        if (std::isinf(allowed) ||
            (prediction.allows(c[at], pc[j], allowed) && prediction.allows(s[at], ps[j], allowed)))
          continue;
        found[t].push_back(first + r);
        break;
      }
    }
  });
  std::vector<Index> rows;
  for (const auto& part : found) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace pe
