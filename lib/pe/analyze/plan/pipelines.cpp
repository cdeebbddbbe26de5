// Tables redone in narrow arithmetic, beside the exact ones.
#include "pe/analyze/plan/pipelines.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/waves/waves.hpp"

namespace pe {
namespace {

constexpr Index few = 1024;

double bf16(double value) { return from_bf16(to_bf16(value)); }

void widen_by(double& worst, double error) { worst = std::max(worst, std::fabs(error)); }

struct NarrowLadder {
  std::vector<float> single;
  std::vector<double> half;
  double magnitude = 1;
};

// A product of two floats, or of two bfloat16 numbers, is exact in double.
void compare(const NarrowLadder& ladder, double position, const double* exact,
             PipelineErrors& errors) {
  const std::size_t pairs = ladder.single.size();
  for (std::size_t j = 0; j < pairs; ++j) {
    const double single = static_cast<double>(static_cast<float>(position) * ladder.single[j]),
                 half = bf16(bf16(position) * ladder.half[j]);
    const double turned[] = {std::cos(single), std::sin(single)},
                 blunt[] = {std::cos(half), std::sin(half)};
    for (std::size_t side = 0; side < 2; ++side) {
      const double is = exact[2 * j + side], value = ladder.magnitude * turned[side];
      widen_by(errors.f32, static_cast<double>(static_cast<float>(value)) - is);
      widen_by(errors.f16_table, from_f16(to_f16(value)) - is);
      widen_by(errors.bf16_table, bf16(value) - is);
      widen_by(errors.bf16_angles, bf16(ladder.magnitude * blunt[side]) - is);
    }
  }
}

}  // namespace

PipelineErrors pipeline_errors(const Ladder& ladder, Index length) {
  NarrowLadder narrow{.single = {}, .half = {}, .magnitude = to_double(ladder.magnitude)};
  for (const Real& frequency : ladder.frequencies) {
    narrow.single.push_back(static_cast<float>(to_double(frequency)));
    narrow.half.push_back(bf16(to_double(frequency)));
  }
  const Waves waves(ladder.frequencies, ladder.magnitude);
  const Index last = std::min(length, few), before = length - last,
              step = std::max<Index>(1, (before + few - 1) / few);
  const WaveLayout layout{.width = 2 * waves.pairs(),
                          .sine = Place{.offset = 1, .step = 2},
                          .cosine = Place{.offset = 0, .step = 2}};
  std::vector<double> exact(static_cast<std::size_t>(few * layout.width));
  PipelineErrors errors;
  for (const PositionRange& run :
       {PositionRange{before, 1, last, 0}, PositionRange{0, step, (before + step - 1) / step, 0}}) {
    if (run.count == 0) continue;
    waves.fill(run, layout, DType::f64, reinterpret_cast<std::byte*>(exact.data()));
    for (Index i = 0; i < run.count; ++i)
      compare(narrow, run.value(i), exact.data() + i * layout.width, errors);
  }
  return errors;
}

}  // namespace pe
