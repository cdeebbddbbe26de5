// rope-3d: some pairs of a head turn with the frame of a video, others with the row, the rest with
// the column.
#include <fmt/format.h>

#include <numeric>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/grids.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/tokens.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

// Channels that turn with the frame, the row and the column, in that order; those that no axis has
// pass through. Each axis has a ladder of its own, base^(−2k/channels).
struct Convention {
  std::string_view name;
  Index (*frame)(Index dim);
  Index (*row)(Index dim);
  Index (*column)(Index dim);
  Index divisor;  // of dim, for every axis to have whole pairs
  const char* base;
  Pairing pairing = Pairing::adjacent;
};

Index quarter(Index dim) { return dim / 4; }
Index eighth(Index dim) { return dim / 8; }
Index three_eighths(Index dim) { return dim / 8 * 3; }
Index seven_sixteenths(Index dim) { return dim / 16 * 7; }
Index third_down(Index dim) { return 2 * (dim / 6); }
Index rest_of_thirds(Index dim) { return dim - 2 * third_down(dim); }

// wan: WanRotaryPosEmbed of diffusers, as the authors' rope_params; cogvideox:
// get_3d_rotary_pos_embed; hunyuan-video: HunyuanVideoRotaryPosEmbed, rope_dim 16, 56, 56 of 128;
// flux: the same split by EmbedND, an image being one frame; minimax-m3-vision: a third of the head
// for each axis, in halves (MiniMaxM3VLVisionRotaryEmbedding of transformers).
constexpr Convention conventions[] = {
    {"wan", rest_of_thirds, third_down, third_down, 2, "10000"},
    {"cogvideox", quarter, three_eighths, three_eighths, 16, "10000"},
    {"hunyuan-video", eighth, seven_sixteenths, seven_sixteenths, 32, "256"},
    {"flux", eighth, seven_sixteenths, seven_sixteenths, 32, "10000"},
    {"minimax-m3-vision", third_down, third_down, third_down, 2, "10000", Pairing::halves},
};

constexpr Parameter schema[] = {
    row::dim("channels of a head", "128", "attention_head_dim head_dim"),
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "TxHxW patches, counted frame by frame, row by row",
     .fallback = "2x4x4"},
    {.name = "convention",
     .type = Parameter::Type::choice,
     .help = "whose channels for each axis, and base",
     .fallback = "wan",
     .choices = "wan cogvideox hunyuan-video flux minimax-m3-vision"},
    {.name = "axes-dim",
     .type = Parameter::Type::numbers,
     .help = "channels that turn with frame, row and column; they add to --dim (default: the "
             "convention's)",
     .lowest = "0",
     .highest = "65536",
     .config = "rope_axes_dim axes_dims_rope"},
    row::base("the ladders' base (default: the convention's)", nullptr, "theta",
              "rope_parameters.rope_theta rope_theta"),
    merge_parameter,
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "columns of cos and sin: one for each pair, or one for each channel",
     .fallback = "pairs",
     .choices = "pairs channels"},
    prefix_parameter,
    suffix_parameter,
};

std::vector<Index> told_axes(const Parameters& parameters, Index dim) {
  std::vector<Index> axes;
  for (const Decimal& channels : parameters.numbers("axes-dim")) {
    if (!channels.is_integer() || channels.integer() % 2 != 0)
      throw UsageError(fmt::format("--axes-dim must be even whole numbers, got {}",
                                   parameters.spell("axes-dim")));
    axes.push_back(channels.integer());
  }
  if (axes.size() != 3 || std::accumulate(axes.begin(), axes.end(), Index{0}) != dim)
    throw UsageError(fmt::format("--axes-dim must be three numbers that add to {}, got {}", dim,
                                 parameters.spell("axes-dim")));
  return axes;
}

// Channels of the frame, the row and the column.
std::vector<Index> axes_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  if (parameters.has("axes-dim")) return told_axes(parameters, dim);
  const Convention& convention = convention_of(conventions, parameters);
  if (dim % convention.divisor != 0)
    throw UsageError(fmt::format("--dim must be divisible by {} for --convention {}, got {}",
                                 convention.divisor, convention.name, parameters.spell("dim")));
  return {convention.frame(dim), convention.row(dim), convention.column(dim)};
}

Effect make(const Parameters& parameters, Index) {
  const std::vector<Index> axes = axes_of(parameters);
  const std::vector<Index> extents = parse_grid(parameters.choice("grid"), 3, "grid");
  const Convention& convention = convention_of(conventions, parameters);
  const Real base = parameters.has("base") ? parameters.number("base").real()
                                           : Decimal(std::string_view(convention.base)).real();
  std::vector<AxialPair> pairs;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axes[axis] == 0) continue;
    for (const Real& frequency : geometric_ladder(base, axes[axis], axes[axis] / 2).frequencies)
      pairs.push_back({frequency, axis});
  }
  if (pairs.empty())
    throw UsageError(fmt::format("--dim {} leaves no pair for --convention {}",
                                 parameters.integer("dim"), convention.name));
  Rotation rotation =
      axial_rotation(parameters.integer("dim"), convention.pairing, pairs,
                     merged_grid(extents, parameters), std::vector<PositionRange>(3, {0, 1, 0, 0}));
  rotation.by_channel = parameters.choice("layout") == "channels";
  rotation.tokens = tokens_of(parameters);
  return rotation;
}

}  // namespace

extern constinit const Encoding rope_3d{
    .name = "rope-3d",
    .also = "3d-rope video-rope rotary-3d wan cogvideox hunyuan flux minimax-m3-vision",
    .summary =
        "turns some pairs by the frame of a video patch, others by its row and the rest by its "
        "column",
    .source =
        "Yang et al. 2024, arXiv:2408.06072 (CogVideoX), §2.2; Wan 2025, arXiv:2503.20314; Kong et "
        "al. 2024, arXiv:2412.03603 (HunyuanVideo)",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy = "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp.",
    .claims = "correctly-rounded cos sin",
    .promises =
        "finite deterministic length-invariant order-sensitive identity-at-zero unit-pairs "
        "norm-preserving matrix-form turns-add relative-only frequencies-decrease",
    .example = "rope-3d --grid 3x4x5 --dim 32 --convention cogvideox",
    .drift = &waves_drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
