// Fields of what is added to scores: biases and relative encodings, and small fields of any kind.
#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/twofold.hpp"
#include "pe/dialects/spell_parts.hpp"

namespace pe {

Axis counted(std::string name, Index count, std::string description) {
  return {std::move(name), first_positions(count), std::move(description)};
}

Field constants(std::string name, Axis axis, DType dtype, std::vector<Real> values) {
  return {.name = std::move(name),
          .description = {},
          .axes = {std::move(axis)},
          .dtype = dtype,
          .fill = [values = std::move(values), dtype](Index first, Index count, std::byte* out) {
            for (Index i = 0; i < count; ++i) {
              const double value = round_to_odd(values[static_cast<std::size_t>(first + i)]);
              narrow(std::span(&value, 1), dtype,
                     out + static_cast<std::size_t>(i) * size_of(dtype));
            }
          }};
}

namespace {

Axis offset_axis(const PositionRange& offsets) {
  return {"relative_position", offsets, "key position minus query position"};
}

Field spell_buckets(const Buckets& buckets, const Span& span) {
  return {
      .name = "bucket",
      .description = {},
      .axes = {offset_axis(span.offsets)},
      .dtype = DType::i32,
      .fill = [of = buckets.of, offsets = span.offsets](Index first, Index count, std::byte* out) {
        for (Index i = 0; i < count; ++i) {
          const auto bucket = static_cast<double>(of(0, offsets.at(first + i)));
          narrow(std::span(&bucket, 1), DType::i32,
                 out + static_cast<std::size_t>(i) * sizeof(std::int32_t));
        }
      }};
}

// One number for each query and key, from `value`.
Field spell_pairs(std::string_view name, const PositionRange& positions, DType dtype,
                  std::function<double(std::int64_t, std::int64_t)> value) {
  return {
      .name = std::string(name),
      .description = {},
      .axes = {{"query", positions, "query position"}, {"key", positions, "key position"}},
      .dtype = dtype,
      .fill = [=, value = std::move(value)](Index first, Index count, std::byte* out) {
        std::vector<double> line(static_cast<std::size_t>(positions.count));
        for (Index i = 0; i < count; ++i) {
          for (Index key = 0; key < positions.count; ++key)
            line[static_cast<std::size_t>(key)] = value(positions.at(first + i), positions.at(key));
          narrow(line, dtype, out + static_cast<std::size_t>(i * positions.count) * size_of(dtype));
        }
      }};
}

Field spell_index(const Buckets& buckets, const PositionRange& positions) {
  return spell_pairs("index", positions, DType::i32,
                     [of = buckets.of](std::int64_t query, std::int64_t key) {
                       return static_cast<double>(of(query, key));
                     });
}

// [bucket, dim], or [head, bucket, dim] where heads have tables of their own.
Field spell_table(const Array& table, DType dtype, std::string_view name) {
  std::vector<Axis> axes = {
      counted("bucket", table.shape().end()[-2], "bucket of relative positions"),
      counted("dim", table.shape().back(), "channel of the head")};
  if (table.rank() == 3)
    axes.insert(axes.begin(), counted("head", table.shape()[0], "attention head"));
  return {.name = std::string(name),
          .description = {},
          .axes = std::move(axes),
          .dtype = dtype,
          .fill = [table, width = table.shape().back(), dtype](Index first, Index count,
                                                               std::byte* out) {
            std::vector<double> values(static_cast<std::size_t>(count * width));
            table.read(first * width, count * width, values.data());
            narrow(values, dtype, out);
          }};
}

// The sinusoid that stands behind each relative position.
Field spell_sinusoids(const Relative& relative, const Span& span, DType dtype) {
  const Table& table = *relative.sinusoids;
  return {.name = "sinusoid",
          .description = {},
          .axes = {offset_axis(span.offsets), counted("dim", table.width, "channel")},
          .dtype = dtype,
          .fill = [fill = table.fill, width = table.width, of = relative.buckets.of,
                   origin = relative.first_sinusoid, offsets = span.offsets,
                   dtype](Index first, Index count, std::byte* out) {
            for (Index i = 0; i < count; ++i)
              fill({of(0, offsets.at(first + i)) + origin, 1, 1, 0}, dtype,
                   out + static_cast<std::size_t>(i * width) * size_of(dtype));
          }};
}

}  // namespace

Field spell_field(const Bias& bias, const Span& span, DType dtype, std::string_view name) {
  const PositionRange positions = span.positions;
  if (positions.decimals != 0) throw UsageError("--positions must be whole numbers for a bias");
  if (name == "slope")
    return bias.slopes.empty() ? Field{}
                               : constants("slope", counted("head", bias.heads, "attention head"),
                                           dtype, bias.slopes);
  if (name == "bucket")
    return bias.buckets && bias.buckets->by_offset ? spell_buckets(*bias.buckets, span) : Field{};
  if (const auto series = std::ranges::find(bias.series, name, &Series::name);
      series != bias.series.end())
    return constants(series->name, series->axis, dtype, series->values);
  if (name == "index" && bias.buckets) {
    check_rows(bias, positions);
    return spell_index(*bias.buckets, positions);
  }
  if (name == "argument" && bias.argument)
    return spell_pairs(name, positions, dtype,
                       [argument = bias.argument](std::int64_t query, std::int64_t key) {
                         return round_to_odd(argument(query, key));
                       });
  if (name != "bias" || !bias.fill) return {};
  check_rows(bias, positions);
  return {.name = "bias",
          .description = {},
          .axes = {counted("head", bias.heads, "attention head"),
                   {"query", positions, "query position"},
                   {"key", positions, "key position"}},
          .dtype = dtype,
          .fill = [fill = bias.fill, positions, dtype](Index first, Index count, std::byte* out) {
            const std::size_t line = static_cast<std::size_t>(positions.count) * size_of(dtype);
            for (Index i = 0; i < count; ++i)
              fill((first + i) / positions.count, positions.at((first + i) % positions.count),
                   positions, dtype, out + static_cast<std::size_t>(i) * line);
          }};
}

Field spell_field(const Relative& relative, const Span& span, DType dtype, std::string_view name) {
  if (span.positions.decimals != 0)
    throw UsageError("--positions must be whole numbers for relative positions");
  if (name == "bucket")
    return relative.buckets.by_offset ? spell_buckets(relative.buckets, span) : Field{};
  if (name == "index") return spell_index(relative.buckets, span.positions);
  if (name == "value_table")
    return relative.values ? spell_table(*relative.values, dtype, name) : Field{};
  if (name == "sinusoid")
    return relative.sinusoids ? spell_sinusoids(relative, span, dtype) : Field{};
  // A grid has a table along either axis, others have one that counts.
  const bool on_grid = relative.buckets.positions.has_value();
  if (on_grid != (name != "table")) return {};
  const std::string_view meant = name == "row_table"      ? "content_row"
                                 : name == "column_table" ? "content_column"
                                                          : "";
  const auto has_table = [&](const RelativeTerm& term) {
    return term.right == RelativeTerm::Right::table && (meant.empty() || term.name == meant);
  };
  const auto term = std::ranges::find_if(relative.terms, has_table);
  return term == relative.terms.end() ? Field{} : spell_table(term->table, dtype, name);
}

}  // namespace pe
