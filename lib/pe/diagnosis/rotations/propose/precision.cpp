// Causes of precision: frequencies, positions, angles or values that went through a type too short
// for them.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <tuple>

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
    Proposal<RotationHypothesis> one{
        hypothesis, fmt::format("positions were rounded to {}: beyond {} neighbours share a row",
                                name_of(type), exact)};
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

using Side = RotationReading::Side;

// Whether a side holds at every row as it is, without a shorter type.
bool holds_everywhere(const RotationObservation& observation, const RotationHypothesis& hypothesis,
                      Side side) {
  const RotationPrediction prediction = observation.prediction(hypothesis);
  std::vector<double> c(observation.pairs()), s = c, bound = c;
  bool holds = true;
  observation.scan([&](Index row, const double* cosine, const double* sine) {
    prediction.row(row, c, s, bound);
    const double* got = side == Side::cosine ? cosine : sine;
    const std::vector<double>& want = side == Side::cosine ? c : s;
    for (std::size_t j = 0; j < want.size(); ++j)
      holds = holds && prediction.allows(got[j], want[j], bound[j]);
    return holds;
  });
  return holds;
}

// One side was rounded, and the other was not. A bound has room for both, and so the other is held
// to its own here, at every row.
RotationProposals table_of_one_side(const RotationObservation& observation,
                                    const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (size_of(observation.dtype()) == 2 || !observation.has_values() ||
      observation.reading().is_one_sided())
    return all;
  for (const DType type : short_types)
    for (const auto& [rounded, other, word] :
         {std::tuple{Side::cosine, Side::sine, "cosine"}, {Side::sine, Side::cosine, "sine"}}) {
      if (!observation.on_grid(type, rounded) || observation.on_grid(type, other) ||
          !holds_everywhere(observation, hypothesis, other))
        continue;
      all.push_back(
          {hypothesis, fmt::format("every {} of this {} file is a number of {}: that side was "
                                   "rounded before it was written, the other was not",
                                   word, name_of(observation.dtype()), name_of(type))});
      all.back().hypothesis.table_type = type;
    }
  return all;
}

RotationProposals table(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  RotationProposals all;
  const bool vectors = observation.reading().is_vectors();
  if (size_of(observation.dtype()) == 2) return all;
  for (const DType type : short_types) {
    const double factor = hypothesis.cosine_magnitude;
    if (factor != 1 && factor == hypothesis.sine_magnitude &&
        observation.on_grid_times(type, factor)) {
      all.push_back({hypothesis,
                     fmt::format("every value divided by the attention factor, {:.6g}, is a number "
                                 "of {}: the table was rounded before it was multiplied",
                                 factor, name_of(type))});
      all.back().hypothesis.table_type = type;
      continue;
    }
    if (!observation.on_grid(type)) continue;
    Proposal<RotationHypothesis> one{
        hypothesis, fmt::format("every value of this {} file is a number of {}: the "
                                "table was rounded before it was written",
                                name_of(observation.dtype()), name_of(type))};
    one.hypothesis.table_type = type;
    if (vectors)
      one.sentence = fmt::format(
          "every cosine and sine between these {} vectors is a number of {}: the table was rounded "
          "before they were turned",
          name_of(observation.dtype()), name_of(type));
    if (!observation.has_rows()) {
      one.hypothesis.frequency_type = type;
      one.sentence = fmt::format("every frequency of this {} file is a number of {}",
                                 name_of(observation.dtype()), name_of(type));
    }
    all.push_back(one);
  }
  return all;
}

// Whether the numbers of a table are there, as the file has them or between vectors.
bool has_cells(const RotationObservation& observation) {
  return observation.has_rows() && (observation.has_values() || observation.reading().is_vectors());
}

// Where the table stands.
const char* each_value(const RotationObservation& observation) {
  return observation.reading().is_vectors() ? "every cosine and sine between these vectors"
                                            : "every value";
}

// Decimals as savetxt and round print them; not so many that any number of the file has no more.
RotationProposals decimals(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (!has_cells(observation)) return {};
  double step = 0.1;
  for (int digits = 1; step > 16 * unit_roundoff(observation.dtype()); ++digits, step /= 10) {
    if (!observation.in_steps(step)) continue;
    RotationProposals all{
        {hypothesis, fmt::format("{} is rounded to {} decimals, as it was printed",
                                 each_value(observation), digits)}};
    all[0].hypothesis.table_step = step;
    return all;
  }
  return {};
}

// Whole numbers that were multiplied by the largest value over the largest one, as quantisation
// has them.
RotationProposals integers(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (!has_cells(observation)) return {};
  const double amplitude = std::fabs(hypothesis.cosine_magnitude);
  for (const double most : {127.0, 128.0, 255.0, 256.0, 32767.0, 32768.0, 65535.0}) {
    const double step = amplitude / most;
    if (step <= 16 * unit_roundoff(observation.dtype()) || !observation.in_steps(step)) continue;
    RotationProposals all{
        {hypothesis, fmt::format("{} is a multiple of 1/{:.0f}: the table was "
                                 "quantised to integers of {} bits",
                                 each_value(observation), most / amplitude, most < 300 ? 8 : 16)}};
    all[0].hypothesis.table_step = step;
    return all;
  }
  return {};
}

// Eight bits of floating point: 4 significant ones (e4m3), or 3 (e5m2).
RotationProposals eight_bits(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  if (!has_cells(observation)) return {};
  for (const auto& [bits, name] : {std::pair{3, "e5m2"}, {4, "e4m3"}}) {
    if (!observation.has_significant_bits(bits)) continue;
    RotationProposals all{{hypothesis, fmt::format("{} has {} significant bits: the table was "
                                                   "rounded to eight bits ({})",
                                                   each_value(observation), bits, name)}};
    all[0].hypothesis.table_unit = std::ldexp(1.0, -bits);
    return all;
  }
  return {};
}

constexpr RotationProposer rows[] = {
    {Cause::low_precision_table, "storage", table},
    {Cause::low_precision_table, "storage", decimals},
    {Cause::low_precision_table, "storage", integers},
    {Cause::low_precision_table, "storage", eight_bits},
    {Cause::low_precision_table, "storage", table_of_one_side},
    {Cause::low_precision_frequencies, "precision", frequencies},
    {Cause::low_precision_positions, "type", positions},
    {Cause::low_precision_angles, "precision", angles},
    {Cause::tf32_product, "precision", tf32},
};

}  // namespace

std::span<const RotationProposer> precision_causes() { return rows; }

}  // namespace pe
