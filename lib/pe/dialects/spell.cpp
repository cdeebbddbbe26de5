// Fields of each kind: which there are, their axes, and how their lines are filled.
#include "pe/dialects/spell.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/dialects/chosen_fields.hpp"
#include "pe/dialects/rotation_forms.hpp"
#include "pe/dialects/spell_parts.hpp"
#include "pe/model/frequencies.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

constexpr FieldRow rows[] = {
    {"pe", Kind::table, "the encoding's row at each position"},
    {"inv_freq", Kind::table, "frequency of each pair, radians per position"},
    {"wavelength", Kind::table, "positions in a full turn of each pair"},
    {"drift", Kind::table, "distance of each row from the exact solution"},
    {"cos", Kind::rotation, "cosine of each turn, times the attention factor"},
    {"sin", Kind::rotation, "sine of each turn, times the attention factor"},
    {"inv_freq", Kind::rotation, "frequency of each pair after scaling, radians per position"},
    {"wavelength", Kind::rotation, "positions in a full turn of each pair, after scaling"},
    {"ratio", Kind::rotation, "frequency after scaling over the one before"},
    {"attention_factor", Kind::rotation, "what multiplies cos and sin"},
    {"angle", Kind::rotation, "turn of each pair in radians, not reduced"},
    {"complex", Kind::rotation, "cos + i sin of each turn"},
    {"matrix", Kind::rotation, "R(p): what each written channel takes from each channel read"},
    {"query_cos", Kind::rotation, "cosine of each turn, times the query's scale"},
    {"query_sin", Kind::rotation, "sine of each turn, times the query's scale"},
    {"key_cos", Kind::rotation, "cosine of each turn, times the key's scale"},
    {"key_sin", Kind::rotation, "sine of each turn, times the key's scale"},
    {"query_scale", Kind::rotation, "what multiplies the turned pairs of a query"},
    {"key_scale", Kind::rotation, "what multiplies the turned pairs of a key"},
    {"coordinate", Kind::rotation, "where each position stands along each axis"},
    {"bias", Kind::bias, "what is added to the score of query and key"},
    {"slope", Kind::bias, "penalty of each head for one position of distance"},
    {"bucket", Kind::bias, "bucket of each relative position (key − query)"},
    {"index", Kind::bias, "bucket of each query and key"},
    {"argument", Kind::bias, "what the bias of query and key is a function of"},
    {"r1", Kind::bias, "first parameter of each head's kernel"},
    {"r2", Kind::bias, "second parameter of each head's kernel"},
    {"compression", Kind::bias, "what each head divides the common bias by"},
    {"coordinate_h", Kind::bias, "log-spaced coordinate of each difference of rows"},
    {"coordinate_w", Kind::bias, "log-spaced coordinate of each difference of columns"},
    {"bucket", Kind::relative, "bucket of each relative position (key − query)"},
    {"index", Kind::relative, "bucket of each query and key"},
    {"sinusoid", Kind::relative, "each relative position's vector before any projection"},
    {"table", Kind::relative, "the first term's vector for each bucket"},
    {"row_table", Kind::relative, "vector of each difference of rows, met by the query"},
    {"column_table", Kind::relative, "vector of each difference of columns, met by the query"},
    {"value_table", Kind::relative, "vector added to the value, for each bucket"},
};

Axis position_axis(const PositionRange& positions) {
  return {"position", positions, "position in the sequence"};
}

// The axes of whole grids are named; a part of one is a run of positions.
std::vector<Axis> place_axes(const std::optional<Coordinates>& grid,
                             const PositionRange& positions) {
  if (!grid || grid->extents.empty() || positions != first_positions(*grid->count))
    return {position_axis(positions)};
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < grid->axes.size(); ++i)
    axes.push_back(counted(grid->axes[i], grid->extents[i], grid->axes[i] + " of the grid"));
  return axes;
}

std::vector<Real> wavelengths(const std::vector<Real>& frequencies) {
  std::vector<Real> wavelengths;
  for (const Real& frequency : frequencies) wavelengths.push_back(wavelength(frequency));
  return wavelengths;
}

void check_positions(const Table& table, const PositionRange& positions) {
  if (!table.rows) {
    if (positions.decimals != 0 && (!table.waves || table.tokens.count() > 0))
      throw UsageError("--positions must be whole numbers for this encoding");
    return;
  }
  if (positions.decimals != 0)
    throw UsageError(
        "--positions must be whole numbers: the table has no rows between two positions");
  const auto [low, high] = std::minmax({positions.at(0), positions.at(positions.count - 1)});
  if (low < 0 || high >= *table.rows)
    throw UsageError(fmt::format(
        "position {} lies outside the table, which has {} rows (0 to {}){}{}", low < 0 ? low : high,
        *table.rows, *table.rows - 1, table.beyond.empty() ? "" : ": ", table.beyond));
}

Field spell_field(const Table& table, const Span& span, DType dtype, std::string_view name) {
  if (name == "pe") {
    check_positions(table, span.positions);
    std::vector<Axis> axes = place_axes(table.grid, span.positions);
    axes.push_back(counted("dim", table.width, "channel"));
    return {.name = "pe",
            .description = {},
            .axes = std::move(axes),
            .dtype = dtype,
            .fill = [fill = table.fill, positions = span.positions, dtype](Index first, Index count,
                                                                           std::byte* out) {
              fill(positions.slice(first, count), dtype, out);
            }};
  }
  if (name == "drift") {
    if (!table.drift) return {};
    check_positions(table, span.positions);
    return {.name = "drift",
            .description = {},
            .axes = {position_axis(span.positions)},
            .dtype = dtype,
            .fill = [drift = table.drift, positions = span.positions, dtype](
                        Index first, Index count, std::byte* out) {
              std::vector<double> distances(static_cast<std::size_t>(count));
              drift(positions.slice(first, count), distances.data());
              narrow(distances, dtype, out);
            }};
  }
  if (!table.waves) return {};
  const auto& frequencies = table.waves->first.frequencies();
  const Axis pair = counted("pair", table.waves->first.pairs(), "pair of channels");
  if (name == "inv_freq") return constants("inv_freq", pair, dtype, frequencies);
  return constants("wavelength", pair, dtype, wavelengths(frequencies));
}

// The pair that each channel of the turning ones is written by.
std::vector<Index> pair_of_channel(const Rotation& rotation) {
  std::vector<Index> pairs(static_cast<std::size_t>(2 * rotation.pairs));
  for (Index j = 0; j < rotation.pairs; ++j)
    for (const Index channel : channels_of(rotation, j).out)
      pairs[static_cast<std::size_t>(channel - first_channel(rotation))] = j;
  return pairs;
}

// cos or sin with a column for each pair, or for each channel of the pairs.
Field spell_turns(const Rotation& rotation, const Span& span, DType dtype, bool sine) {
  const Index n = rotation.pairs;
  check_positions(rotation, span.positions);
  Field field{.name = sine ? "sin" : "cos",
              .description = {},
              .axes = place_axes(rotation.coordinates, span.positions),
              .dtype = dtype,
              .fill = {}};
  const auto pairwise = [fill = rotation.fill, positions = span.positions, dtype, sine](
                            Index first, Index count, std::byte* out) {
    fill(positions.slice(first, count), dtype, sine ? nullptr : out, sine ? out : nullptr);
  };
  if (!rotation.by_channel || !rotation.waves) {
    field.axes.push_back(counted("pair", n, "pair of channels"));
    field.fill = pairwise;
    return field;
  }
  field.axes.push_back(counted("dim", 2 * n, "channel of the head"));
  if (!rotation.parts.empty() || rotation.carries_scales) {
    field.fill = [pairwise, n, columns = pair_of_channel(rotation), size = size_of(dtype)](
                     Index first, Index count, std::byte* out) {
      std::vector<std::byte> turns(static_cast<std::size_t>(count * n) * size);
      pairwise(first, count, turns.data());
      for (Index row = 0; row < count; ++row)
        for (const Index pair : columns) {
          std::copy_n(turns.data() + static_cast<std::size_t>(row * n + pair) * size, size, out);
          out += size;
        }
    };
    return field;
  }
  const bool halves = rotation.pairing != Pairing::adjacent;
  WaveLayout layout{.width = 2 * n, .sine = {}, .cosine = {}};
  (sine ? layout.sine : layout.cosine) = halves ? Place{0, 1, 2, n} : Place{0, 2, 2, 1};
  field.fill = [waves = *rotation.waves, layout, positions = span.positions, dtype](
                   Index first, Index count, std::byte* out) {
    waves.fill(positions.slice(first, count), layout, dtype, out);
  };
  return field;
}

// Of a field that is one side's.
std::optional<Side> side_of(std::string_view name) {
  return name.starts_with("query_") ? std::optional(Side::query)
         : name.starts_with("key_") ? std::optional(Side::key)
                                    : std::nullopt;
}

Field spell_field(const Rotation& rotation, const Span& span, DType dtype, std::string_view name) {
  if (name == "cos" || name == "sin") return spell_turns(rotation, span, dtype, name == "sin");
  if (name == "complex") return spell_complex(rotation, span.positions, dtype);
  if (name == "matrix") return spell_matrix(rotation, span.positions, dtype);
  const bool stands = !rotation.coordinates || rotation.coordinates->at;
  if (!stands && (name == "coordinate" || name == "angle")) return {};
  if (name == "coordinate") return spell_coordinates(rotation, span.positions);
  if (const auto side = side_of(name)) {
    if (!rotation.scale) return {};
    if (name.ends_with("_scale")) return spell_scale(rotation, span.positions, dtype, *side);
    Field field =
        spell_turns(carrying_scales(rotation, *side), span, dtype, name.ends_with("_sin"));
    field.name = name;
    return field;
  }
  if (name == "angle") return spell_angles(rotation, span.positions, dtype);
  if (!rotation.waves) return {};
  const auto& frequencies = rotation.waves->frequencies();
  const Axis pair = counted("pair", rotation.pairs, "pair of channels");
  if (name == "inv_freq") return constants("inv_freq", pair, dtype, frequencies);
  if (name == "wavelength") return constants("wavelength", pair, dtype, wavelengths(frequencies));
  if (name == "attention_factor") {
    Field field = constants("attention_factor", {}, dtype, {rotation.waves->magnitude()});
    field.axes.clear();
    return field;
  }
  std::vector<Real> ratios;
  for (std::size_t pairs = 0; pairs < frequencies.size(); ++pairs)
    ratios.push_back(frequencies[pairs] / rotation.unscaled[pairs]);
  return constants("ratio", pair, dtype, std::move(ratios));
}

Field spell_one(const Effect& effect, const Span& span, DType dtype, std::string_view name) {
  return std::visit([&](const auto& kind) { return spell_field(kind, span, dtype, name); }, effect);
}

// Fields that the effect has, in catalogue order.
std::vector<Field> present(const Effect& effect, const Span& span, DType dtype) {
  std::vector<Field> fields;
  for (const FieldRow& row : rows) {
    if (row.kind != kind_of(effect)) continue;
    Field field = spell_one(effect, span, dtype, row.name);
    if (!field.fill) continue;
    field.description = row.description;
    fields.push_back(std::move(field));
  }
  return fields;
}

// "cos,sin" of "cos;sin", "cos+sin" and "cos/sin"; "": these are no fields of ours.
std::string parted_by_commas(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> parts(1);
  for (const char c : name)
    if (std::string_view(";+/|.:").find(c) != std::string_view::npos)
      parts.emplace_back();
    else
      parts.back() += c;
  const bool are_known = std::ranges::all_of(parts, [&](const std::string& part) {
    return std::ranges::find(known, part) != known.end();
  });
  return parts.size() > 1 && are_known ? fmt::format("{}", fmt::join(parts, ",")) : "";
}

// The name that is meant, by its letters or by what others call it; "": none.
std::string field_meant(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::string_view frequencies[] = {"theta",     "thetas",      "freq", "freqs",
                                              "frequency", "frequencies", "omega"};
  if (std::ranges::find(frequencies, name) != std::end(frequencies) &&
      std::ranges::find(known, "inv_freq") != known.end())
    return "inv_freq";
  return nearest(name, known);
}

std::string no_field(const std::string& name, const std::vector<std::string>& known,
                     const Effect& effect) {
  if (name.empty())
    return fmt::format("a comma of --fields has nothing beside it: choose from {}",
                       fmt::join(known, ", "));
  constexpr std::pair<std::string_view, std::string_view> of_dialects[] = {
      {"freqs_cis", "meta"}, {"cos_sin_cache", "vllm"}};
  for (const auto& [field, dialect] : of_dialects)
    if (name == field && std::holds_alternative<Rotation>(effect))
      return fmt::format("no field '{}' here: --dialect {} writes it", name, dialect);
  if (const std::string parted = parted_by_commas(name, known); !parted.empty())
    return fmt::format("no field '{}' here: did you mean {}?", name, parted);
  const Bias* bias = std::get_if<Bias>(&effect);
  const bool is_other = std::ranges::find(rows, name, &FieldRow::name) != std::end(rows);
  const std::string near = field_meant(name, known),
                    why =
                        bias && !bias->fill && name == "bias"
                            ? " (its numbers are trained: --weights gives them, --seed draws some)"
                        : is_other
                            ? " (other encodings have it, or other options: pe-gen list fields)"
                        : near.empty() ? ""
                                       : fmt::format(" (did you mean {}?)", near);
  return fmt::format("no field '{}' here{}: choose from {}", name, why, fmt::join(known, ", "));
}

}  // namespace

std::span<const FieldRow> all_fields() { return rows; }

std::optional<Index> rows_of(const Effect& effect) {
  if (const Table* table = std::get_if<Table>(&effect)) return table->rows;
  if (const Bias* bias = std::get_if<Bias>(&effect)) return bias->rows;
  if (const Relative* relative = std::get_if<Relative>(&effect)) return relative->buckets.positions;
  const Coordinates* coordinates = coordinates_of(effect);
  return coordinates ? coordinates->count : std::nullopt;
}

Span span_of_length(Index length) {
  return {first_positions(length), {1 - length, 1, 2 * length - 1, 0}};
}
Span span_of(const PositionRange& positions) { return {positions, positions}; }

std::vector<Field> spell(const Effect& effect, const Span& span, DType dtype,
                         const std::vector<std::string>& names) {
  std::vector<Field> fields = present(effect, span, dtype);
  if (names.empty()) {
    // The usual ones: a table's rows, a rotation's turns, a bias where it is known, else buckets.
    const std::string first = fields.front().name;
    std::erase_if(fields, [&](const Field& field) {
      return field.name != first && !(first == "cos" && field.name == "sin");
    });
    return fields;
  }
  return chosen_fields(fields, names,
                       [&](const std::string& name, const std::vector<std::string>& known) {
                         return no_field(name, known, effect);
                       });
}

}  // namespace pe
