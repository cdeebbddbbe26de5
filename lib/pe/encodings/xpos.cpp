// xpos: rope whose pairs grow on queries and shrink on keys, so that scores fall with the distance.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a head",
     .fallback = "64",
     .lowest = "2",
     .highest = "65536",
     .config = "head_dim"},
    {.name = "base",
     .type = Parameter::Type::number,
     .help = "θ_j = base^(−2j/dim)",
     .fallback = "10000",
     .lowest = "1e-60",
     .highest = "1e60",
     .alias = "theta"},
    {.name = "scale-base",
     .type = Parameter::Type::number,
     .help = "positions over which a pair's scale changes by ζ_j",
     .fallback = "512",
     .lowest = "1e-6",
     .highest = "1e12",
     .config = "xpos_scale_base"},
    {.name = "center",
     .type = Parameter::Type::choice,
     .help = "position whose scale is 1: middle, of the length, as torchscale has it (scores do "
             "not see it); zero, position 0",
     .fallback = "middle",
     .choices = "middle zero"},
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "columns of cos and sin: one for each pair, or one for each channel (2j and 2j+1 "
             "share a pair)",
     .fallback = "pairs",
     .choices = "pairs adjacent"},
};

// s_j(p) = ζ_j^((p − c)/B) on queries and its reciprocal on keys, ζ_j = (2j + 0.4·d)/(1.4·d) (Sun
// et al. 2022, eq. 10 with the scale base that its figure and torchscale's
// xpos_relative_position.py use; c = ⌈L/2⌉ there). Powers of one ratio: n steps lose n·10^-120,
// relatively.
void fill_scales(const std::vector<Real>& logs, std::int64_t center, const PositionRange& positions,
                 DType dtype, std::byte* out) {
  const std::size_t n = logs.size(), size = size_of(dtype);
  const Real unit = pow(Real(10), positions.decimals);
  for (std::size_t j = 0; j < n; ++j) {
    Real scale = exp(logs[j] * (Real(positions.at(0)) / unit - center));
    const Real ratio = exp(logs[j] * positions.step / unit);
    for (Index i = 0; i < positions.count; ++i, scale *= ratio) {
      const double value = dtype == DType::f64 ? to_double(scale) : round_to_odd(to_twofold(scale));
      narrow(std::span(&value, 1), dtype, out + (static_cast<std::size_t>(i) * n + j) * size);
    }
  }
}

Effect make(const Parameters& parameters, Index length) {
  const Index dim = parameters.integer("dim");
  if (dim % 2 != 0)
    throw UsageError(fmt::format("--dim must be even for xpos, got {}", parameters.spell("dim")));
  const auto ladder = geometric_ladder(parameters.number("base").real(), dim, dim / 2).frequencies;
  Rotation rotation = wave_rotation(Waves(ladder), dim, Pairing::adjacent, ladder);
  rotation.by_channel = parameters.choice("layout") == "adjacent";
  const std::int64_t center = parameters.choice("center") == "middle" ? (length + 1) / 2 : 0;
  std::vector<Real> grow, shrink;  // ln ζ_j / B, and its opposite
  for (Index j = 0; j < dim / 2; ++j) {
    grow.push_back(log((2 * j + Real(2) * dim / 5) / (Real(7) * dim / 5)) /
                   parameters.number("scale-base").real());
    shrink.push_back(-grow.back());
  }
  rotation.scale = [grow, shrink, center](const PositionRange& positions, DType dtype,
                                          std::byte* query, std::byte* key) {
    if (query) fill_scales(grow, center, positions, dtype, query);
    if (key) fill_scales(shrink, center, positions, dtype, key);
  };
  return rotation;
}

std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.choice("center") == "middle" ? std::vector<std::string>{"length-invariant"}
                                                 : std::vector<std::string>{};
}

}  // namespace

extern constinit const Encoding xpos{
    .name = "xpos",
    .also = "extrapolatable lex retnet",
    .summary =
        "rope whose pairs are scaled up on queries and down on keys, so that scores fall with "
        "distance",
    .source = "Sun et al. 2022, arXiv:2212.10554; microsoft/torchscale xpos_relative_position.py",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp, for whole "
        "positions up to 2^53; scales overflow far from the centre.",
    .claims = "correctly-rounded cos sin query_scale key_scale",
    .promises =
        "finite deterministic length-invariant order-sensitive identity-at-zero unit-pairs "
        "matrix-form turns-add relative-only frequencies-decrease",
    .example = "xpos --dim 8 --length 16 --fields query_scale,key_scale",
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
