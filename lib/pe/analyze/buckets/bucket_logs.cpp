// The ways, a line of arithmetic each, and logarithms that are correctly rounded.
#include "pe/analyze/buckets/bucket_logs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/real.hpp"

namespace pe {
namespace {

float narrowed(const Real& value) { return mpfr_get_flt(value.backend().data(), MPFR_RNDN); }

// ln x, nearest in its type. The C library's is within 2^-52 of it, relative; where both ends of
// that interval round alike, so does what is meant.
float log_of(float x) {
  const double near = std::log(static_cast<double>(x));
  const auto low = static_cast<float>(near * (1 - 0x1p-50)),
             high = static_cast<float>(near * (1 + 0x1p-50));
  return low == high ? low : narrowed(log(Real(static_cast<double>(x))));
}
double log_of(double x) {
  constexpr long double away = 8 * std::numeric_limits<long double>::epsilon();
  const long double near = std::log(static_cast<long double>(x));
  const auto low = static_cast<double>(near * (1 - away)),
             high = static_cast<double>(near * (1 + away));
  return low == high ? low : to_double(log(Real(x)));
}
float log2_of(float x) {
  const double near = std::log2(static_cast<double>(x));
  const auto low = static_cast<float>(near * (1 - 0x1p-50)),
             high = static_cast<float>(near * (1 + 0x1p-50));
  return low == high ? low : narrowed(log(Real(static_cast<double>(x))) / log(Real(2)));
}

float single(std::int64_t whole) { return static_cast<float>(whole); }
double wide(std::int64_t whole) { return static_cast<double>(whole); }

float ratio(const LogScale& s, std::int64_t n) { return single(n) / single(s.exact); }
double wide_ratio(const LogScale& s, std::int64_t n) { return wide(n) / wide(s.exact); }
// math.log(farthest / exact)
double span(const LogScale& s) { return log_of(wide_ratio(s, s.farthest)); }
float narrow_span(const LogScale& s) { return static_cast<float>(span(s)); }
// The logarithm of the same quotient in float32.
float span_of_single(const LogScale& s) {
  return log_of(static_cast<float>(wide_ratio(s, s.farthest)));
}

constexpr float epsilon = std::numeric_limits<float>::epsilon();

double torch(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n)) / narrow_span(s) * single(s.steps);
  return static_cast<double>(place);
}
double tensor_span(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n)) / span_of_single(s) * single(s.steps);
  return static_cast<double>(place);
}
double wavlm(const LogScale& s, std::int64_t n) {
  const float place = single(s.exact) + log_of(ratio(s, n)) / narrow_span(s) * single(s.steps);
  return static_cast<double>(place);
}
double ctranslate2(const LogScale& s, std::int64_t n) {
  const float place = single(s.exact) + log_of(ratio(s, n)) /
                                            log_of(single(s.farthest) / single(s.exact)) *
                                            single(s.steps);
  return static_cast<double>(place);
}
// The span is a double there, and floorf narrows the sum.
double llama_cpp(const LogScale& s, std::int64_t n) {
  const float product = log_of(static_cast<float>(wide_ratio(s, n))) * single(s.steps);
  return static_cast<double>(
      static_cast<float>(wide(s.exact) + static_cast<double>(product) / span(s)));
}
double flax(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n) + 1e-6f) / span_of_single(s) * single(s.steps);
  return static_cast<double>(place);
}
double flaxformer(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n) + epsilon) / narrow_span(s) * single(s.steps);
  return static_cast<double>(place);
}
double flaxformer_promoted(const LogScale& s, std::int64_t n) {
  return static_cast<double>(log_of(ratio(s, n) + epsilon)) / span(s) * wide(s.steps);
}
double reciprocal(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n)) * (1 / narrow_span(s)) * single(s.steps);
  return static_cast<double>(place);
}
double hoisted(const LogScale& s, std::int64_t n) {
  const float place = log_of(ratio(s, n)) * static_cast<float>(wide(s.steps) / span(s));
  return static_cast<double>(place);
}
double difference(const LogScale& s, std::int64_t n) {
  const float place =
      (log_of(single(n)) - log_of(single(s.exact))) / narrow_span(s) * single(s.steps);
  return static_cast<double>(place);
}
double base_two(const LogScale& s, std::int64_t n) {
  const float place = log2_of(ratio(s, n)) /
                      log2_of(static_cast<float>(wide_ratio(s, s.farthest))) * single(s.steps);
  return static_cast<double>(place);
}
double in_double(const LogScale& s, std::int64_t n) {
  return log_of(wide_ratio(s, n)) / span(s) * wide(s.steps);
}
double double_difference(const LogScale& s, std::int64_t n) {
  return (log_of(wide(n)) - log_of(wide(s.exact))) /
         (log_of(wide(s.farthest)) - log_of(wide(s.exact))) * wide(s.steps);
}

constexpr LogWay ways[] = {
    {"torch float32", "transformers, mesh-tensorflow, Megatron, TUPE; DeBERTa's authors", true,
     true, false, &torch},
    {"float32 tensors", "transformers' DeBERTa", true, false, false, &tensor_span},
    {"WavLM float32", "transformers' WavLM", false, true, true, &wavlm},
    {"CTranslate2", "CTranslate2 src/layers/attention.cc", false, true, true, &ctranslate2},
    {"llama.cpp", "llama.cpp src/llama-graph.cpp", false, true, true, &llama_cpp},
    {"Flax float32", "transformers' Flax T5: 1e-6 is added to the quotient", false, true, false,
     &flax},
    {"flaxformer float32", "flaxformer, t5x: float32's epsilon is added", false, true, false,
     &flaxformer},
    {"flaxformer NumPy 2", "the same where the scalar promotes to float64", false, true, false,
     &flaxformer_promoted},
    {"float32 reciprocal", "division made a product", true, true, false, &reciprocal},
    {"float32 hoisted scale", "steps/ln(farthest/exact) once", true, true, false, &hoisted},
    {"float32 log difference", "ln n - ln exact", true, true, false, &difference},
    {"float32 log2", "base two", true, true, false, &base_two},
    {"float64", "NumPy, Python's math.log; DeBERTa's authors, version 1", true, true, false,
     &in_double},
    {"float64 log difference", "NumPy, ln n - ln exact", true, true, false, &double_difference},
};

}  // namespace

std::span<const LogWay> all_log_ways() { return ways; }

Index bucket_of(const LogWay& way, const LogScale& scale, std::int64_t distance) {
  const double place = way.place(scale, distance),
               whole = scale.up ? std::ceil(place) : std::floor(place);
  const Index bucket = static_cast<Index>(whole) + (way.added ? 0 : scale.exact);
  return std::min(scale.last, bucket);
}

double place_beyond_whole(const LogScale& scale, std::int64_t distance) {
  // A double's place is off by some roundings of `steps`: most distances are settled by it.
  const double near = in_double(scale, distance), off = near - std::round(near);
  if (std::fabs(off) > 0x1p-20) return off;
  const Real exact(scale.exact);
  const Real place = log(Real(distance) / exact) / log(Real(scale.farthest) / exact) * scale.steps;
  const Real beyond = place - round(place);
  // 120 digits hold the place to more than 110; what is below 1e-100 is none.
  return abs(beyond) < Real("1e-100") ? 0.0 : to_double(beyond);
}

}  // namespace pe
