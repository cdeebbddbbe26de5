// Float-float arithmetic, and the logarithm and exponential made of it.
#include "pe/dialects/sleef.hpp"

#include <cmath>
#include <initializer_list>

namespace pe {
namespace {

// An unevaluated sum high + low.
struct Pair {
  float high, low;
};

Pair sum(float a, float b) {  // exact for any order of magnitude
  const float s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}
Pair sum(Pair a, float b) {
  const Pair s = sum(a.high, b);
  return {s.high, s.low + a.low};
}
Pair sorted_sum(Pair a, Pair b) {  // |a| ≥ |b|
  const float s = a.high + b.high;
  return {s, a.high - s + b.high + a.low + b.low};
}
Pair sorted_sum(float a, Pair b) {
  const float s = a + b.high;
  return {s, a - s + b.high + b.low};
}
Pair normalized(Pair a) {
  const float s = a.high + a.low;
  return {s, a.high - s + a.low};
}
Pair product(Pair a, float b) {
  const float p = a.high * b;
  return {p, std::fma(a.low, b, std::fma(a.high, b, -p))};
}
Pair product(Pair a, Pair b) {
  const float p = a.high * b.high;
  return {p, std::fma(a.high, b.low, std::fma(a.low, b.high, std::fma(a.high, b.high, -p)))};
}
Pair square(Pair a) {
  const float p = a.high * a.high;
  return {p, std::fma(a.high + a.high, a.low, std::fma(a.high, a.high, -p))};
}
Pair quotient(Pair a, Pair b) {
  const float inverse = 1 / b.high, q = a.high * inverse, rest = std::fma(inverse, a.high, -q);
  const float error = std::fma(-b.low, inverse, std::fma(-b.high, inverse, 1.0f));
  return {q, std::fma(q, error, std::fma(a.low, inverse, rest))};
}

// ln x = e·ln 2 + 2·atanh((m − 1)/(m + 1)), x = m·2^e with m in [0.75, 1.5).
Pair logarithm(float x) {
  int e;
  std::frexp(x * (1.0f / 0.75f), &e);
  --e;
  const float m = std::ldexp(x, -e);
  const Pair t = quotient(sum(-1.0f, m), sum(1.0f, m)), t2 = square(t);
  float tail = 0.240320354700088500976562f;
  tail = std::fma(tail, t2.high, 0.285112679004669189453125f);
  tail = std::fma(tail, t2.high, 0.400007992982864379882812f);
  const Pair third{0.66666662693023681640625f, 3.69183861259614332084311e-09f};
  const Pair whole =
      product(Pair{0.69314718246459960938f, -1.904654323148236017e-09f}, static_cast<float>(e));
  const Pair twice{t.high * 2, t.low * 2};
  return sorted_sum(sorted_sum(whole, twice),
                    product(product(t2, t), sorted_sum(product(t2, tail), third)));
}

// e^x = 2^q · e^s, |s| ≤ ln 2 / 2.
float exponential(Pair x) {
  const float q = std::rint((x.high + x.low) *
                            1.442695040888963407359924681001892137426645954152985934135449406931f);
  Pair s = sum(x, q * -0.693145751953125f);
  s = normalized(sum(s, q * -1.428606765330187045e-06f));
  float tail = 0.00136324646882712841033936f;
  for (const float c : {0.00836596917361021041870117f, 0.0416710823774337768554688f,
                        0.166665524244308471679688f, 0.499999850988388061523438f})
    tail = std::fma(tail, s.high, c);
  const Pair value = sorted_sum(1.0f, sorted_sum(s, product(square(s), tail)));
  return std::ldexp(value.high + value.low, static_cast<int>(q));
}

}  // namespace

float sleef_powf(float base, float exponent) {
  return exponential(product(logarithm(base), exponent));
}

}  // namespace pe
