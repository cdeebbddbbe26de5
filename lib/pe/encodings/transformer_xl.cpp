// transformer-xl: sinusoids of the distance, projected, and two trained vectors in the query's
// place.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/work.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    row::heads("attention heads", "4", "n_head num_attention_heads"),
    {.name = "head-dim",
     .help = "channels of a head",
     .fallback = "16",
     .lowest = "1",
     .highest = "65536",
     .config = "d_head"},
    row::dim("channels of the sinusoids", "64", "d_model"),
    row::base("the last wavelength is about 2π·base"),
    {.name = "layout",
     .type = Parameter::Type::choice,
     .help = "where sines and cosines stand in a row; the code has halves",
     .fallback = "halves",
     .choices = "interleaved halves"},
    {.name = "attn-type",
     .type = Parameter::Type::choice,
     .help = "uni: keys after the query are masked; bi: distances of both signs (XLNet)",
     .fallback = "uni",
     .choices = "uni bi"},
    {.name = "clamp-len",
     .help =
         "distances beyond it count as it; the length of the sequence when left out or not above 0",
     .lowest = "-1",
     .highest = "1048576",
     .config = "clamp_len"},
    {.name = "projection",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of W_R, r_net.weight, [head·channel, dim]"},
    {.name = "u",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of u, r_w_bias, [head, channel]"},
    {.name = "v",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of v, r_r_bias, [head, channel]"},
    {.name = "seed",
     .help = "seed of what is not given, N(0, 0.02²)",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

Table sinusoids_of(const Parameters& parameters) {
  const Index dim = parameters.integer("dim"), pairs = dim / 2;
  if (dim % 2 != 0)
    throw UsageError(
        fmt::format("--dim must be even for transformer-xl, got {}", parameters.spell("dim")));
  const bool halves = parameters.choice("layout") == "halves";
  return wave_table(
      Waves(geometric_ladder(parameters.number("base").real(), dim, pairs).frequencies),
      {dim, halves ? Place{0, 1} : Place{0, 2}, halves ? Place{pairs, 1} : Place{1, 2}});
}

// The weights of one channel of the sinusoids beside one another, [dim, head·channel].
std::vector<double> turned_over(const Array& projection, Index columns, Index dim) {
  const std::vector<double> weight = values_of(projection);
  std::vector<double> over(weight.size());
  for (Index column = 0; column < columns; ++column)
    for (Index c = 0; c < dim; ++c)
      over[static_cast<std::size_t>(c * columns + column)] =
          weight[static_cast<std::size_t>(column * dim + c)];
  return over;
}

// W_R·R for each head and bucket, [head, bucket, channel]; each sum from the first product to the
// last.
Array projected(const Table& sinusoids, const PositionRange& distances, const Array& projection,
                Index heads, Index channels) {
  const Index dim = sinusoids.width, rows = distances.count, columns = heads * channels;
  Held room;  // of a task, whose length may be a file's
  if (has_budget_here() && !room.take(sizeof(double) * static_cast<std::uint64_t>(rows) *
                                      static_cast<std::uint64_t>(columns)))
    throw UsageError(fmt::format("projected sinusoids of {} distances take more than {}", rows,
                                 room.budget().spell_most()));
  constexpr Index at_once = 256;
  std::vector<double> r(static_cast<std::size_t>(at_once * dim)),
      sums(static_cast<std::size_t>(columns));
  std::vector<std::byte> table(static_cast<std::size_t>(rows * columns) * sizeof(double));
  const std::vector<double> weight = turned_over(projection, columns, dim);
  for (Index row = 0; row < rows; ++row) {
    const Index in_run = row % at_once;
    if (in_run == 0) {
      ask_time();
      sinusoids.fill(distances.slice(row, std::min(at_once, rows - row)), DType::f64,
                     reinterpret_cast<std::byte*>(r.data()));
    }
    std::ranges::fill(sums, 0.0);
    for (Index c = 0; c < dim; ++c) {
      const double* w = weight.data() + c * columns;
      const double x = r[static_cast<std::size_t>(in_run * dim + c)];
      for (std::size_t column = 0; column < sums.size(); ++column) sums[column] += w[column] * x;
    }
    for (Index head = 0; head < heads; ++head)
      std::memcpy(
          table.data() + static_cast<std::size_t>((head * rows + row) * channels) * sizeof(double),
          sums.data() + head * channels, static_cast<std::size_t>(channels) * sizeof(double));
  }
  return {DType::f64, {heads, rows, channels}, std::move(table)};
}

// s = (q_i·k_j + u·k_j + q_i·W_R R_{i−j} + v·W_R R_{i−j}) / √d (Dai et al. 2019, §3.3). q·k is
// always there.
Effect make(const Parameters& parameters, Index length) {
  const Index heads = parameters.integer("heads"), channels = parameters.integer("head-dim");
  const bool both = parameters.choice("attn-type") == "bi";
  Index farthest = parameters.has("clamp-len") ? parameters.integer("clamp-len") : 0;
  if (farthest <= 0) farthest = std::max<Index>(1, length - 1);
  Relative relative;
  relative.buckets = distance_buckets(farthest, both);
  relative.channels = channels;
  relative.causal = !both;
  relative.sinusoids = sinusoids_of(parameters);
  relative.first_sinusoid = both ? -farthest : 0;
  if (relative.buckets.count * heads * channels > (Index{1} << 28))
    throw UsageError(fmt::format(
        "{} distances x {} heads x {} channels are more than memory should hold: give --clamp-len",
        relative.buckets.count, heads, channels));
  begin({.what = fmt::format("the projection of {} sinusoids of {} channels onto {} x {}",
                             relative.buckets.count, relative.sinusoids->width, heads, channels),
         .operations = static_cast<double>(relative.buckets.count * relative.sinusoids->width) *
                       static_cast<double>(heads * channels),
         .levers = {{"head-dim", static_cast<double>(channels)},
                    {"heads", static_cast<double>(heads)},
                    {"dim", static_cast<double>(relative.sinusoids->width)}},
         .other = "a smaller --clamp-len"});
  const auto drawn = [&](std::string_view name, std::initializer_list<Extent> extents) {
    return tensor_or_drawn(parameters, name, extents, Distribution::normal, 0.02);
  };
  const Array projection =
      drawn("projection", {{"head·channel", heads * channels}, {"dim", relative.sinusoids->width}});
  const Array table =
      projected(*relative.sinusoids, {relative.first_sinusoid, 1, relative.buckets.count, 0},
                projection, heads, channels);
  using Left = RelativeTerm::Left;
  using Right = RelativeTerm::Right;
  relative.terms = {
      {"content_position", Left::query, Right::table, {}, table, relative.buckets},
      {"global_content",
       Left::fixed,
       Right::key,
       drawn("u", {{"head", heads}, {"channel", channels}}),
       {},
       {}},
      {"global_position", Left::fixed, Right::table,
       drawn("v", {{"head", heads}, {"channel", channels}}), table, relative.buckets},
  };
  return relative;
}

// A table as long as the sequence clips nothing.
std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.has("clamp-len") && parameters.integer("clamp-len") > 0
             ? std::vector<std::string>{}
             : std::vector<std::string>{"clipped"};
}

}  // namespace

extern constinit const Encoding transformer_xl{
    .name = "transformer-xl",
    .also = "xl txl xlnet relative 相对 相对位置编码 rpe",
    .summary =
        "projected sinusoids of the distance, and trained vectors u and v for a query without "
        "place",
    .source = "Dai et al. 2019, arXiv:1901.02860, §3.3; Yang et al. 2019, arXiv:1906.08237 (XLNet)",
    .kind = Kind::relative,
    .parameters = schema,
    .accuracy =
        "Sinusoids are correctly rounded; W_R·R is computed in double from f64 sinusoids, off by "
        "at most dim·2⁻⁵² of the sum of the "
        "magnitudes of its terms.",
    .claims = "correctly-rounded sinusoid; exact bucket; drawn:projection,u,v table",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only buckets-total "
        "buckets-by-offset buckets-monotone clipped expansion rel-shift",
    .example = "transformer-xl --dim 8 --fields sinusoid --positions -4:1",
    .drift = &copies_drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
