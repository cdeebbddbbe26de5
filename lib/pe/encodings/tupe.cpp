// tupe: projections of a table of positions, untied from the words, beside a bucketed relative
// bias.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/encodings/parameters.hpp"
#include "pe/kinds/bias_rows.hpp"
#include "pe/model/weights.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "form",
     .type = Parameter::Type::choice,
     .help =
         "code: normalised table, projections with biases, [CLS] from rows 0 and 1 and two more "
         "buckets; paper: none of these, [CLS] from θ1 and θ2",
     .fallback = "code",
     .choices = "code paper"},
    row::heads(),
    {.name = "dim",
     .help = "channels of the model, where no table is given",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536",
     .config = "hidden_size d_model"},
    {.name = "rows",
     .help = "positions that there are, where no table is given",
     .fallback = "512",
     .lowest = "1",
     .highest = "65536",
     .config = "max_position_embeddings"},
    {.name = "cls",
     .type = Parameter::Type::flag,
     .help = "untie position 0, [CLS], from the others",
     .fallback = "true",
     .negation = "no-cls"},
    {.name = "relative",
     .type = Parameter::Type::flag,
     .help = "add T5's bias (TUPE-R); --no-relative is TUPE-A",
     .fallback = "true",
     .negation = "no-relative"},
    {.name = "num-buckets",
     .help = "buckets of the relative bias",
     .fallback = "32",
     .lowest = "4",
     .highest = "1024"},
    {.name = "max-distance",
     .help = "distance at which the buckets end",
     .fallback = "128",
     .lowest = "2",
     .highest = "1073741824"},
    {.name = "table",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the positions, [row, dim]; one row more in the code with [CLS]"},
    {.name = "projection",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the query's projection over the key's, [2·dim, dim]"},
    {.name = "projection-bias",
     .type = Parameter::Type::tensor,
     .help = "code: FILE[:tensor] of the projections' biases, [2·dim]; 0 when left out"},
    {.name = "norm-weight",
     .type = Parameter::Type::tensor,
     .help = "code: FILE[:tensor] of the LayerNorm's weight, [dim]; 1 when left out"},
    {.name = "norm-bias",
     .type = Parameter::Type::tensor,
     .help = "code: FILE[:tensor] of the LayerNorm's bias, [dim]; 0 when left out"},
    {.name = "relative-weights",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] of the relative bias, [bucket, head]; one bucket more in the code with "
             "[CLS]"},
    {.name = "reset",
     .type = Parameter::Type::tensor,
     .help = "paper: FILE[:tensor] of θ1 ([CLS] to others) and θ2 (others to [CLS]), [2, head]"},
    {.name = "seed",
     .help = "seed of what is not given, N(0, 0.02²)",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
};

// (x − mean)/√(variance + 1e-5)·weight + bias for each row.
template <typename Number>
void normalise(std::vector<Number>& table, Index dim, const std::vector<Number>& weight,
               const std::vector<Number>& bias) {
  const auto n = static_cast<std::size_t>(dim);
  for (std::size_t row = 0; row < table.size(); row += n) {
    Number mean = 0, variance = 0;
    for (std::size_t c = 0; c < n; ++c) mean += table[row + c];
    mean /= static_cast<Number>(n);
    for (std::size_t c = 0; c < n; ++c)
      variance += (table[row + c] - mean) * (table[row + c] - mean);
    const Number scale = 1 / std::sqrt(variance / static_cast<Number>(n) + Number(1e-5));
    for (std::size_t c = 0; c < n; ++c)
      table[row + c] = (table[row + c] - mean) * scale * weight[c] + bias[c];
  }
}

// table · projectionᵀ + bias, [row, 2·dim].
template <typename Number>
std::vector<Number> project(const std::vector<Number>& table, Index dim,
                            const std::vector<Number>& projection,
                            const std::vector<Number>& bias) {
  const auto n = static_cast<std::size_t>(dim);
  std::vector<Number> projected;
  projected.reserve(2 * table.size());
  for (std::size_t row = 0; row < table.size(); row += n)
    for (std::size_t out = 0; out < 2 * n; ++out) {
      Number sum = bias[out];
      for (std::size_t c = 0; c < n; ++c) sum += projection[out * n + c] * table[row + c];
      projected.push_back(sum);
    }
  return projected;
}

// What the parameters come to, computed in float or in double.
template <typename Number>
struct Untied {
  Index heads = 0, dim = 0, rows = 0, projected_rows = 0;
  bool code = true, cls = true;
  std::vector<Number> projected;        // [row, 2·dim]: queries, then keys, head by head
  std::vector<double> relative, reset;  // [bucket, head]; [2, head]
  std::optional<Buckets> buckets;

  // p_i U^Q · p_j U^K / √(2d) of two rows (Ke, He & Liu 2021; `pos_scaling` in the code).
  Number product(Index head, Index query, Index key) const {
    const Index channels = dim / heads;
    const Number *q = projected.data() + query * 2 * dim + head * channels,
                 *k = projected.data() + key * 2 * dim + dim + head * channels;
    Number sum = 0;
    for (Index c = 0; c < channels; ++c) sum += q[c] * k[c];
    return sum / std::sqrt(2 * static_cast<Number>(channels));
  }

  // The same of the squares of its terms, where they are added as numbers of either sign are.
  double root_of_squares(Index head, Index query, Index key) const {
    const Index channels = dim / heads;
    double sum = 0;
    for (Index c = head * channels; c < (head + 1) * channels; ++c) {
      const double term = projected[static_cast<std::size_t>(query * 2 * dim + c)] *
                          projected[static_cast<std::size_t>((2 * key + 1) * dim + c)];
      sum += term * term;
    }
    return std::sqrt(sum / (2.0 * static_cast<double>(channels)));
  }

  double bias(Index head, Index query, Index key) const {
    const double* bucket =
        buckets ? relative.data() + buckets->of(query, key) * heads + head : nullptr;
    const double beside = bucket ? *bucket : 0;
    if (!cls) return product(head, query, key) + beside;
    if (code) {  // rows 0 and 1 stand for [CLS] to others and others to [CLS]; the first wins for
                 // [CLS] to itself
      if (query == 0) return product(head, 0, 0) + beside;
      if (key == 0) return product(head, 1, 1) + beside;
      return product(head, query + 1, key + 1) + beside;
    }
    if (query == 0)
      return reset[static_cast<std::size_t>(head)];  // the paper: the relative part is reset too
    if (key == 0) return reset[static_cast<std::size_t>(heads + head)];
    return product(head, query, key) + beside;
  }
};

// T5's buckets; in the code with one more for others to [CLS], and the one that T5 never uses for
// [CLS] to others.
Buckets buckets_of(const Parameters& parameters, bool cls_buckets) {
  const Index count = parameters.integer("num-buckets");
  if (count % 2 != 0)
    throw UsageError(fmt::format("--num-buckets must be even for tupe, got {}",
                                 parameters.spell("num-buckets")));
  const Index farthest = parameters.integer("max-distance");
  return cls_buckets ? t5_cls_buckets(count, farthest) : t5_buckets(count, farthest, true);
}

// With `most` no more rows of the table than that are projected, spread evenly.
template <typename Number>
Untied<Number> untied_of(const Parameters& parameters, Index most = 0) {
  Untied<Number> untied{.heads = parameters.integer("heads"),
                        .dim = parameters.integer("dim"),
                        .code = parameters.choice("form") == "code",
                        .cls = parameters.flag("cls"),
                        .projected = {},
                        .relative = {},
                        .reset = {},
                        .buckets = {}};
  const bool shifted = untied.code && untied.cls;
  Index& rows = untied.rows;
  rows = parameters.integer("rows");
  if (parameters.has("table")) {
    const Array& given = tensor_of(parameters, "table", {{"row", 0}, {"dim", 0}});
    rows = given.shape()[0] - shifted;
    untied.dim = given.shape()[1];
  }
  const Index dim = untied.dim, heads = untied.heads;
  if (rows < 1)
    throw UsageError(fmt::format("--table has no row for position 0 beside those of [CLS]: {}",
                                 parameters.spell("table")));
  if (dim % heads != 0)
    throw UsageError(
        fmt::format("the channels of the table must be a multiple of --heads, got {} and {}", dim,
                    parameters.spell("heads")));
  const auto drawn = [&](std::string_view name, std::initializer_list<Extent> extents) {
    return values_of(tensor_or_drawn(parameters, name, extents, Distribution::normal, 0.02));
  };
  const auto constant = [&](std::string_view name, Index size, double value) {
    if (!untied.code && parameters.has(name))
      throw UsageError(fmt::format("--{} has no place in --form paper", name));
    return values_of(tensor_or_constant(
        parameters, name, {name == "projection-bias" ? "2·dim" : "dim", size}, value));
  };
  const auto numbers = [](const std::vector<double>& values) {
    return std::vector<Number>(values.begin(), values.end());
  };
  std::vector<Number> table = numbers(drawn("table", {{"row", rows + shifted}, {"dim", dim}}));
  untied.projected_rows = rows + shifted;
  if (most > 0 && untied.projected_rows > most) {
    for (Index row = 1; row < most; ++row)
      std::copy_n(table.begin() + row * untied.projected_rows / most * dim, dim,
                  table.begin() + row * dim);
    table.resize(static_cast<std::size_t>(most * dim));
    untied.projected_rows = most;
  }
  const std::vector<Number> weight = numbers(constant("norm-weight", dim, 1)),
                            shift = numbers(constant("norm-bias", dim, 0));
  if (untied.code) normalise(table, dim, weight, shift);
  untied.projected =
      project(table, dim, numbers(drawn("projection", {{"2·dim", 2 * dim}, {"dim", dim}})),
              numbers(constant("projection-bias", 2 * dim, 0)));
  if (!untied.code && untied.cls) untied.reset = drawn("reset", {{"2", 2}, {"head", heads}});
  if (parameters.flag("relative")) {
    untied.buckets = buckets_of(parameters, shifted);
    untied.buckets->positions = rows;
    untied.relative =
        drawn("relative-weights", {{"bucket", untied.buckets->count}, {"head", heads}});
  }
  return untied;
}

Effect make(const Parameters& parameters, Index) {
  Untied untied = untied_of<double>(parameters);
  const Index heads = untied.heads, rows = untied.rows;
  Bias bias{.heads = heads, .causal = false, .slopes = {}, .buckets = untied.buckets, .fill = {}};
  bias.rows = rows;
  bias.scaled_terms = 2;
  bias.fill = [untied = std::make_shared<const Untied<double>>(std::move(untied))](
                  Index head, std::int64_t query, const PositionRange& keys, DType dtype,
                  std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(keys.count));
    for (Index i = 0; i < keys.count; ++i)
      row[static_cast<std::size_t>(i)] = untied->bias(head, query, keys.at(i));
    narrow(row, dtype, out);
  };
  return within_rows(std::move(bias));
}

// Positions normalised, projected, multiplied and added in float32, one term after the other,
// against the same in double; at least a rounding of the root of the sum of the squares of a
// product's terms. The relative weight beside is a copy.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  constexpr Index places = 48;  // queries, and keys
  Drift drift = copies_drift(parameters, effect, reach);
  const auto single = untied_of<float>(parameters, places);
  const auto exact = untied_of<double>(parameters, places);
  for (Index head = 0; head < exact.heads; ++head) {
    double& worst = drift.absolute[static_cast<std::size_t>(head)];
    for (Index query = 0; query < exact.projected_rows; ++query)
      for (Index key = 0; key < exact.projected_rows; ++key)
        worst = std::max(
            {worst, exact.root_of_squares(head, query, key) * half_ulp_f32,
             std::fabs(single.product(head, query, key) - exact.product(head, query, key))});
    worst *= other_orders;
  }
  for (double& relative : drift.relative) relative = 2 * half_ulp_f32;
  drift.derivation = fmt::format(
      "{} times what positions that are normalised, projected, multiplied and added in float32 "
      "are off by, at its worst over some pairs; and 2·2^-24 of the bias",
      other_orders);
  return drift;
}

}  // namespace

extern constinit const Encoding tupe{
    .name = "tupe",
    .also = "untied 解绑",
    .summary =
        "projections of a table of positions, untied from the words, beside a bucketed relative "
        "bias",
    .source = "Ke, He & Liu 2021, arXiv:2006.15595, and the authors' code",
    .kind = Kind::bias,
    .parameters = schema,
    .accuracy =
        "Buckets are exact; a bias is computed in double from the weights and rounded once.",
    .claims =
        "exact index; "
        "drawn:table,projection,relative-weights?relative=true,reset?form=paper bias",
    .promises = "finite deterministic length-invariant order-sensitive buckets-total",
    .example = "tupe --seed 1 --heads 2 --dim 8 --rows 8 --length 8",
    .drift = &drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
