// sinusoidal: sines and cosines of geometrically falling frequencies, in every layout that
// codebases write.
#include <fmt/format.h>

#include <cstring>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/encodings/tokens.hpp"
#include "pe/model/frequencies.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::dim("channels of a row", "512", "d_model hidden_size n_embd"),
    row::base("the last wavelength is about 2π·base"),
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "where sines and cosines stand in a row: in turn, or one half after the other "
             "(tensor2tensor, fairseq)",
     .fallback = "interleaved",
     .choices = "interleaved halves interleaved-cos-first halves-cos-first",
     .also = "interleave=interleaved alternating=interleaved concat=halves concatenated=halves "
             "sequential=halves"},
    {.name = "ladder",
     .type = Parameter::Type::choice,
     .help = "frequencies: paper, base^(−2j/dim); endpoint, timescales that reach both ends in n−1 "
             "steps (tensor2tensor, fairseq); "
             "endpoint-times-min, tensor2tensor as shipped, which multiplies by --min-timescale "
             "where it should divide",
     .fallback = "paper",
     .choices = "paper endpoint endpoint-times-min"},
    {.name = "min-timescale",
     .type = Parameter::Type::number,
     .help = "the endpoint ladders' first timescale (default: 1)",
     .lowest = "1e-60",
     .highest = "1e60"},
    {.name = "max-timescale",
     .type = Parameter::Type::number,
     .help = "the endpoint ladders' last timescale (default: --base)",
     .lowest = "1e-60",
     .highest = "1e60"},
    {.name = "odd",
     .type = Parameter::Type::choice,
     .help = "an odd --dim: error; zero-column, a last column of zeros (tensor2tensor, fairseq, "
             "NEZHA); drop-last, the last pair keeps one "
             "side (Marian, the usual PyTorch repair); pad-and-cut, the table of dim + 1 without "
             "its last column (multidim)",
     .fallback = "error",
     .choices = "error zero-column drop-last pad-and-cut"},
    {.name = "offset",
     .help = "added to every position (fairseq: padding index + 1)",
     .fallback = "0",
     .lowest = "-9007199254740992",
     .highest = "9007199254740992"},
    prefix_parameter,
};

// θ_j: the paper's base^(−2j/dim) (Vaswani et al. 2017, §3.5), or timescales min … max in n−1
// steps: tensor2tensor's get_timing_signal_1d (layers/common_attention.py), which ships
// min·(max/min)^(−j/(n−1)) though it promises timescales from min.
std::vector<Real> ladder_of(const Parameters& parameters, Index dim, Index pairs) {
  const std::string& ladder = parameters.choice("ladder");
  for (const char* name : {"min-timescale", "max-timescale"})
    if (ladder == "paper" && parameters.has(name))
      throw UsageError(fmt::format(
          "--{} has no meaning for --ladder paper: give --base, or --ladder endpoint", name));
  const Real base = parameters.number("base").real();
  if (ladder == "paper") return geometric_ladder(base, dim, pairs).frequencies;
  if (parameters.has("max-timescale") && parameters.origin("base").starts_with("flag "))
    throw UsageError("--max-timescale and --base say the same thing here: give one of them");
  const Real shortest =
      parameters.has("min-timescale") ? parameters.number("min-timescale").real() : Real(1);
  const Real longest =
      parameters.has("max-timescale") ? parameters.number("max-timescale").real() : base;
  std::vector<Real> frequencies = endpoint_ladder(shortest, longest, pairs);
  if (ladder == "endpoint-times-min")
    for (Real& frequency : frequencies) frequency *= shortest * shortest;
  return frequencies;
}

// Sine and cosine of pair j in a row of `pairs` whole pairs and `spare` columns behind them.
WaveLayout layout_of(const std::string& name, Index pairs, Index spare) {
  const bool halves = name.starts_with("halves");
  const Place first{0, halves ? 1 : 2}, second{halves ? pairs : 1, halves ? 1 : 2};
  return name.ends_with("cos-first") ? WaveLayout{2 * pairs + spare, second, first}
                                     : WaveLayout{2 * pairs + spare, first, second};
}

bool cuts(const Parameters& parameters) {
  const std::string& odd = parameters.choice("odd");
  return parameters.integer("dim") % 2 != 0 && (odd == "drop-last" || odd == "pad-and-cut");
}

Table even_table(const Parameters& parameters, Index dim, Index ladder_dim) {
  const Waves waves(ladder_of(parameters, ladder_dim, dim / 2));
  return wave_table(waves, layout_of(parameters.choice("layout"), dim / 2, 0));
}

Table odd_table(const Parameters& parameters, Index dim) {
  const std::string& odd = parameters.choice("odd");
  if (odd == "error")
    throw UsageError(fmt::format(
        "--dim must be even for sinusoidal, got {}; --odd names what codebases do with an odd one",
        parameters.spell("dim")));
  if (cuts(parameters)) {
    const Table wide = even_table(parameters, dim + 1, odd == "drop-last" ? dim : dim + 1);
    Table table = first_columns(wide, dim);
    table.waves = wide.waves;
    table.waves->second = {
        dim,
        {},
        {}};  // the frequencies are known; a shift is not linear without the side that is cut
    return table;
  }
  const Waves waves(ladder_of(parameters, dim, dim / 2));
  Table table = wave_table(waves, layout_of(parameters.choice("layout"), dim / 2, 1));
  table.fill = [fill = table.fill, dim](const PositionRange& positions, DType dtype,
                                        std::byte* out) {
    std::memset(out, 0, static_cast<std::size_t>(positions.count * dim) * size_of(dtype));
    fill(positions, dtype, out);
  };
  return table;
}

// P(p, 2j) = sin(p·θ_j), P(p, 2j+1) = cos(p·θ_j) (Vaswani et al. 2017, §3.5).
Effect make(const Parameters& parameters, Index) {
  const Index dim = parameters.integer("dim");
  Table table = dim % 2 == 0 ? even_table(parameters, dim, dim) : odd_table(parameters, dim);
  if (const std::int64_t offset = parameters.integer("offset"); offset != 0)
    table.fill = [fill = table.fill, offset](PositionRange positions, DType dtype, std::byte* out) {
      std::int64_t unit = 1;
      for (int i = 0; i < positions.decimals; ++i) unit *= 10;
      positions.first += offset * unit;
      fill(positions, dtype, out);
    };
  table.tokens = tokens_of(parameters);
  return table;
}

// A pair that lost a side has neither a constant norm nor a matrix that shifts it.
std::vector<std::string> revoked(const Parameters& parameters) {
  if (!cuts(parameters)) return {};
  return {"constant-norm", "distance-by-offset", "linear-shift"};
}

}  // namespace

extern constinit const Encoding sinusoidal{
    .name = "sinusoidal",
    .also =
        "sin sinusoid sinus sine cosine vanilla fixed absolute sin-cos-1d "
        "attention-is-all-you-need positional-encoding position-encoding fourier 正弦 三角 "
        "正弦位置编码 三角函数 绝对 绝对位置编码 三角式 三角函数式 余弦 正弦余弦 正余弦 正弦/余弦 "
        "固定 经典式",
    .summary = "sines and cosines of falling frequencies, added to the embeddings",
    .source = "Vaswani et al. 2017, arXiv:1706.03762, §3.5",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy =
        "f32, f16 and bf16 values are correctly rounded, f64 values within 1 ulp, for whole "
        "positions up to 2^53.",
    .claims = "correctly-rounded pe",
    .promises =
        "finite deterministic length-invariant order-sensitive bounded unique constant-norm "
        "distance-by-offset linear-shift",
    .example = "sinusoidal --length 100 --dim 512",
    .drift = &waves_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
