// Causes of precision: frequencies, positions and angles that went through a type too short for
// them.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/fitted.hpp"

namespace pe {
namespace {

constexpr DType short_types[] = {DType::bf16, DType::f16};

// The steps in which a module makes θ_j = 1/base^e, or exp(−e·ln base), and which of them were
// rounded.
struct Steps {
  bool exponent, power, last;
  bool logarithm = false;  // exp(e·c), c = −2·ln base/d: c as a power, the product, the last step
  const char* words;
};
constexpr Steps all_steps[] = {
    {true, true, true, false,
     "every step of the frequencies was rounded to {}: exponent, power and reciprocal"},
    {true, false, false, false, "the exponents of the frequencies were rounded to {}"},
    {false, true, false, false,
     "the powers of the base were rounded to {}, and not their "
     "reciprocals, the frequencies"},
    {true, true, false, false,
     "the exponents of the frequencies, and the powers of the base, were "
     "rounded to {}"},
    {true, false, true, false, "the exponents of the frequencies, and these, were rounded to {}"},
    {false, true, true, false, "the powers of the base, and the frequencies, were rounded to {}"},
    {true, false, false, true, "the logarithms of the frequencies were rounded to {}"},
    {true, false, true, true, "the logarithms of the frequencies, and these, were rounded to {}"},
    {true, true, false, true,
     "the step of the frequencies' logarithms, and these, were rounded to "
     "{}"},
    {true, true, true, true,
     "the frequencies' logarithms, their step, and the frequencies were "
     "rounded to {}"}};

// The frequencies with some steps rounded to a type.
std::optional<Proposal<RotationHypothesis>> step_by_step(const RotationObservation& observation,
                                                         const RotationHypothesis& hypothesis,
                                                         DType type, const Steps& steps) {
  const std::vector<double>& unscaled = observation.truth().unscaled;
  const double base = number_of(observation, hypothesis, "base");
  if (!(base > 1) || unscaled.size() < hypothesis.frequencies.size() ||
      hypothesis.changes.contains("base"))
    return {};
  Proposal<RotationHypothesis> one{hypothesis,
                                   fmt::format(fmt::runtime(steps.words), name_of(type)), 1.05};
  const auto short_of = [type](double x, bool is_short) {
    return is_short ? rounded_once(x, type) : x;
  };
  for (std::size_t j = 0; j < one.hypothesis.frequencies.size(); ++j) {
    if (!(unscaled[j] > 0)) return {};
    const double ratio = hypothesis.frequencies[j] / unscaled[j], log = std::log(unscaled[j]);
    const double plain =
        steps.logarithm
            ? std::exp(
                  short_of(static_cast<double>(j) *
                               short_of(log / std::max(1.0, static_cast<double>(j)), steps.power),
                           steps.exponent))
            : 1 / short_of(std::pow(base, short_of(-log / std::log(base), steps.exponent)),
                           steps.power);
    one.hypothesis.frequencies[j] = short_of(ratio * short_of(plain, steps.last), steps.last);
  }
  return one;
}

// The upper half of a float32, as a program takes it that shifts bits where it should round.
double cut_to_bf16(double x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) & 0xffff0000U);
}

// What the rule that is meant makes of a plain ladder that was rounded to the type before.
std::optional<Proposal<RotationHypothesis>> rounded_before_scaling(
    const RotationObservation& observation, const RotationHypothesis& hypothesis, DType type) {
  const std::string rule = word_of(observation, hypothesis, "scaling");
  if (rule.empty() || rule == "none" || hypothesis.changes.contains("base")) return {};
  auto ladder =
      measured_ladder(observation, hypothesis, number_of(observation, hypothesis, "base"));
  if (!ladder) return {};
  for (double& f : ladder->plain.frequencies) f = rounded_once(f, type);
  const auto scaled = sketched(find_scaling(rule), *ladder, ladder->context);
  if (!scaled || scaled->frequencies.size() != hypothesis.frequencies.size()) return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      fmt::format("frequencies (inv_freq) were rounded to {} before they were scaled",
                  name_of(type)),
      1.03};
  one.hypothesis.frequencies = scaled->frequencies;
  return one;
}

RotationProposals frequencies(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  Proposal<RotationHypothesis> cut{hypothesis,
                                   "frequencies (inv_freq) were cut to bf16, and not rounded: the "
                                   "lower bits of float32 are gone",
                                   1.02};
  for (double& f : cut.hypothesis.frequencies) f = cut_to_bf16(f);
  RotationProposals all{std::move(cut)};
  for (const DType type : short_types) {
    if (!observation.has_rows() && type == observation.dtype()) continue;
    Proposal<RotationHypothesis> one{
        hypothesis, fmt::format("frequencies (inv_freq) were rounded to {}", name_of(type))};
    one.hypothesis.frequency_type = type;
    all.push_back(one);
    for (const Steps& steps : all_steps)
      if (auto stepped = step_by_step(observation, hypothesis, type, steps))
        all.push_back(std::move(*stepped));
    if (const auto early = rounded_before_scaling(observation, hypothesis, type))
      all.push_back(*early);
  }
  return all;
}

RotationProposals positions(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_rows()) return all;
  for (const DType type : short_types) {
    const int exact = type == DType::bf16 ? 256 : 2048;
    constexpr double rather = 0.1;  // a single row is one off, as steps of decoding are
    Proposal<RotationHypothesis> one{
        hypothesis,
        fmt::format("positions were rounded to {}: beyond {} neighbours share a row", name_of(type),
                    exact),
        observation.slots() == 1 ? 1 + rather : 1};
    one.hypothesis.position_type = type;
    all.push_back(one);
  }
  return all;
}

RotationProposals angles(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_rows()) return all;
  for (const DType type : short_types) {
    Proposal<RotationHypothesis> one{
        hypothesis, fmt::format("angles were rounded to {} before their cosine and sine were taken",
                                name_of(type))};
    one.hypothesis.angle_type = type;
    all.push_back(one);
    one.hypothesis.frequency_type = type;
    one.cost = 1.1;
    one.sentence = fmt::format("frequencies and angles were rounded to {}", name_of(type));
    all.push_back(one);
    one.hypothesis.position_type = type;
    one.cost = 1.2;
    one.sentence =
        fmt::format("positions, frequencies and their products were rounded to {}", name_of(type));
    all.push_back(one);
  }
  return all;
}

double within_a_turn(double angle) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle - turn * std::floor(angle / turn);
}

// Angles that were taken into one turn before they were rounded, and sines that were looked up.
RotationProposals reduced_angles(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_rows() || !observation.has_amplitude() || hypothesis.angle_type) return all;
  // Steps that float32 angles hide would hide anything.
  double hidden = 0;
  for (const Index row : {observation.rows().front(), observation.rows().back()})
    for (std::size_t j = 0; j < hypothesis.frequencies.size(); ++j)
      hidden = std::max(hidden, observation.truth().growth[j] * 0x1p-24 *
                                    std::fabs(hypothesis.position(row, hypothesis.axis_of(j)) *
                                              hypothesis.frequencies[j]));
  const auto propose = [&](std::function<double(double)> map, std::string sentence, double cost) {
    all.push_back({hypothesis, std::move(sentence), cost});
    all.back().hypothesis.angle_map = std::move(map);
  };
  for (const DType type : short_types)
    for (const bool to_half : {false, true})
      if (hidden < std::numbers::pi * unit_roundoff(type))
        propose(
            [type, to_half](double angle) {
              const double part =
                  to_half ? std::remainder(angle, 2 * std::numbers::pi) : within_a_turn(angle);
              return rounded_once(part, type);
            },
            fmt::format("angles were rounded to {} after they were taken into one turn{}",
                        name_of(type), to_half ? ", −π to π" : ""),
            1.05);
  for (const double entries : {256, 512, 1024, 2048, 4096, 8192, 16384})
    for (const bool is_cut : {false, true})
      if (hidden < std::numbers::pi / entries)
        propose(
            [entries, is_cut](double angle) {
              const double part = within_a_turn(angle) / (2 * std::numbers::pi) * entries;
              return (is_cut ? std::floor(part) : std::round(part)) / entries * 2 *
                     std::numbers::pi;
            },
            fmt::format("cosines and sines were looked up in a table of {:.0f} for one turn{}",
                        entries, is_cut ? ", at the entry before" : ""),
            1.08);
  return all;
}

RotationProposals tf32(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      "position times frequency went through TF32, 11 significant bits each: "
      "beyond 2048 neighbours share a row"};
  RotationProposals all;
  for (const auto& [way, words] : {std::pair{Tf32::even, ""},
                                   {Tf32::away, " (halves rounded away from zero)"},
                                   {Tf32::cut, " (the lower bits cut off, as tensor cores do)"}}) {
    all.push_back(one);
    all.back().hypothesis.tf32 = way;
    all.back().sentence += words;
  }
  return all;
}

constexpr RotationProposer rows[] = {
    {Cause::low_precision_frequencies, "precision", frequencies, may_be_by_angles},
    {Cause::low_precision_positions, "type", positions, may_be_by_angles},
    {Cause::low_precision_angles, "precision", angles, may_be_by_angles},
    {Cause::low_precision_angles, "precision", reduced_angles, may_be_by_angles},
    {Cause::tf32_product, "precision", tf32},
};

}  // namespace

std::span<const RotationProposer> precision_causes() { return rows; }

}  // namespace pe
