// rope: query and key channels turn in pairs, by an angle that grows with the position.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/partial.hpp"
#include "pe/encodings/scaled.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::dim("channels of a head", "128", "head_dim"),
    {.name = "rotary-dim",
     .help = "channels that turn; the others pass through (default: dim · partial-rotary-factor)",
     .lowest = "2",
     .highest = "65536",
     .config = "rotary_dim"},
    {.name = "partial-rotary-factor",
     .type = Parameter::Type::number,
     .help = "part of the channels that turn",
     .fallback = "1",
     .lowest = "0",
     .highest = "1",
     .config = "rope_parameters.partial_rotary_factor partial_rotary_factor rotary_pct"},
    {.name = "rotary-at",
     .type = Parameter::Type::choice,
     .help = "which channels of a head turn where not all do: its first, or its last (DeepSeek V4)",
     .fallback = "first",
     .choices = "first last"},
    {.name = "direction",
     .type = Parameter::Type::choice,
     .help = "how vectors turn: forward, (x cos − y sin, x sin + y cos), or backward, by −angle "
             "(nanochat); cos and sin are the same",
     .fallback = "forward",
     .choices = "forward backward"},
    row::base("θ_j = base^(−2j/rotary-dim)", "10000", "theta",
              "rope_parameters.rope_theta rope_scaling.rope_theta rope_theta rotary_emb_base"),
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "columns of cos and sin: one for each pair, or one for each channel (channels j and "
             "j+n share a pair in halves, "
             "2j and 2j+1 in adjacent; adjacent-to-halves reads 2j, 2j+1 and writes j, j+n, as "
             "DeepSeek-V3 does)",
     .fallback = "pairs",
     .choices = "pairs halves adjacent adjacent-to-halves",
     .also = words_for_pairings},
    {.name = "pairing",
     .type = Parameter::Type::choice,
     .help = "channels that turn together where the columns are pairs: j and j+n, or 2j and 2j+1 "
             "(a layout by channel says so itself)",
     .fallback = "halves",
     .choices = "halves adjacent adjacent-to-halves",
     .also = words_for_pairings},
    scaling_parameter,
    max_position_parameter,
};

Index rotary_dim(const Parameters& parameters, const Scaling* scaling) {
  const Index dim = head_dim(parameters, "rope");
  if (scaling && scaling->whole_head) return dim;
  if (!parameters.has("rotary-dim")) return turning_channels(parameters);
  const Index rotary = parameters.integer("rotary-dim");
  if (rotary % 2 != 0 || rotary > dim)
    throw UsageError(fmt::format("--rotary-dim must be even and at most --dim {}, got {}", dim,
                                 parameters.spell("rotary-dim")));
  return rotary;
}

// R(p) turns pair j by p·θ_j, θ_j = base^(−2j/d) (Su et al. 2021, eq. 15); a scaling bends θ and
// may set a factor A that multiplies cos and sin.
Effect make(const Parameters& parameters, Index length) {
  const Scaling* scaling = chosen_scaling(parameters);
  const Index dim = parameters.integer("dim"), rotary = rotary_dim(parameters, scaling);
  const Ladder plain = geometric_ladder(parameters.number("base").real(), rotary, (rotary + 1) / 2);
  const Ladder bent = scaling ? scaling->bend(plain, parameters, length) : plain;
  const bool by_channel = parameters.choice("layout") != "pairs";
  const std::string& pairing = parameters.choice(by_channel ? "layout" : "pairing");
  Rotation rotation = wave_rotation(Waves(bent.frequencies, bent.magnitude),
                                    std::max(dim + dim % 2, rotary + rotary % 2),
                                    pairing == "adjacent"             ? Pairing::adjacent
                                    : pairing == "adjacent-to-halves" ? Pairing::adjacent_to_halves
                                                                      : Pairing::halves,
                                    plain.frequencies);
  rotation.by_channel = by_channel;
  rotation.last = parameters.choice("rotary-at") == "last";
  rotation.backward = parameters.choice("direction") == "backward";
  rotation.recipe = bent.recipe;
  rotation.decisions = bent.decisions;
  return rotation;
}

}  // namespace

extern constinit const Encoding rope{
    .name = "rope",
    .also =
        "rotary rotary-embedding rotary-position-embedding rotary-positional-embedding roformer "
        "rotate-half 旋转 旋转位置编码 旋转式 scaled-rope partial-rope partial-rotary palm",
    .summary = "turns query and key pairs by angles that grow with the position",
    .source = "Su et al. 2021, arXiv:2104.09864, eq. 15",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp, for whole "
        "positions up to 2^53.",
    .claims = "correctly-rounded inv_freq ratio cos sin attention_factor wavelength",
    .promises =
        "finite deterministic length-invariant order-sensitive identity-at-zero unit-pairs "
        "norm-preserving matrix-form turns-add relative-only frequencies-decrease",
    .example = "rope --dim 128 --base 500000 --length 16 --fields inv_freq,wavelength",
    .scalable = true,
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked_by_scaling,
};

}  // namespace pe::encoding_rows
