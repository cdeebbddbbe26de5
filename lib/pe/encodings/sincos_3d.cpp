// sincos-3d: one sinusoidal block for each axis of a video or volume grid, in the conventions of
// video codebases.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/grids.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/tokens.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

// Channels of the frame's, row's and column's blocks, in sixteenths of the row or rounded up to
// thirds.
enum class Split { quarter_time, half_time, thirds_up, sixths_down };

struct Convention {
  std::string_view name;
  Split split;
  bool column_first;   // blocks stand column, row, frame; else frame, row, column
  bool space_swapped;  // frame, column, row
  bool in_turn;        // sin and cos of a block in turn; else its sines, then its cosines
  bool endpoint;       // timescales reach both ends
};

// multidim: tatp22/multidim-positional-encoding; diffusers: get_3d_sincos_pos_embed (CogVideoX:
// time has a quarter, then column, then row); v-jepa: facebookresearch/jepa pos_embs.py (time has
// half) and its uniform_power; vit-pytorch: posemb_sincos_3d; tensor2tensor: get_timing_signal_nd.
constexpr Convention conventions[] = {
    {"multidim", Split::thirds_up, false, false, true, false},
    {"diffusers", Split::quarter_time, false, true, false, false},
    {"v-jepa", Split::half_time, false, false, false, false},
    {"v-jepa-uniform", Split::thirds_up, false, false, false, false},
    {"vit-pytorch", Split::sixths_down, true, false, false, true},
    {"tensor2tensor", Split::sixths_down, false, false, false, true},
};

constexpr Parameter schema[] = {
    {.name = "dim",
     .help = "channels of a row",
     .fallback = "48",
     .lowest = "6",
     .highest = "65536",
     .config = "hidden_size d_model"},
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "TxHxW cells, counted frame by frame, row by row",
     .fallback = "2x4x4"},
    {.name = "convention",
     .type = Parameter::Type::choice,
     .help = "whose axis order and channel split",
     .fallback = "multidim",
     .choices = "multidim diffusers v-jepa v-jepa-uniform vit-pytorch tensor2tensor"},
    row::base("the ladder's base", "10000", "temperature"),
    spatial_scale_parameter,
    temporal_scale_parameter,
    prefix_parameter,
    suffix_parameter,
};

// Pairs of the frame, the row and the column.
std::vector<Index> pairs_of(const Convention& convention, const Parameters& parameters) {
  const Index dim = parameters.integer("dim");
  const auto need = [&](Index divisor) {
    if (dim % divisor != 0)
      throw UsageError(fmt::format("--dim must be divisible by {} for --convention {}, got {}",
                                   divisor, convention.name, parameters.spell("dim")));
  };
  switch (convention.split) {
    case Split::quarter_time:
      need(16);
      return {dim / 8, 3 * dim / 16, 3 * dim / 16};
    case Split::half_time:
      need(8);
      return {dim / 4, dim / 8, dim / 8};
    case Split::thirds_up:
      return std::vector<Index>(3, (dim + 5) / 6);
    case Split::sixths_down:
      return std::vector<Index>(3, dim / 6);
  }
  return {};
}

Effect make(const Parameters& parameters, Index) {
  const Convention& convention = convention_of(conventions, parameters);
  const Index dim = parameters.integer("dim");
  const std::vector<Index> pairs = pairs_of(convention, parameters),
                           extents = parse_grid(parameters.choice("grid"), 3, "grid");
  const Index width = std::max(dim, 2 * (pairs[0] + pairs[1] + pairs[2]));
  const Real base = parameters.number("base").real();
  const std::vector<Real> stretch = stretch_of(parameters, extents, true);
  std::vector<std::size_t> order{0, 1, 2};
  if (convention.column_first) order = {2, 1, 0};
  if (convention.space_swapped) order = {0, 2, 1};
  std::vector<WavePart> parts;
  Index first = 0;
  for (const std::size_t axis : order) {
    const Index n = pairs[axis];
    std::vector<Real> frequencies = convention.endpoint
                                        ? endpoint_ladder(1, base, n)
                                        : geometric_ladder(base, 2 * n, n).frequencies;
    for (Real& frequency : frequencies) frequency *= stretch[axis];
    const WaveLayout layout = convention.in_turn
                                  ? WaveLayout{width, Place{first, 2}, Place{first + 1, 2}}
                                  : WaveLayout{width, Place{first, 1}, Place{first + n, 1}};
    parts.push_back({Waves(std::move(frequencies)), layout, axis, {0, 1, 0, 0}});
    first += 2 * n;
  }
  const Table table = grid_table(std::move(parts), grid_coordinates(extents));
  Table cut = width == dim ? table : first_columns(table, dim);
  cut.tokens = tokens_of(parameters);
  return cut;
}

// Blocks cut in their middle lose cosines: the norm is no longer constant, and with v-jepa-uniform
// neither is it for any cut.
std::vector<std::string> revoked(const Parameters& parameters) {
  const Convention& convention = convention_of(conventions, parameters);
  const Index cut =
      convention.split == Split::thirds_up ? (6 - parameters.integer("dim") % 6) % 6 : 0;
  return cut % 2 != 0 || (cut != 0 && !convention.in_turn)
             ? std::vector<std::string>{"constant-norm"}
             : std::vector<std::string>{};
}

}  // namespace

extern constinit const Encoding sincos_3d{
    .name = "sincos-3d",
    .also = "3d video 3d-sincos sinusoidal-3d 三维",
    .summary = "sines and cosines of the frame, the row and the column of a video grid",
    .source =
        "tatp22/multidim-positional-encoding; diffusers get_3d_sincos_pos_embed; Bardes et al. "
        "2024, arXiv:2404.08471",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy = "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp.",
    .claims = "correctly-rounded pe",
    .promises =
        "finite deterministic length-invariant order-sensitive bounded unique constant-norm "
        "separable",
    .example = "sincos-3d --grid 2x3x3 --dim 48 --convention v-jepa",
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
