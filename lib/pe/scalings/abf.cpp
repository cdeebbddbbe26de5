// abf: adjusted base frequency, another base and nothing else.
#include "pe/scalings/base_change.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe::scaling_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "adjusted-base",
     .type = Parameter::Type::number,
     .help = "the base that stands instead of --base",
     .fallback = "500000",
     .lowest = "1e-60",
     .highest = "1e60"},
};

// θ'_j = β·base^(−2j/d) read as a new base (Xiong et al. 2023, §4.1: 10 000 becomes 500 000).
template <typename Number>
BasicLadder<Number> bend(const BasicLadder<Number>& plain, const Values<Number>& values, Index) {
  const Number base = values.number("adjusted-base");
  BasicLadder<Number> bent =
      geometric_ladder(base, plain.dim, static_cast<Index>(plain.frequencies.size()));
  decide(bent, "base {} instead of {}", spell(base), spell(plain.base));
  return bent;
}

}  // namespace

extern constinit const Scaling abf{
    .name = "abf",
    .also = "adjusted-base adjusted-base-frequency adaptive-base-frequency 调整基频 基频",
    .summary = "adjusted base frequency: the ladder of a larger base",
    .source = "Xiong et al. 2023, arXiv:2309.16039, §4.1",
    .parameters = schema,
    .revokes = "",
    .bend = &bend<Real>,
    .sketch = &bend<double>,
    .fit = {nullptr, "another base says the same without the name of a rule"},
};

}  // namespace pe::scaling_rows
