// Causes of storage: values of a table that were rounded to less than the file's type before they
// were written, or turned by.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/alternatives.hpp"

namespace pe {
namespace {

constexpr DType short_types[] = {DType::bf16, DType::f16};

// Whether the numbers of a table are there, as the file has them or between vectors.
bool has_cells(const RotationObservation& observation) {
  return observation.has_rows() && (observation.has_values() || observation.reading().is_vectors());
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
  const bool vectors = observation.reading().is_vectors();
  if (size_of(observation.dtype()) == 2 || !has_cells(observation) ||
      observation.reading().is_one_sided())
    return all;
  for (const DType type : short_types)
    for (const auto& [rounded, other, word] :
         {std::tuple{Side::cosine, Side::sine, "cosine"}, {Side::sine, Side::cosine, "sine"}}) {
      if (!observation.on_grid(type, rounded) || observation.on_grid(type, other) ||
          !holds_everywhere(observation, hypothesis, other))
        continue;
      all.push_back(
          {hypothesis,
           fmt::format("every {} {} is a number of {}: that side was rounded before {}, the other "
                       "was not",
                       word,
                       vectors ? "between these vectors"
                               : fmt::format("of this {} file", name_of(observation.dtype())),
                       name_of(type), vectors ? "they were turned" : "it was written")});
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
    if (std::exp2(std::round(std::log2(most))) == most) {  // 1 is no number of a signed type
      all.push_back(all[0]);
      all.back().hypothesis.table_most = amplitude - step;
      all.back().sentence += ", the largest of which is less than 1";
      all.back().cost = 1.01;
    }
    return all;
  }
  return {};
}

// Fixed point: whole numbers of halves of halves, as kernels without floating point keep a table.
RotationProposals fixed_point(const RotationObservation& observation,
                              const RotationHypothesis& hypothesis) {
  if (!has_cells(observation)) return {};
  constexpr int fewest = 5, most = 30;
  for (int bits = fewest; bits <= most; ++bits) {
    const double step = std::ldexp(1.0, -bits);
    if (step <= 16 * unit_roundoff(observation.dtype())) break;
    if (!observation.in_steps(step)) continue;
    RotationProposals all{{hypothesis,
                           fmt::format("{} is a multiple of 2^-{}: the table was kept "
                                       "in fixed point of {} fractional bits",
                                       each_value(observation), bits, bits),
                           1.02}};
    all[0].hypothesis.table_step = step;
    all.push_back(all[0]);  // or cut off
    all.back().hypothesis.table_step = 2 * step;
    all.back().sentence += ", cut off and not rounded";
    all.back().cost = 1.03;
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
    {Cause::low_precision_table, "storage", fixed_point},
    {Cause::low_precision_table, "storage", eight_bits},
    {Cause::low_precision_table, "storage", table_of_one_side},
};

}  // namespace

std::span<const RotationProposer> storage_causes() { return rows; }

}  // namespace pe
