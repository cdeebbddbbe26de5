// normalized-index: the position divided by the last one, the notes' counter-example that changes
// with the length.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a row; each holds the value",
     .fallback = "1",
     .lowest = "1",
     .highest = "65536"},
};

// P(p) = p / (L − 1) for a sequence of L positions; 0 when L is 1.
Effect make(const Parameters& parameters, Index length) {
  const Index dim = parameters.integer("dim");
  return Table{
      .width = dim,
      .rows = length,
      .range = std::pair{0.0, 1.0},
      .fill =
          [dim, last = length - 1](const PositionRange& positions, DType dtype, std::byte* out) {
            std::vector<double> row(static_cast<std::size_t>(dim));
            for (Index i = 0; i < positions.count; ++i) {
              const Real quotient =
                  last > 0 ? Real(positions.at(i)) / pow(Real(10), positions.decimals) / last
                           : Real(0);
              row.assign(row.size(), round_to_odd(to_twofold(quotient)));
              narrow(row, dtype, out + static_cast<std::size_t>(i * dim) * size_of(dtype));
            }
          },
      .waves = {}};
}

Drift drift(const Parameters&, const Effect&, const Reach&) {
  Drift drift(1,
              "2·2^-24 of the value: a division in float32; and one rounding to the dump's type");
  drift.relative[0] = 2 * half_ulp_f32;
  return drift;
}

}  // namespace

extern constinit const Encoding normalized_index{
    .name = "normalized-index",
    .also = "normalised-index normalised fraction 归一化 归一化索引",
    .summary = "the position as a fraction of the length (it exists to fail `length-invariant`)",
    .source = "the usual counter-example of introductions to position encodings",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded quotients, f64 values within 1 ulp.",
    .claims = "correctly-rounded pe",
    .promises = "finite deterministic bounded unique order-sensitive",
    .example = "normalized-index --length 8",
    .drift = &drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
