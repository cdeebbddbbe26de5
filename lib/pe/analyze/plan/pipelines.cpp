// Tables redone by pipelines, beside the exact ones.
#include "pe/analyze/plan/pipelines.hpp"

#include <algorithm>
#include <cmath>

#include "pe/analyze/pair_turns.hpp"

namespace pe {
namespace {

constexpr Index few = 1024;

}  // namespace

std::vector<double> table_errors(const Ladder& ladder, const std::vector<Pipeline>& pipelines,
                                 Index length) {
  const PairTurns turns = turns_of(ladder);
  std::vector<RoundedTurns> rounded;
  for (const Pipeline& pipeline : pipelines) rounded.emplace_back(pipeline, turns, DType::f32);
  const auto n = static_cast<std::size_t>(turns.pairs);
  const Index last = std::min(length, few), before = length - last,
              step = std::max<Index>(1, (before + few - 1) / few);
  std::vector<double> worst(pipelines.size()), places(n), angles(n), kept(2 * n), exact(2 * n);
  for (const PositionRange& run :
       {PositionRange{before, 1, last, 0}, PositionRange{0, step, (before + step - 1) / step, 0}})
    for (Index i = 0; i < run.count; ++i) {
      turns.fill(run.slice(i, 1), exact.data(), exact.data() + n);
      turns.places(run.slice(i, 1), places.data());
      for (std::size_t p = 0; p < pipelines.size(); ++p) {
        rounded[p].at(places.data(), angles.data(), kept.data(), kept.data() + n);
        for (std::size_t c = 0; c < 2 * n; ++c)
          worst[p] = std::max(worst[p], std::fabs(kept[c] - exact[c]));
      }
    }
  return worst;
}

}  // namespace pe
