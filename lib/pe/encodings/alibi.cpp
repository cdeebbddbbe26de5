// alibi: a penalty that grows linearly with the distance, with its own slope for each head.
#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::heads(),
    {.name = "causal",
     .type = Parameter::Type::flag,
     .help = "mask keys after the query (−inf); --symmetric punishes both sides",
     .fallback = "true",
     .negation = "symmetric"},
    {.name = "slopes",
     .type = Parameter::Type::choice,
     .help = "code: two ladders when heads is no power of two; paper: one ladder for any heads",
     .fallback = "code",
     .choices = "code paper"},
    {.name = "form",
     .type = Parameter::Type::choice,
     .help = "distance: −slope·distance; key: the stored +slope·key, the same but for a constant "
             "for each query",
     .fallback = "distance",
     .choices = "distance key"},
    {.name = "added",
     .type = Parameter::Type::choice,
     .help =
         "after: to the scores as the scale leaves them; before: the scale multiplies the bias, "
         "too (Falcon)",
     .fallback = "after",
     .choices = "after before"},
};

// The slopes of n heads: 2^(−8h/n), h = 1 … n (Press et al. 2022, §3).
void ladder(Index n, Index first, Index step, Index count, std::vector<Real>& slopes) {
  for (Index i = 0; i < count; ++i)
    slopes.push_back(pow(Real(2), Real(-8 * (first + i * step)) / n));
}

// The authors' code has one ladder for a power of two, and otherwise that of the power of two
// below, then every second slope of the power above (`get_slopes`).
std::vector<Real> slopes_of(Index heads, bool paper) {
  Index power = paper ? heads : 1;
  while (2 * power <= heads) power *= 2;
  std::vector<Real> slopes;
  ladder(power, 1, 1, power, slopes);
  ladder(2 * power, 1, 2, heads - power, slopes);
  return slopes;
}

// slope·n rounded once: the double-double product decides unless it is a hair from exactly
// representable.
double steps(const Real& slope, Twofold twofold, std::int64_t n) {
  if (n == 0) return 0;
  const Twofold product = multiply(twofold, static_cast<double>(n));
  if (twofold.low == 0 || std::fabs(product.low) > std::fabs(product.high) * 0x1p-96)
    return round_to_odd(product);
  return round_to_odd(slope * n);
}

Effect make(const Parameters& parameters, Index) {
  const Index heads = parameters.integer("heads");
  const bool causal = parameters.flag("causal"), by_key = parameters.choice("form") == "key";
  if (by_key && !causal)
    throw UsageError(
        "--form key is the distance form only where later keys are masked: leave out --symmetric, "
        "or take --form distance");
  const std::vector<Real> slopes = slopes_of(heads, parameters.choice("slopes") == "paper");
  std::vector<Twofold> twofolds;
  for (const Real& slope : slopes) twofolds.push_back(to_twofold(slope));
  return Bias{.heads = heads,
              .causal = causal,
              .slopes = slopes,
              .buckets = {},
              .fill = [=](Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                          std::byte* out) {
                const auto h = static_cast<std::size_t>(head);
                std::vector<double> row(static_cast<std::size_t>(keys.count));
                for (Index i = 0; i < keys.count; ++i) {
                  const std::int64_t distance = query - keys.at(i);
                  const std::int64_t n = by_key ? keys.at(i) : -std::abs(distance);
                  row[static_cast<std::size_t>(i)] =
                      causal && distance < 0 ? -HUGE_VAL : steps(slopes[h], twofolds[h], n);
                }
                narrow(row, dtype, out);
              }};
}

std::vector<std::string> revoked(const Parameters& parameters) {
  std::vector<std::string> laws;
  if (parameters.flag("causal"))
    laws = {"symmetric", "finite"};
  else
    laws = {"causal"};
  const Index heads = parameters.integer("heads");
  if (parameters.choice("slopes") == "paper" && (heads & (heads - 1)) != 0)
    laws.emplace_back("slopes");
  if (parameters.choice("form") == "key") laws.insert(laws.end(), {"toeplitz", "zero-diagonal"});
  return laws;
}

// 2^(−8h/n) as a float32 power: the base 2^(−8/n) is off by u, its power h by h·u, the power
// function by 2u; the product with the distance by u. The second ladder's powers 2(head − power) +
// 1 are no greater than the head's number.
Drift drift(const Parameters&, const Effect& effect, const Reach& reach) {
  Drift drift(std::max(reach.heads, std::get<Bias>(effect).heads),
              "(h + 3)·2^-24 of the bias, h the head's number from 1: the slope's base rounded and "
              "raised to at most h, the power function, the product; and one rounding to the "
              "dump's type");
  for (std::size_t head = 0; head < drift.relative.size(); ++head)
    drift.relative[head] = (static_cast<double>(head) + 4) * half_ulp_f32;
  return drift;
}

}  // namespace

extern constinit const Encoding alibi{
    .name = "alibi",
    .also = "linear-bias linear-biases attention-with-linear-biases 线性偏置",
    .summary = "a penalty on the scores, linear in the distance, steeper or flatter by head",
    .source =
        "Press et al. 2022, arXiv:2108.12409, §3, and the authors' code for other head counts",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "Slopes and biases are correctly rounded in f32, f16 and bf16, within 1 ulp in f64.",
    .claims = "correctly-rounded slope bias",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "zero-diagonal falls-with-distance slopes causal symmetric",
    .example = "alibi --heads 8 --fields slope",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
