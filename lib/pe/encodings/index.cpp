// index: the position itself, the notes' counter-example that grows without bound.
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a row; each holds the index",
     .fallback = "1",
     .lowest = "1",
     .highest = "65536"},
};

Effect make(const Parameters& parameters, Index) {
  const Index dim = parameters.integer("dim");
  return Table{.width = dim,
               .rows = {},
               .range = {},
               .fill =
                   [dim](const PositionRange& positions, DType dtype, std::byte* out) {
                     std::vector<double> row(static_cast<std::size_t>(dim));
                     for (Index i = 0; i < positions.count; ++i) {
                       row.assign(row.size(), positions.value(i));
                       narrow(row, dtype, out + static_cast<std::size_t>(i * dim) * size_of(dtype));
                     }
                   },
               .waves = {}};
}

}  // namespace

extern constinit const Encoding index{
    .name = "index",
    .also = "identity integer 索引 下标 整数",
    .summary = "the position itself: grows with the length (it exists to fail `bounded`)",
    .source = "the usual counter-example of introductions to position encodings",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy = "Values are the positions, rounded once to the dtype.",
    .claims = "correctly-rounded pe",
    .promises = "finite deterministic length-invariant order-sensitive unique",
    .example = "index --length 8",
    .drift = &copies_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
