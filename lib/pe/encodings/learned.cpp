// learned: a trained table, read from a file or drawn as it would be before training, and stretched
// by a named rule where it is too short.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/random.hpp"
#include "pe/model/resample.hpp"

namespace pe::encoding_rows {
namespace {

constexpr Parameter schema[] = {
    {.name = "input",
     .type = Parameter::Type::tensor,
     .help = "FILE[:tensor] that holds the table, [position, dim]"},
    {.name = "init",
     .type = Parameter::Type::choice,
     .help = "without --input: the distribution the table is drawn from",
     .fallback = "normal",
     .choices = "normal truncated-normal uniform"},
    {.name = "std",
     .type = Parameter::Type::number,
     .help = "standard deviation of normal, half width of uniform",
     .fallback = "0.02",
     .lowest = "0",
     .highest = "1e30"},
    {.name = "seed",
     .help = "seed of the draw",
     .fallback = "0",
     .lowest = "0",
     .highest = "9223372036854775807"},
    {.name = "rows",
     .help = "without --input: positions that the table has",
     .fallback = "512",
     .lowest = "1",
     .highest = "1073741824",
     .config = "max_position_embeddings n_positions"},
    {.name = "dim",
     .help = "without --input: channels of a row",
     .fallback = "64",
     .lowest = "1",
     .highest = "65536",
     .config = "hidden_size n_embd d_model"},
    {.name = "extend",
     .type = Parameter::Type::choice,
     .help = "rows that the table lacks: hierarchical, n rows become n² (Su); linear and "
             "linear-corners, n rows become --to; the others resize a grid "
             "of patches to --grid: bicubic (MAE, ViT), bicubic-antialias (timm), bicubic-plus-0.1 "
             "(DINOv2), bilinear, bilinear-antialias, "
             "bilinear-corners (vit_jax's zoom), bicubic-corners, nearest",
     .fallback = "none",
     .choices = "none hierarchical linear linear-corners bicubic bicubic-antialias "
                "bicubic-plus-0.1 bicubic-corners bilinear bilinear-antialias bilinear-corners "
                "nearest"},
    {.name = "alpha",
     .type = Parameter::Type::number,
     .help = "weight of the coarse row in --extend hierarchical",
     .fallback = "0.4",
     .lowest = "-0.99",
     .highest = "0.99"},
    {.name = "to", .help = "rows after --extend linear", .lowest = "1", .highest = "1099511627776"},
    {.name = "grid",
     .type = Parameter::Type::name,
     .help = "HxW patches that the rows are, after --extend if it resizes them"},
    {.name = "from-grid",
     .type = Parameter::Type::name,
     .help = "HxW patches of the table (default: a square)"},
    {.name = "prefix",
     .help = "rows in front of the patches that stay as they are (class and register tokens)",
     .fallback = "0",
     .lowest = "0",
     .highest = "65536"},
};

// --extend's rules; `grid` resizes rows and columns of patches, else the sequence.
struct Rule {
  std::string_view name;
  bool grid;
  Resampling resampling;
};
constexpr Rule rules[] = {
    {"linear", false, {}},
    {"linear-corners", false, {.corners = true}},
    {"bicubic", true, {.cubic = true}},
    {"bicubic-antialias", true, {.cubic = true, .antialias = true}},
    {"bicubic-plus-0.1", true, {.cubic = true, .nudge = "0.1"}},
    {"bicubic-corners", true, {.cubic = true, .corners = true}},
    {"bilinear", true, {}},
    {"bilinear-antialias", true, {.antialias = true}},
    {"bilinear-corners", true, {.corners = true}},
    {"nearest", true, {.nearest = true}},
};

double draw(const std::string& init, double std, std::uint64_t seed, std::uint64_t counter) {
  const double p = random_unit(seed, counter);
  if (init == "uniform") return std * (2 * p - 1);
  if (init == "normal") return std * normal_quantile(p);
  // Cut at two standard deviations and redrawn, as BERT does: the quantile of the middle part.
  const double outside = 0.5 * std::erfc(2 / std::sqrt(2.0));
  return std * normal_quantile(outside + p * (1 - 2 * outside));
}

// Rows that are asked for again and again: a diagnosis draws the same ones for each cause that it
// tries. The first ones are kept, 4 MiB of them.
class KeptRows {
 public:
  using Read = std::function<void(Index row, double* out)>;
  KeptRows(Index dim, Read make) : dim_(dim), make_(std::move(make)) {}

  void read(Index row, double* out) {
    const auto dim = static_cast<std::size_t>(dim_);
    {
      const std::scoped_lock alone(lock_);
      if (const auto found = rows_.find(row); found != rows_.end()) {
        std::ranges::copy(found->second, out);
        return;
      }
    }
    make_(row, out);
    const std::scoped_lock alone(lock_);
    if ((rows_.size() + 1) * dim <= most_numbers) rows_.try_emplace(row, out, out + dim);
  }

 private:
  static constexpr std::size_t most_numbers = std::size_t{1} << 19;

  Index dim_;
  Read make_;
  std::mutex lock_;
  std::unordered_map<Index, std::vector<double>> rows_;
};

// The rows that there are: doubles of row r at out.
struct Source {
  Index rows = 0, dim = 0;
  std::function<void(Index row, double* out)> read;
};

Source source_of(const Parameters& parameters) {
  if (parameters.has("input")) {
    const Array& table = parameters.tensor("input");
    if (table.rank() != 2 || table.size() == 0)
      throw UsageError(fmt::format("--input must hold a table [position, dim], got {} in {}",
                                   spell_shape(table.shape()), parameters.spell("input")));
    const Index dim = table.shape()[1];
    constexpr Index most = Index{1} << 20;
    if (dim > most)
      throw UsageError(fmt::format("--input holds rows of {} channels in {}, and {} may be", dim,
                                   parameters.spell("input"), most));
    return {table.shape()[0], dim,
            [table, dim](Index row, double* out) { table.read(row * dim, dim, out); }};
  }
  const Index dim = parameters.integer("dim");
  const auto seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  const auto kept = std::make_shared<KeptRows>(dim, [dim, seed, init = parameters.choice("init"),
                                                     std = parameters.number("std").value()](
                                                        Index row, double* out) {
    const std::uint64_t first = static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(dim);
    for (Index c = 0; c < dim; ++c)
      out[c] = draw(init, std, seed, first + static_cast<std::uint64_t>(c));
  });
  return {parameters.integer("rows"), dim,
          [kept](Index row, double* out) { kept->read(row, out); }};
}

// A longer table: what each of its rows is made of.
struct Extension {
  Index rows = 0;
  std::vector<Index> extents;  // of the grid that the rows are, when they are nothing else
  std::function<std::vector<Tap>(Index row)> taps;
};

// P(i·n + j) = α·u_i + (1−α)·u_j with u = (e − α·e_0)/(1−α), so that P(p) = e_p for p < n (Su 2020,
// kexue.fm/archives/7947; bert4keras layers.py). That is e_j + α/(1−α)·(e_i − e_0).
Extension hierarchical(const Parameters& parameters, Index n) {
  const Real alpha = parameters.number("alpha").real(), share = alpha / (1 - alpha);
  if (n > 94906265)
    throw UsageError(
        fmt::format("--extend hierarchical squares the rows, and {} squared is beyond 2^53", n));
  return {n * n, {}, [n, share](Index row) -> std::vector<Tap> {
            if (row < n) return {{row, 1}};
            return {{row % n, 1}, {row / n, share}, {0, -share}};
          }};
}

Extension resized_grid(const Parameters& parameters, const Resampling& rule, Index rows) {
  const Index prefix = parameters.integer("prefix"), patches = rows - prefix;
  if (!parameters.has("grid"))
    throw UsageError(fmt::format("--extend {} needs --grid HxW, the patches to resize to",
                                 parameters.choice("extend")));
  const std::vector<Index> to = parse_grid(parameters.choice("grid"), 2, "grid");
  const auto side =
      static_cast<Index>(std::llround(std::sqrt(static_cast<double>(std::max<Index>(patches, 0)))));
  const std::vector<Index> from = parameters.has("from-grid")
                                      ? parse_grid(parameters.choice("from-grid"), 2, "from-grid")
                                      : std::vector<Index>{side, side};
  if (patches < 1 || cells(from) != patches)
    throw UsageError(
        fmt::format("the table has {} rows behind --prefix {}, which is not the grid {}x{}: give "
                    "--prefix or --from-grid",
                    patches, prefix, from[0], from[1]));
  return {prefix + cells(to), prefix == 0 ? to : std::vector<Index>{},
          [=](Index row) -> std::vector<Tap> {
            if (row < prefix) return {{row, 1}};
            const Index cell = row - prefix;
            std::vector<Tap> product;
            for (const Tap& down : taps(rule, from[0], to[0], cell / to[1]))
              for (const Tap& across : taps(rule, from[1], to[1], cell % to[1]))
                product.push_back(
                    {prefix + down.source * from[1] + across.source, down.weight * across.weight});
            return product;
          }};
}

Extension extension_of(const Parameters& parameters, Index rows) {
  const std::string& name = parameters.choice("extend");
  if (name == "hierarchical") return hierarchical(parameters, rows);
  for (const Rule& rule : rules) {
    if (rule.name != name) continue;
    if (rule.grid) return resized_grid(parameters, rule.resampling, rows);
    if (!parameters.has("to"))
      throw UsageError(
          fmt::format("--extend {} needs --to, the rows to stretch the table to", name));
    const Index to = parameters.integer("to");
    return {to, {}, [resampling = rule.resampling, rows, to](Index row) {
              return taps(resampling, rows, to, row);
            }};
  }
  if (!parameters.has("grid")) return {rows, {}, {}};
  const std::vector<Index> extents = parse_grid(parameters.choice("grid"), 2, "grid");
  const Index prefix = parameters.integer("prefix");
  if (prefix > 0 && cells(extents) == rows - prefix) return {rows, {}, {}};
  if (cells(extents) != rows)
    throw UsageError(fmt::format(
        "--grid {} has {} patches and the table {} rows{}; --extend names rules that resize it",
        parameters.choice("grid"), cells(extents), rows,
        prefix > 0 ? fmt::format(", {} behind --prefix {}", rows - prefix, prefix)
        : cells(extents) < rows
            ? fmt::format(" (--prefix {} leaves out those in front)", rows - cells(extents))
            : ""));
  return {rows, extents, {}};
}

Twofold sum(Twofold a, Twofold b) {
  const Twofold high = two_sum(a.high, b.high);
  return two_sum(high.high, high.low + (a.low + b.low));
}

// Σ weight · row in double-double, rounded once.
void mix(const Source& source, const std::vector<Tap>& taps, DType dtype, std::vector<double>& row,
         std::vector<Twofold>& mixed) {
  mixed.assign(row.size(), {});
  for (const Tap& tap : taps) {
    const Twofold weight = to_twofold(tap.weight);
    source.read(tap.source, row.data());
    for (std::size_t c = 0; c < row.size(); ++c) mixed[c] = sum(mixed[c], multiply(weight, row[c]));
  }
  for (std::size_t c = 0; c < row.size(); ++c)
    row[c] = dtype == DType::f64 ? mixed[c].high : round_to_odd(mixed[c]);
}

Effect make(const Parameters& parameters, Index) {
  const Source source = source_of(parameters);
  const Extension extension = extension_of(parameters, source.rows);
  Table table;
  table.width = source.dim;
  table.rows = extension.rows;
  table.beyond = extension.taps ? "" : "--extend names rules that make more";
  if (!extension.extents.empty()) table.grid = grid_coordinates(extension.extents);
  table.fill = [source, taps = extension.taps](const PositionRange& positions, DType dtype,
                                               std::byte* out) {
    std::vector<double> row(static_cast<std::size_t>(source.dim));
    std::vector<Twofold> mixed;
    for (Index i = 0; i < positions.count; ++i) {
      if (taps)
        mix(source, taps(positions.at(i)), dtype, row, mixed);
      else
        source.read(positions.at(i), row.data());
      narrow(row, dtype, out + static_cast<std::size_t>(i) * row.size() * size_of(dtype));
    }
  };
  return table;
}

// Extended rows are sums of 4 x 4 taps at most, whose weights sum to at most 2.25 in magnitude:
// (16 + 8) roundings of terms of that size. Others are copies.
Drift drift(const Parameters& parameters, const Effect& effect, const Reach& reach) {
  Drift drift = copies_drift(parameters, effect, reach);
  if (parameters.choice("extend") == "none") return drift;
  constexpr Index most = 256;
  const auto& table = std::get<Table>(effect);
  std::vector<double> row(static_cast<std::size_t>(table.width));
  double largest = 0;
  const Index count = table.rows.value_or(most), step = std::max<Index>(1, count / most);
  for (Index position = 0; position < count; position += step) {
    table.fill({position, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(row.data()));
    for (const double value : row) largest = std::max(largest, std::fabs(value));
  }
  drift.absolute[0] = 24 * 2.25 * half_ulp_f32 * largest;
  drift.derivation =
      "54·2^-24 of the largest value probed: sums of up to 16 taps in float32; and one rounding to "
      "the dump's type";
  return drift;
}

}  // namespace

extern constinit const Encoding learned{
    .name = "learned",
    .also =
        "learnt learnable trained trainable absolute wpe position-embedding lookup "
        "可学习 可训练 绝对 绝对位置编码 训练式 学习 学习式 可学习绝对位置编码 vit "
        "vision-transformer",
    .summary = "a trained table from a file, or one drawn as before training",
    .source = "Gehring et al. 2017, arXiv:1705.03122; Devlin et al. 2018, arXiv:1810.04805",
    .kind = Kind::table,
    .parameters = schema,
    .accuracy =
        "Values of a file are passed on exactly, or rounded once when --dtype is narrower; "
        "extended rows are sums in double-double, rounded once.",
    .claims = "drawn:input pe",
    .promises = "finite deterministic length-invariant order-sensitive unique",
    .example = "learned --init normal --std 0.02 --seed 1 --length 4 --dim 8",
    .drift = &drift,
    .make = &make,
};

}  // namespace pe::encoding_rows
