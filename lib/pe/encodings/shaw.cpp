// shaw: a trained vector for each clipped relative position, added to keys and to values.
#include <fmt/format.h>

#include <cmath>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "max-distance",
     .help = "distance K at which relative positions are clipped",
     .fallback = "16",
     .lowest = "1",
     .highest = "1073741823",
     .config = "max_relative_position max_relative_positions"},
    {.name = "keys",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the vectors added to keys, [2K+1, channel]"},
    {.name = "values",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the vectors added to values, [2K+1, channel]"},
    {.name = "table",
     .type = Parameter::Type::choice,
     .help =
         "trained: given by file, or drawn with --seed; sinusoidal: NEZHA's, for keys and values",
     .fallback = "trained",
     .choices = "trained sinusoidal"},
    {.name = "form",
     .type = Parameter::Type::choice,
     .help = "sinusoidal: code puts the sinusoid of clip(j − i) + K there, the paper that of "
             "clip(j − i)",
     .fallback = "code",
     .choices = "code paper"},
    row::base("sinusoidal: the last wavelength is about 2π·base"),
    {.name = "dim",
     .help = "channels of a sinusoidal or drawn table",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536",
     .config = "head_dim"},
    {.name = "seed",
     .help = "trained: draw the tables that are not given from N(0, 1/dim) with this seed",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

// NEZHA's fixed table: T(b, 2k) = sin(bθ_k), T(b, 2k+1) = cos(bθ_k), θ_k = base^(−2k/dim) (Wei et
// al. 2019, §2.2, where b is j − i;
// `_generate_relative_positions_embeddings`, where it is the bucket).
void add_sinusoids(Relative& relative, const Parameters& parameters) {
  const Index dim = parameters.integer("dim"), buckets = relative.buckets.count;
  if (dim % 2 != 0)
    throw UsageError(
        fmt::format("--dim must be even for a sinusoidal table, got {}", parameters.spell("dim")));
  for (const char* name : {"keys", "values", "seed"})
    if (parameters.has(name))
      throw UsageError(
          fmt::format("--{} has no place in --table sinusoidal, whose numbers are fixed", name));
  relative.sinusoids = wave_table(
      Waves(geometric_ladder(parameters.number("base").real(), dim, dim / 2).frequencies),
      {dim, Place{0, 2}, Place{1, 2}});
  relative.first_sinusoid =
      parameters.choice("form") == "paper" ? -parameters.integer("max-distance") : 0;
  std::vector<double> rows(static_cast<std::size_t>(buckets * dim));
  relative.sinusoids->fill({relative.first_sinusoid, 1, buckets, 0}, DType::f64,
                           reinterpret_cast<std::byte*>(rows.data()));
  relative.values = array_of({buckets, dim}, rows);
}

// e(i,j) = q_i · (k_j + a^K[b]), z_i = Σ α(i,j) (v_j + a^V[b]), b = clip(j − i, −K, K) + K (Shaw et
// al. 2018, eqs. 3–5).
Effect make(const Parameters& parameters, Index) {
  Relative relative;
  relative.buckets = clipped_buckets(parameters.integer("max-distance"));
  const Index buckets = relative.buckets.count;
  std::optional<Array> keys;
  const auto trained = [&](std::string_view name) -> std::optional<Array> {
    if (parameters.has(name))
      return tensor_of(parameters, name, {{"bucket", buckets}, {"channel", 0}});
    if (!parameters.has("seed")) return {};
    const Index dim = relative.channels > 0 ? relative.channels : parameters.integer("dim");
    return tensor_or_drawn(parameters, name, {{"bucket", buckets}, {"channel", dim}},
                           Distribution::normal, 1 / std::sqrt(static_cast<double>(dim)));
  };
  if (parameters.choice("table") == "sinusoidal") {
    add_sinusoids(relative, parameters);
    keys = relative.values;
  } else {
    keys = trained("keys");
    if (keys) relative.channels = keys->shape()[1];
    relative.values = trained("values");
  }
  if (keys)
    relative.terms.push_back(
        {.name = "content_position", .fixed = {}, .table = *keys, .buckets = relative.buckets});
  if (relative.values) {
    const Index channels = relative.values->shape()[1];
    if (relative.channels != 0 && relative.channels != channels)
      throw UsageError(fmt::format("--keys and --values must have the same channels, got {} and {}",
                                   relative.channels, channels));
    relative.channels = channels;
  }
  return relative;
}

}  // namespace

extern constinit const Encoding shaw{
    .name = "shaw",
    .also =
        "relative relative-position clipped-relative relative-embedding "
        "相对 相对位置编码 nezha rpe 经典 截断相对",
    .summary = "a trained vector for each clipped relative position, on keys and values",
    .source =
        "Shaw et al. 2018, arXiv:1803.02155, eqs. 3–5; Wei et al. 2019, arXiv:1909.00204 (NEZHA)",
    .kind = Kind::relative,
    .parameters = schema,
    .accuracy =
        "Buckets are exact; sinusoids are correctly rounded; tables are passed on, rounded once "
        "when --dtype is narrower.",
    .claims = "exact bucket; correctly-rounded sinusoid; drawn:keys,values table value_table",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only buckets-total "
        "buckets-by-offset buckets-monotone buckets-covered clipped expansion",
    .example = "shaw --max-distance 4 --positions -8:9",
    .drift = &copies_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
