// sincos-2d: one sinusoidal block for each axis of an image grid, in the conventions that vision
// codebases follow.
#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/grids.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/tokens.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

enum class Order {
  blocks /* sin a | cos a | sin b | cos b */,
  turns /* a in turn | b in turn */,
  sides /* sin a | sin b | cos a | cos b */
};
enum class Ladder2d { paper, endpoint };
enum class Place2d {
  index /* 0-based */,
  counted /* 1-based */,
  normalised /* 1-based / (extent + 1e-6) · 2π */,
  centred /* (1-based − 1/2) / … */
};
enum class Rest { refuse, zero, cut };  // of channels that do not split into four

struct Convention {
  std::string_view name;
  bool row_first;
  Order order;
  Ladder2d ladder;
  Place2d place;
  Rest rest;
  const char* base;
};

// mae: facebookresearch/mae util/pos_embed.py (its first half is called emb_h and receives the
// column grid); hf: transformers' build_2d_sinusoidal_position_embedding; detr:
// facebookresearch/detr position_encoding.py with normalize=True; multidim:
// tatp22/multidim-positional-encoding; timm: build_sincos2d_pos_embed; big-vision:
// posemb_sincos_2d, also in vit-pytorch; wzlxjtu: PositionalEncoding2D; tensor2tensor:
// get_timing_signal_nd.
constexpr Convention conventions[] = {
    {"mae", false, Order::blocks, Ladder2d::paper, Place2d::index, Rest::refuse, "10000"},
    {"hf", true, Order::blocks, Ladder2d::paper, Place2d::index, Rest::refuse, "10000"},
    {"detr", true, Order::turns, Ladder2d::paper, Place2d::normalised, Rest::refuse, "10000"},
    {"detr-unnormalised", true, Order::turns, Ladder2d::paper, Place2d::counted, Rest::refuse,
     "10000"},
    {"deformable-detr", true, Order::turns, Ladder2d::paper, Place2d::centred, Rest::refuse,
     "10000"},
    {"dab-detr", true, Order::turns, Ladder2d::paper, Place2d::normalised, Rest::refuse, "20"},
    {"multidim", true, Order::turns, Ladder2d::paper, Place2d::index, Rest::cut, "10000"},
    {"timm", true, Order::sides, Ladder2d::paper, Place2d::index, Rest::refuse, "10000"},
    {"timm-interleaved", true, Order::blocks, Ladder2d::paper, Place2d::index, Rest::refuse,
     "10000"},
    {"big-vision", false, Order::blocks, Ladder2d::endpoint, Place2d::index, Rest::refuse, "10000"},
    {"wzlxjtu", false, Order::turns, Ladder2d::paper, Place2d::index, Rest::refuse, "10000"},
    {"tensor2tensor", true, Order::blocks, Ladder2d::endpoint, Place2d::index, Rest::zero, "10000"},
};

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a row",
     .fallback = "64",
     .lowest = "4",
     .highest = "65536",
     .config = "hidden_size d_model"},
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "HxW cells, counted row by row",
     .fallback = "4x8"},
    {.name = "convention",
     .type = Parameter::Type::choice,
     .help = "whose axis order, channel split and coordinates",
     .fallback = "mae",
     .choices = "mae hf detr detr-unnormalised deformable-detr dab-detr multidim timm "
                "timm-interleaved big-vision wzlxjtu tensor2tensor"},
    row::base("the ladder's base (default: the convention's, 10000 but for dab-detr's 20)", nullptr,
              "temperature"),
    {.name = "reference",
     .type = Parameter::Type::name,
     .help = "HxW cells of the trained grid: coordinates are stretched to it (diffusers' "
             "PatchEmbed; default: as they are)"},
    {.name = "valid",
     .type = Parameter::Type::name,
     .help = "HxW cells that hold the image, the others being padding below and right of it, where "
             "DETR's masks are false (default: all)"},
    spatial_scale_parameter,
    prefix_parameter,
    suffix_parameter,
};

// Where coordinate c of an axis stands: c, c + 1, or (c + 1)·2π/(extent + 1e-6) with the factor in
// the frequencies.
PositionRange places_of(Place2d place) {
  if (place == Place2d::index) return {0, 1, 0, 0};
  return place == Place2d::centred ? PositionRange{5, 10, 0, 1} : PositionRange{1, 1, 0, 0};
}

// Pairs of each axis, the places of axis `second ? 1 : 0` in a row of `width`.
WaveLayout layout_of(Order order, Index pairs, bool second, Index width) {
  const Index at = second ? 1 : 0;
  switch (order) {
    case Order::blocks:
      return {width, Place{2 * pairs * at, 1}, Place{2 * pairs * at + pairs, 1}};
    case Order::turns:
      return {width, Place{2 * pairs * at, 2}, Place{2 * pairs * at + 1, 2}};
    case Order::sides:
      return {width, Place{pairs * at, 1}, Place{pairs * (2 + at), 1}};
  }
  return {};
}

// The rows and columns of the grid that hold the image. Throws UsageError where they are more than
// there are, or where the convention counts no pixels of a mask.
std::vector<Index> valid_of(const Parameters& parameters, const Convention& convention,
                            const std::vector<Index>& extents) {
  if (!parameters.has("valid")) return extents;
  const std::vector<Index> valid = parse_grid(parameters.choice("valid"), 2, "valid");
  if (valid[0] > extents[0] || valid[1] > extents[1])
    throw UsageError(fmt::format("--valid {} must lie within --grid {}", parameters.choice("valid"),
                                 parameters.choice("grid")));
  if (convention.place == Place2d::index && valid != extents)
    throw UsageError(fmt::format("--valid has no meaning for --convention {}, which knows no mask",
                                 convention.name));
  return valid;
}

// Rows and columns counted as the cumulative sums of a mask count them, less 1: below the image the
// rows' count stands still, right of it it never began, which is −1. A centred count of c + 1/2 is
// divided by the last one and 1e-6: where none began by 1e-6 alone, which is the coordinate
// −10^6/2·extent − 1 of those that are divided by extent + 1e-6.
Coordinates masked_grid(const std::vector<Index>& extents, const std::vector<Index>& valid,
                        Place2d place) {
  Coordinates grid = grid_coordinates(extents);
  if (valid == extents) return grid;
  grid.at = [at = grid.at, valid, place](std::int64_t flat, std::size_t axis) {
    const std::int64_t own = at(flat, axis), other = at(flat, 1 - axis);
    if (other < valid[1 - axis]) return std::min<std::int64_t>(own, valid[axis] - 1);
    return place == Place2d::centred ? -500000 * valid[axis] - 1 : std::int64_t{-1};
  };
  return grid;
}

Effect make(const Parameters& parameters, Index) {
  const Convention& convention = convention_of(conventions, parameters);
  const Index dim = parameters.integer("dim"), over = dim % 4;
  if (over != 0 && convention.rest == Rest::refuse)
    throw UsageError(
        fmt::format("--dim must be divisible by 4 for --convention {}, got {}; multidim cuts the "
                    "last channels and tensor2tensor leaves them zero",
                    convention.name, parameters.spell("dim")));
  const Index pairs = dim / 4 + (over != 0 && convention.rest == Rest::cut ? 1 : 0);
  const Index width = convention.rest == Rest::cut ? 4 * pairs : dim;
  const std::vector<Index> extents = parse_grid(parameters.choice("grid"), 2, "grid");
  const std::vector<Index> valid = valid_of(parameters, convention, extents);
  const Real base = parameters.has("base") ? parameters.number("base").real()
                                           : Decimal(std::string_view(convention.base)).real();
  const std::vector<Real> stretch =
      stretch_of(parameters, extents, convention.place == Place2d::index);
  const bool scaled =
      convention.place == Place2d::normalised || convention.place == Place2d::centred;
  std::vector<WavePart> parts;
  for (const std::size_t axis : {0u, 1u}) {
    std::vector<Real> frequencies = convention.ladder == Ladder2d::endpoint
                                        ? endpoint_ladder(1, base, pairs)
                                        : geometric_ladder(base, 2 * pairs, pairs).frequencies;
    if (scaled)
      for (Real& frequency : frequencies)
        frequency *= 2 * real_pi() / (Real(valid[axis]) + Real("1e-6"));
    for (Real& frequency : frequencies) frequency *= stretch[axis];
    parts.push_back({Waves(std::move(frequencies)),
                     layout_of(convention.order, pairs, (axis == 0) != convention.row_first, width),
                     axis, places_of(convention.place)});
  }
  const Table table = grid_table(std::move(parts), masked_grid(extents, valid, convention.place));
  Table cut = width == dim ? table : first_columns(table, dim);
  cut.tokens = tokens_of(parameters);
  return cut;
}

// A pair that lost its cosine has no constant norm; padding repeats the image's last row and
// column.
std::vector<std::string> revoked(const Parameters& parameters) {
  std::vector<std::string> laws;
  const Index over = parameters.integer("dim") % 4;
  if (over % 2 != 0 && convention_of(conventions, parameters).rest == Rest::cut)
    laws.push_back("constant-norm");
  if (parameters.has("valid") && parse_grid(parameters.choice("valid"), 2, "valid") !=
                                     parse_grid(parameters.choice("grid"), 2, "grid"))
    laws.insert(laws.end(), {"unique", "separable"});
  return laws;
}

}  // namespace

extern constinit const Encoding sincos_2d{
    .name = "sincos-2d",
    .also = "2d vit mae image patch 2d-sincos sinusoidal-2d 二维",
    .summary = "sines and cosines of the row and of the column of an image grid",
    .source = "He et al. 2021, arXiv:2111.06377; Carion et al. 2020, arXiv:2005.12872, app. A.4",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp; 1e-6 and 2π of "
        "the normalised conventions are exact.",
    .claims = "correctly-rounded pe",
    .promises =
        "finite deterministic length-invariant order-sensitive bounded unique constant-norm "
        "separable",
    .example = "sincos-2d --grid 4x4 --dim 8 --convention mae",
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
