// Whose float32 a linear bias has: the slopes of every dialect that models them, times the whole
// numbers of the cells probed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/bias_world.hpp"
#include "pe/diagnosis/score_tally.hpp"
#include "pe/dialects/dialect.hpp"

namespace pe {
namespace {

std::vector<double> dialect_slopes(const BiasWorld& world, const Dialect& dialect) {
  const std::vector<Field> fields =
      spell(Effect(*world.bias), span_of_length(1), DType::f32, {"slope"}, dialect);
  std::vector<std::byte> bytes(static_cast<std::size_t>(world.bias->heads) * sizeof(float));
  fields.at(0).fill(0, world.bias->heads, bytes.data());
  std::vector<double> slopes(static_cast<std::size_t>(world.bias->heads));
  widen(bytes.data(), DType::f32, slopes);
  return slopes;
}

bool same_bits(const BiasWorld& world, const BiasStory& story, const std::vector<double>& slopes) {
  for (const BiasWorld::Probe& probe : world.probes) {
    const std::vector<double> truth = world.evaluate(story, probe);
    const auto own = static_cast<std::size_t>(story.heads[static_cast<std::size_t>(probe.head)]);
    const double slope = to_double(story.slopes[own]);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (truth[k] == -HUGE_VAL) continue;
      const auto product =
          static_cast<double>(static_cast<float>(slopes[own] * std::nearbyint(truth[k] / slope)));
      double stored = 0;
      round_to(world.dtype, {&product, 1}, &stored);
      if (stored != probe.got[k]) return false;
    }
  }
  return true;
}

}  // namespace

std::string bias_arithmetic(const BiasWorld& world, const BiasStory& story) {
  if (world.base.slopes.empty() || story.constant == BiasStory::Constant::any) return "";
  std::string names;
  for (const Dialect& dialect : all_dialects())
    if (dialect.lanes > 0 && same_bits(world, story, dialect_slopes(world, dialect)))
      names += (names.empty() ? "" : ", ") + std::string(dialect.name);
  return names.empty() ? "" : names + ", bit for bit at the rows probed";
}

}  // namespace pe
