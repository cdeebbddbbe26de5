// t5: a trained bias for each bucket of relative positions, buckets growing logarithmically.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/kinds/bias_rows.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "num-buckets",
     .help = "buckets in all",
     .fallback = "32",
     .lowest = "2",
     .highest = "1024",
     .config = "relative_attention_num_buckets"},
    {.name = "max-distance",
     .help = "distance at which the buckets end",
     .fallback = "128",
     .lowest = "2",
     .highest = "1073741824",
     .config = "relative_attention_max_distance"},
    {.name = "bidirectional",
     .type = Parameter::Type::flag,
     .help =
         "encoder: keys after the query have buckets of their own; --causal is the decoder's form",
     .fallback = "true",
     .negation = "causal"},
    {.name = "weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the trained table, [bucket, head]; gives the bias"},
    {.name = "seed",
     .help = "without --weights: draw the table from N(0, 1) with this seed",
     .lowest = "0",
     .highest = "9223372036854775807"},
    row::heads("attention heads of a drawn table", "8", "num_heads"),
    {.name = "added",
     .type = Parameter::Type::choice,
     .help = "unscaled: to scores that nothing divides (T5); after: to the scores as the scale "
             "leaves them (MPNet, LayoutLMv2); before: the scale multiplies the bias, too "
             "(LayoutLMv3)",
     .fallback = "unscaled",
     .choices = "unscaled after before"},
    {.name = "boxes",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of each token's box on its page, left, top, right and bottom in whole "
             "numbers, [token, 4]: two more biases, of left and of bottom edges (LayoutLM)"},
    {.name = "box-buckets",
     .help = "buckets of edges",
     .fallback = "64",
     .lowest = "4",
     .highest = "1024"},
    {.name = "box-distance",
     .help = "distance of edges at which their buckets end",
     .fallback = "256",
     .lowest = "2",
     .highest = "1073741824"},
    {.name = "x-weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the trained table of left edges, [bucket, head]"},
    {.name = "y-weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the trained table of bottom edges, [bucket, head]"},
};

// Entries of one head's row of scores that a table adds.
using Adding = std::function<void(Index head, std::int64_t query, const PositionRange& keys,
                                  std::vector<double>& row)>;

// The table's numbers, [bucket, head]; a Linear's weight, [head, bucket], is turned round.
Array by_bucket(const Parameters& parameters, std::string_view name, Index count, Index heads) {
  if (!parameters.has(name) && !parameters.has("seed"))
    throw UsageError(fmt::format("--boxes needs --{}, or --seed that draws it", name));
  if (!parameters.has(name))
    return tensor_or_drawn(parameters, name, {{"bucket", count}, {"head", heads}},
                           Distribution::normal, 1);
  const Array& given = parameters.tensor(name);
  if (given.rank() != 2 || given.shape()[0] == count || given.shape()[1] != count)
    return tensor_of(parameters, name, {{"bucket", count}, {"head", heads}});
  const Index rows = given.shape()[0];
  const std::vector<double> values = values_of(given);
  std::vector<double> turned;
  for (Index bucket = 0; bucket < count; ++bucket)
    for (Index head = 0; head < rows; ++head)
      turned.push_back(values[static_cast<std::size_t>(head * count + bucket)]);
  return array_of({count, rows}, turned);
}

// One coordinate of every box.
std::vector<std::int64_t> edges(const Parameters& parameters, std::size_t which) {
  const Array& boxes = tensor_of(parameters, "boxes", {{"token", 0}, {"edge", 4}});
  const std::vector<double> values = values_of(boxes);
  std::vector<std::int64_t> found;
  for (std::size_t i = which; i < values.size(); i += 4) {
    if (std::trunc(values[i]) != values[i] || std::fabs(values[i]) > 0x1p31)
      throw UsageError(fmt::format("--boxes must hold whole numbers up to 2^31, got {} in row {}",
                                   values[i], i / 4));
    found.push_back(static_cast<std::int64_t>(values[i]));
  }
  return found;
}

// Tables of left and of bottom edges, by the same buckets (`_cal_2d_pos_emb`).
std::vector<Adding> added_by_boxes(const Parameters& parameters, Index heads) {
  const Index count = parameters.integer("box-buckets");
  const Buckets buckets = t5_buckets(count, parameters.integer("box-distance"), true);
  std::vector<Adding> all;
  for (const auto& [name, edge] : {std::pair{"x-weights", 0u}, std::pair{"y-weights", 3u}}) {
    const Array weights = by_bucket(parameters, name, count, heads);
    if (weights.shape()[1] != heads)
      throw UsageError(fmt::format("--{} and --weights must have the same heads, got {} and {}",
                                   name, weights.shape()[1], heads));
    all.push_back(
        [weights, heads, of = buckets.of, places = edges(parameters, edge)](
            Index head, std::int64_t query, const PositionRange& keys, std::vector<double>& row) {
          const std::int64_t from = places[static_cast<std::size_t>(query)];
          for (Index i = 0; i < keys.count; ++i)
            row[static_cast<std::size_t>(i)] +=
                weights.at(of(from, places[static_cast<std::size_t>(keys.at(i))]) * heads + head);
        });
  }
  return all;
}

Effect make(const Parameters& parameters, Index) {
  const Index count = parameters.integer("num-buckets");
  Bias bias{.heads = 0,
            .causal = false,
            .scaled = parameters.choice("added") != "unscaled",
            .slopes = {},
            .buckets = t5_buckets(count, parameters.integer("max-distance"),
                                  parameters.flag("bidirectional")),
            .fill = {}};
  if (!parameters.has("weights") && !parameters.has("seed")) {
    for (const char* name : {"boxes", "x-weights", "y-weights"})
      if (parameters.has(name))
        throw UsageError(
            fmt::format("--{} adds to a bias whose numbers are known: give --weights, "
                        "or --seed",
                        name));
    return bias;
  }
  const Array weights = by_bucket(parameters, "weights", count,
                                  parameters.has("weights") ? 0 : parameters.integer("heads"));
  bias.heads = weights.shape()[1];
  std::vector<Adding> more;
  if (parameters.has("boxes")) {
    more = added_by_boxes(parameters, bias.heads);
    bias.rows = parameters.tensor("boxes").shape()[0];
  }
  bias.fill = [weights, more, heads = bias.heads, of = bias.buckets->of](
                  Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                  std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    for (Index i = 0; i < keys.count; ++i)
      row[static_cast<std::size_t>(i)] = weights.at(of(query, keys.at(i)) * heads + head);
    for (const Adding& adding : more) adding(head, query, keys, row);
    narrow(row, dtype, out);
  };
  if (!more.empty()) bias.buckets.reset();  // no number of the bias belongs to a bucket alone
  return within_rows(std::move(bias));
}

// Boxes lie anywhere.
std::vector<std::string> revoked(const Parameters& parameters) {
  return parameters.has("boxes") ? std::vector<std::string>{"toeplitz", "relative-only"}
                                 : std::vector<std::string>{};
}

// With boxes two sums in float32 of three entries, at most the sum of the largest of each table.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  if (!parameters.has("boxes")) return copies_drift(parameters, effect, reach);
  Drift drift(std::max(reach.heads, std::get<Bias>(effect).heads),
              "2·2^-24 of the sum of the largest entries of the three tables, two sums in float32; "
              "and one rounding to the dump's type");
  double largest = 0;
  for (const char* name : {"weights", "x-weights", "y-weights"}) {
    double most = 8.3;  // of N(0, 1) no double draws more
    if (parameters.has(name)) {
      most = 0;
      for (const double value : values_of(parameters.tensor(name)))
        most = std::max(most, std::fabs(value));
    }
    largest += most;
  }
  for (std::size_t head = 0; head < drift.absolute.size(); ++head) {
    drift.absolute[head] = 2 * half_ulp_f32 * largest;
    drift.relative[head] = half_ulp_f32;
  }
  return drift;
}

}  // namespace

extern constinit const Encoding t5{
    .name = "t5",
    .also =
        "t5-bias t5-relative relative relative-attention-bias relative-bias relative-position-bias "
        "relative-position-bucket bucketed 相对 相对位置编码 rpe 分桶",
    .summary = "a trained bias for each logarithmic bucket of relative positions",
    .source =
        "Raffel et al. 2020, arXiv:1910.10683, §2.1; mesh_tensorflow `_relative_position_bucket`; "
        "Xu "
        "et al. 2021, arXiv:2012.14740, §2.2 (boxes)",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "Buckets are decided in exact integer arithmetic; a bias is its weight, rounded once when "
        "--dtype is narrower; with --boxes it is the sum of three, in double.",
    .claims = "exact bucket; drawn:weights,x-weights?boxes,y-weights?boxes bias",
    .promises =
        "finite deterministic length-invariant order-sensitive relative-only toeplitz "
        "buckets-total buckets-by-offset buckets-monotone clipped",
    .example = "t5 --positions -20:21",
    .drift = &drift,
    .make = &make,
    .revoked = &revoked,
};

}  // namespace pe::encoding_rows
