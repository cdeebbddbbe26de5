// t5: a trained bias for each bucket of relative positions, buckets growing logarithmically.
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "num-buckets",
     .help = "buckets in all",
     .fallback = "32",
     .lowest = "2",
     .highest = "1024",
     .config = "relative_attention_num_buckets"},
    {.name = "max-distance",
     .help = "distance at which the buckets end",
     .fallback = "128",
     .lowest = "2",
     .highest = "1073741824",
     .config = "relative_attention_max_distance"},
    {.name = "bidirectional",
     .type = Parameter::Type::flag,
     .help =
         "encoder: keys after the query have buckets of their own; --causal is the decoder's form",
     .fallback = "true",
     .negation = "causal"},
    {.name = "weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the trained table, [bucket, head]; gives the bias"},
    {.name = "seed",
     .help = "without --weights: draw the table from N(0, 1) with this seed",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "heads",
     .help = "attention heads of a drawn table",
     .fallback = "8",
     .lowest = "1",
     .highest = "65536",
     .config = "num_heads"},
};

Effect make(const Parameters& parameters, Index) {
  const Index count = parameters.integer("num-buckets");
  Bias bias{.heads = 0,
            .causal = false,
            .scaled = false,
            .slopes = {},
            .buckets = t5_buckets(count, parameters.integer("max-distance"),
                                  parameters.flag("bidirectional")),
            .fill = {}};
  if (!parameters.has("weights") && !parameters.has("seed")) return bias;
  bias.heads = parameters.integer("heads");
  if (parameters.has("weights"))
    bias.heads = tensor_of(parameters, "weights", {{"bucket", count}, {"head", 0}}).shape()[1];
  const Array weights = tensor_or_drawn(
      parameters, "weights", {{"bucket", count}, {"head", bias.heads}}, Distribution::normal, 1);
  bias.fill = [weights, heads = bias.heads, of = bias.buckets->of](Index head, std::int64_t query,
                                                                   const PositionRange& keys,
                                                                   DType dtype, std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    for (Index i = 0; i < keys.count; ++i)
      row[static_cast<std::size_t>(i)] = weights.at(of(query, keys.at(i)) * heads + head);
    narrow(row, dtype, out);
  };
  return bias;
}

}  // namespace

extern constinit const Encoding t5{
    .name = "t5",
    .also =
        "t5-bias t5-relative relative relative-attention-bias relative-position-bucket bucketed",
    .summary = "a trained bias for each logarithmic bucket of relative positions",
    .source =
        "Raffel et al. 2020, arXiv:1910.10683, §2.1; mesh_tensorflow `_relative_position_bucket`",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "Buckets are decided in exact integer arithmetic; a bias is its weight, rounded once when "
        "--dtype is narrower.",
    .claims = "exact bucket",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "buckets-total buckets-by-offset buckets-monotone clipped",
    .example = "t5 --positions -20:21",
    .drift = &copies_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
