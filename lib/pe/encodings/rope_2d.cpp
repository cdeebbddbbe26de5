// rope-2d: some pairs of a head turn with the row of an image grid, the others with the column.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/grids.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/tokens.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

enum class Ladder {
  each /* base^(−4k/D), k < D/4, for either axis */,
  shared /* the row has the even rungs of base^(−2i/D), the column the odd */
};
enum class Map {
  index /* 0-based */,
  counted /* 1-based */,
  centred /* patch centres in [−1, 1], times 2π */
};

struct Convention {
  std::string_view name;
  bool row_first;  // the first D/4 pairs turn with the row
  Ladder ladder;
  Map map;
  Pairing pairing;
  Index blocks;
  const char* base;
  bool in_turn = false;  // pairs 0, 2, 4, … turn with the first axis, the others with the second
};

// qwen2-vl: transformers' VisionRotaryEmbedding; pixtral: its frequencies [::2] for rows and [1::2]
// for columns; llama4-vision: complex pairs at (x + 1, y + 1); dinov3: coordinates in [−1, 1];
// rope-vit: naver-ai/rope-vit axial (x, then y), and sam2 with base 10000; gemma4-vision: the first
// half of the channels x, the other y, each split into halves; kimi-k25-vision: x and y in turn;
// step3p7-vision: x, then y; eva02: timm's build_rotary_pos_embed, y, then x.
constexpr Convention conventions[] = {
    {"qwen2-vl", true, Ladder::each, Map::index, Pairing::halves, 1, "10000"},
    {"pixtral", true, Ladder::shared, Map::index, Pairing::halves, 1, "10000"},
    {"llama4-vision", false, Ladder::each, Map::counted, Pairing::adjacent, 1, "10000"},
    {"dinov3", true, Ladder::each, Map::centred, Pairing::halves, 1, "100"},
    {"rope-vit", false, Ladder::each, Map::index, Pairing::adjacent, 1, "100"},
    {"sam2", false, Ladder::each, Map::index, Pairing::adjacent, 1, "10000"},
    {"gemma4-vision", false, Ladder::each, Map::index, Pairing::halves, 2, "100"},
    {"kimi-k25-vision", false, Ladder::each, Map::index, Pairing::halves, 1, "10000", true},
    {"step3p7-vision", false, Ladder::each, Map::index, Pairing::halves, 1, "10000"},
    {"eva02", true, Ladder::each, Map::index, Pairing::adjacent, 1, "10000"},
};

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a head",
     .fallback = "64",
     .lowest = "4",
     .highest = "65536",
     .config = "head_dim"},
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "HxW patches, counted row by row",
     .fallback = "4x8"},
    {.name = "convention",
     .type = Parameter::Type::choice,
     .help = "whose axis order, frequencies, coordinates and pairing",
     .fallback = "qwen2-vl",
     .choices = "qwen2-vl pixtral llama4-vision dinov3 rope-vit sam2 gemma4-vision kimi-k25-vision "
                "step3p7-vision eva02"},
    row::base("the ladder's base (default: the convention's)", nullptr, "theta",
              "rope_parameters.rope_theta rope_theta"),
    merge_parameter,
    {.name = "reference",
     .type = Parameter::Type::name,
     .help = "HxW patches of the trained grid: coordinates are stretched to it (timm's "
             "ref_feat_shape; default: as they are)"},
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "columns of cos and sin: one for each pair, or one for each channel",
     .fallback = "pairs",
     .choices = "pairs channels"},
    prefix_parameter,
    suffix_parameter,
};

// Pair k of an axis turns by coordinate · base^(−4k/D).
Effect make(const Parameters& parameters, Index) {
  const Convention& convention = convention_of(conventions, parameters);
  const Index dim = parameters.integer("dim"), quarter = dim / 4;
  if (dim % 4 != 0)
    throw UsageError(
        fmt::format("--dim must be divisible by 4 for rope-2d, two axes of pairs, got {}",
                    parameters.spell("dim")));
  const std::vector<Index> extents = parse_grid(parameters.choice("grid"), 2, "grid");
  const Real base = parameters.has("base") ? parameters.number("base").real()
                                           : Decimal(std::string_view(convention.base)).real();
  const std::vector<Real> ladder = geometric_ladder(base, dim, dim / 2).frequencies;
  std::vector<PositionRange> maps(
      2, convention.map == Map::counted ? PositionRange{1, 1, 0, 0} : PositionRange{0, 1, 0, 0});
  if (convention.map == Map::centred)  // 2(i + 1/2)/H − 1 = (2i + 1 − H)/H
    for (const std::size_t axis : {0u, 1u}) maps[axis] = {1 - extents[axis], 2, 0, 0};
  const std::vector<Real> stretch = stretch_of(parameters, extents, convention.map == Map::index);
  std::vector<AxialPair> pairs;
  for (Index j = 0; j < 2 * quarter; ++j) {
    const bool second = convention.in_turn ? j % 2 == 1 : j >= quarter;
    const Index k = convention.in_turn ? j / 2 : j % quarter;
    const std::size_t axis = second == convention.row_first ? 1 : 0;
    Real frequency = ladder[static_cast<std::size_t>(
        2 * k + (convention.ladder == Ladder::shared && axis == 1 ? 1 : 0))];
    if (convention.map == Map::centred) frequency *= 2 * real_pi() / extents[axis];
    frequency *= stretch[axis];
    pairs.push_back({frequency, axis});
  }
  Rotation rotation =
      axial_rotation(dim, convention.pairing, pairs, merged_grid(extents, parameters), maps);
  rotation.blocks = convention.blocks;
  rotation.by_channel = parameters.choice("layout") == "channels";
  rotation.tokens = tokens_of(parameters);
  return rotation;
}

// The first patch does not stand at zero everywhere.
std::vector<std::string> revoked(const Parameters& parameters) {
  return convention_of(conventions, parameters).map == Map::index
             ? std::vector<std::string>{}
             : std::vector<std::string>{"identity-at-zero"};
}

}  // namespace

extern constinit const Encoding rope_2d{
    .name = "rope-2d",
    .also = "2d-rope axial-rope vision-rope rotary-2d",
    .summary = "turns some pairs by the row of an image patch and the others by its column",
    .source = "Heo et al. 2024, arXiv:2403.13298 (axial); Wang et al. 2024, arXiv:2409.12191",
    .kind = Kind::rotation,
    .parameters = schema,
    .accuracy = "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp.",
    .claims = "correctly-rounded cos sin",
    .promises =
        "finite deterministic length-invariant order-sensitive identity-at-zero unit-pairs "
        "norm-preserving matrix-form turns-add relative-only frequencies-decrease",
    .example = "rope-2d --grid 16x16 --dim 64 --convention pixtral",
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
