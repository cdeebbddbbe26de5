// Whose float32 a linear bias has: the slopes of every dialect that models them, times the whole
// numbers of the cells probed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/biases/observation.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/dialects/dialect.hpp"

namespace pe {
namespace {

std::vector<double> dialect_slopes(const BiasObservation& observation, const Dialect& dialect) {
  const std::vector<Field> fields =
      spell(Effect(*observation.bias), span_of_length(1), DType::f32, {"slope"}, dialect);
  std::vector<std::byte> bytes(static_cast<std::size_t>(observation.bias->heads) * sizeof(float));
  fields.at(0).fill(0, observation.bias->heads, bytes.data());
  std::vector<double> slopes(static_cast<std::size_t>(observation.bias->heads));
  widen(bytes.data(), DType::f32, slopes);
  return slopes;
}

bool same_bits(const BiasObservation& observation, const BiasHypothesis& hypothesis,
               const std::vector<double>& slopes) {
  for (const BiasObservation::Probe& probe : observation.probes) {
    const std::vector<double> truth = observation.evaluate(hypothesis, probe);
    const std::vector<char>& hidden = probe.hidden;
    const auto own = static_cast<std::size_t>(
        hypothesis.heads[static_cast<std::size_t>(probe.plane % observation.shape.heads)]);
    const double slope = to_double(hypothesis.slopes[own]);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      if (truth[k] == -HUGE_VAL || hidden[k]) continue;
      const auto product =
          static_cast<double>(static_cast<float>(slopes[own] * std::nearbyint(truth[k] / slope)));
      double stored = 0;
      round_to(observation.dtype, {&product, 1}, &stored);
      if (stored != probe.got[k]) return false;
    }
  }
  return true;
}

}  // namespace

std::string bias_arithmetic(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (observation.base.slopes.empty() || hypothesis.constant == BiasHypothesis::Constant::any)
    return "";
  std::string names;
  for (const Dialect& dialect : all_dialects())
    if (dialect.lanes > 0 &&
        same_bits(observation, hypothesis, dialect_slopes(observation, dialect)))
      names += (names.empty() ? "" : ", ") + std::string(dialect.name);
  return names.empty() ? "" : names + ", bit for bit at the rows probed";
}

std::optional<DType> type_made_in(const Expectation& expected) {
  if (!expected.parameters.has("added") || expected.parameters.choice("added") != "before")
    return {};
  return DType::bf16;
}

}  // namespace pe
