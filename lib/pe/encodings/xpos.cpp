// xpos: rope whose pairs grow on queries and shrink on keys, so that scores fall with the distance.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/scaled.hpp"
#include "pe/kinds/scale_powers.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::dim("channels of a head", "64", "head_dim"),
    row::base("θ_j = base^(−2j/dim)"),
    {.name = "scale-base",
     .type = Parameter::Type::number,
     .help = "positions over which a pair's scale changes by ζ_j",
     .fallback = "512",
     .lowest = "1e-6",
     .highest = "1e12",
     .config = "xpos_scale_base"},
    {.name = "center",
     .type = Parameter::Type::choice,
     .help = "position whose scale is 1 (scores do not see it): middle, ⌈L/2⌉ of the length L, as "
             "torchscale has it; middle-floor, ⌊L/2⌋, as flash-attention has it; zero, position 0",
     .fallback = "middle",
     .choices = "middle middle-floor zero"},
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help =
         "columns of cos and sin: one for each pair, or one for each channel (j and j+n share a "
         "pair, or 2j and 2j+1)",
     .fallback = "pairs",
     .choices = "pairs halves adjacent"},
    {.name = "pairing",
     .type = Parameter::Type::choice,
     .help = "channels that turn together where the columns are pairs: j and j+n, or 2j and 2j+1 "
             "(a layout by channel says so itself)",
     .fallback = "adjacent",
     .choices = "halves adjacent",
     .also = words_for_pairings},
};

// ζ_j = (2j + 0.4·d)/(1.4·d) (Sun et al. 2022, eq. 10).
ScaleRule scale_rule_of(const Parameters& parameters, Index dim, Index length) {
  const std::string& center = parameters.choice("center");
  ScaleRule scale_rule{
      .ratios = {},
      .base = parameters.number("scale-base").real(),
      .center = center == "zero" ? 0 : (length + (center == "middle" ? 1 : 0)) / 2};
  for (Index j = 0; j < dim / 2; ++j)
    scale_rule.ratios.push_back((2 * j + Real(2) * dim / 5) / (Real(7) * dim / 5));
  return scale_rule;
}

Effect make(const Parameters& parameters, Index length) {
  const Index dim = parameters.integer("dim");
  if (dim % 2 != 0)
    throw UsageError(fmt::format("--dim must be even for xpos, got {}", parameters.spell("dim")));
  const Ladder ladder = geometric_ladder(parameters.number("base").real(), dim, dim / 2);
  const bool by_channel = parameters.choice("layout") != "pairs";
  const std::string& pairing = parameters.choice(by_channel ? "layout" : "pairing");
  Rotation rotation = wave_rotation(Waves(ladder.frequencies), dim,
                                    pairing == "adjacent" ? Pairing::adjacent : Pairing::halves,
                                    ladder.frequencies);
  rotation.by_channel = by_channel;
  rotation.recipe = ladder.recipe;
  const ScaleRule scale_rule = scale_rule_of(parameters, dim, length);
  rotation.scale_rule = scale_rule;
  rotation.scale = [scales = scales_of(scale_rule)](const PositionRange& positions, DType dtype,
                                                    std::byte* query, std::byte* key) {
    if (query) scales(Side::query, positions, dtype, query);
    if (key) scales(Side::key, positions, dtype, key);
  };
  return rotation;
}

std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.choice("center") == "zero" ? std::vector<std::string>{}
                                               : std::vector<std::string>{"length-invariant"};
}

}  // namespace

extern constinit const Encoding xpos{
    .name = "xpos",
    .also = "extrapolatable lex retnet",
    .summary =
        "rope whose pairs are scaled up on queries and down on keys, so that scores fall with "
        "distance",
    .source =
        "Sun et al. 2022, arXiv:2212.10554; microsoft/torchscale xpos_relative_position.py; "
        "flash-attention flash_attn/layers/rotary.py",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp, for whole "
        "positions up to 2^53; of cosines and sines that carry a scale within 0.5000001 ulp, and "
        "within 3 in f64. Scales overflow far from the centre.",
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
