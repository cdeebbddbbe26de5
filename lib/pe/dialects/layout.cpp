// A dialect's fields: its arrays, filled by its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/dialects/chosen_fields.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

Axis counted(std::string name, Index count, std::string description) {
  return {std::move(name), first_positions(count), std::move(description)};
}

// Writes float32 values in the dtype: the codebase has them in float32 first.
void write(const std::vector<float>& values, DType dtype, std::byte* out) {
  const std::vector<double> wide(values.begin(), values.end());
  narrow(wide, dtype, out);
}

// The row of one position: angles in, the elements of one array out. `part` is 0 for cos, 1 for
// sin, where they have an array each. `scales` multiply or divide the pairs; empty: there are none.
void put(const ArrayLayout& layout, const std::vector<float>& angles, const Steps& steps, int part,
         const std::vector<float>& scales, bool divide, float* row) {
  const auto pairs = static_cast<Index>(angles.size());
  for (Index j = 0; j < pairs; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const float angle = angles[at];
    const auto place = [&](const ArrayLayout::Spot& spot, float value) {
      row[spot.at(j, pairs)] = scales.empty() ? value
                               : divide       ? value / scales[at]
                                              : value * scales[at];
    };
    if (part == 0) {
      const float value = layout.angles ? angle : steps.cosine(angle);
      place(layout.cosine, value);
      if (layout.copy) place(*layout.copy, value);
    }
    if (part == 1 || (layout.arrays == 1 && !layout.angles)) {
      const float value = steps.sine(angle);
      place(layout.sine, value);
      if (const auto copy = layout.sine_copy()) place(*copy, value);
    }
  }
}

std::vector<Axis> axes_of(const Dialect& dialect, const PositionRange& positions, Index pairs) {
  std::vector<Axis> axes{{"position", positions, "position in the sequence"}};
  switch (dialect.keeping) {
    case Keeping::pairs:
      axes.push_back(counted("pair", pairs, "pair of channels"));
      break;
    case Keeping::turns:
      axes.push_back(counted("pair", pairs, "pair of channels"));
      axes.push_back(counted("part", 2, "cosine, sine"));
      break;
    case Keeping::angles_halves:
      axes.push_back(counted("batch", 1, "one for all sequences"));
      axes.push_back(counted("head", 1, "one for all heads"));
      axes.push_back(counted("dim", 2 * pairs, "channel of the head"));
      break;
    default:
      axes.push_back(counted("dim", row_of(dialect.keeping).width * pairs, "channel of the head"));
  }
  return axes;
}

// Whose scales an array of turns carries.
using Carried = std::optional<std::pair<ScaleRule, Side>>;

Field turns_field(const Dialect& dialect, const ArrayLayout& layout, const Steps& steps,
                  const PositionRange& positions, DType dtype, std::string name, int part,
                  const Carried& carried) {
  const auto pairs = static_cast<Index>(steps.frequencies.size());
  Field field{.name = std::move(name),
              .description = std::string(dialect.summary),
              .axes = axes_of(dialect, positions, pairs),
              .dtype = dtype,
              .fill = {}};
  const Index lines =
      dialect.keeping == Keeping::turns ? pairs : 1;  // a position's row is this many lines
  field.fill = [=, scales_of = dialect.scales, width = pairs * layout.width](
                   Index first, Index count, std::byte* out) {
    std::vector<float> angles(static_cast<std::size_t>(pairs)), scales(carried ? angles.size() : 0),
        row(static_cast<std::size_t>(width));
    const Index line = width / lines;
    for (Index i = 0; i < count;) {
      const Index position = (first + i) / lines, start = (first + i) % lines,
                  taken = std::min(lines - start, count - i);
      steps.angles(positions.value(position), angles.data());
      if (carried) scales_of(carried->first, positions.value(position), scales.data());
      put(layout, angles, steps, part, scales, carried && carried->second == Side::key, row.data());
      const auto from = row.begin() + start * line;
      write(std::vector<float>(from, from + taken * line), dtype,
            out + static_cast<std::size_t>(i * line) * size_of(dtype));
      i += taken;
    }
  };
  return field;
}

Field constants(std::string name, std::vector<Axis> axes, std::string description, DType dtype,
                std::vector<float> values) {
  return {.name = std::move(name),
          .description = std::move(description),
          .axes = std::move(axes),
          .dtype = dtype,
          .fill = [values = std::move(values), dtype](Index first, Index count, std::byte* out) {
            write(std::vector<float>(values.begin() + first, values.begin() + first + count), dtype,
                  out);
          }};
}

// What the dialect has rules for, where it has none for what is asked.
[[noreturn]] void refuse_unspoken(const Dialect& dialect) {
  std::vector<std::string> spoken;
  if (dialect.steps) spoken.emplace_back("rope");
  if (dialect.scales) spoken.emplace_back("xpos");
  if (dialect.lanes > 0) spoken.emplace_back("alibi");
  if (dialect.lanes > 0) spoken.emplace_back("bucketed biases");
  if (dialect.exponential) spoken.emplace_back("sinusoidal");
  if (spoken.empty()) spoken.emplace_back("tables");
  std::string list;
  for (std::size_t i = 0; i < spoken.size(); ++i)
    list += (i == 0 ? "" : i + 1 == spoken.size() ? " and " : ", ") + spoken[i];
  throw UsageError(
      fmt::format("dialect {} has no rule for this encoding: it speaks of {}", dialect.name, list));
}

// Whether a codebase's steps make the turns: of one ladder, by the position alone.
bool on_a_line(const Rotation& rotation) { return rotation.recipe && !rotation.coordinates; }

// The names of one side's arrays of turns: the dialect's own, the key's with _k behind.
std::vector<std::string> arrays_of(const Dialect& dialect, bool key) {
  std::vector<std::string> names = words(dialect.array);
  if (names.empty()) names = {"cos", "sin"};
  for (std::string& name : names) name += key ? "_k" : "";
  return names;
}

std::vector<Field> rotation_fields(const Rotation& rotation, const Span& span, DType dtype,
                                   const Dialect& dialect) {
  if (!dialect.steps || !on_a_line(rotation) || !rotation.waves ||
      (rotation.scale_rule && !dialect.scales))
    refuse_unspoken(dialect);
  const Steps steps = dialect.steps(rotation);
  std::vector<Field> fields;
  const ArrayLayout& layout = row_of(keeping_of(dialect, rotation.pairing));
  for (const Side side : {Side::query, Side::key}) {
    if (side == Side::key && !rotation.scale_rule) continue;
    const std::vector<std::string> names = arrays_of(dialect, side == Side::key);
    const Carried carried =
        rotation.scale_rule ? Carried({*rotation.scale_rule, side}) : std::nullopt;
    for (int part = 0; part < layout.arrays; ++part)
      fields.push_back(turns_field(dialect, layout, steps, span.positions, dtype,
                                   names[static_cast<std::size_t>(part)], part, carried));
  }
  fields.push_back(constants("inv_freq", {counted("pair", rotation.pairs, "pair of channels")},
                             "frequency of each pair, radians per position, as the codebase has it",
                             dtype, steps.frequencies));
  fields.push_back(
      constants("attention_factor", {}, "what multiplies cos and sin", dtype, {steps.magnitude}));
  return fields;
}

// ALiBi's slopes as powers in float32: base^1 … base^n, and odd powers of the next ladder's
// (transformers, Bloom's build_alibi_tensor).
std::vector<float> slopes_of(Index heads, int lanes) {
  Index lower = 1;
  while (2 * lower <= heads) lower *= 2;
  const auto base = static_cast<float>(std::exp2(-8.0 / static_cast<double>(lower))),
             extra = static_cast<float>(std::exp2(-4.0 / static_cast<double>(lower)));
  std::vector<float> whole, odd;
  for (Index h = 1; h <= lower; ++h) whole.push_back(static_cast<float>(h));
  for (Index h = 0; h < heads - lower; ++h) odd.push_back(static_cast<float>(2 * h + 1));
  std::vector<float> slopes = torch_powers(base, whole, lanes);
  std::ranges::copy(torch_powers(extra, odd, lanes), std::back_inserter(slopes));
  return slopes;
}

// slope · key, the same in every row: softmax does not see the difference from −slope · distance.
std::vector<Field> bias_fields(const Bias& bias, const Span& span, DType dtype,
                               const Dialect& dialect) {
  if (dialect.lanes == 0 || bias.slopes.empty()) refuse_unspoken(dialect);
  const std::vector<float> slopes = slopes_of(bias.heads, dialect.lanes);
  const PositionRange positions = span.positions;
  Field field{.name = "bias",
              .description = "slope · key, in float32, to be added to scores",
              .axes = {counted("head", bias.heads, "attention head"),
                       counted("query", 1, "one row for all queries"),
                       {"key", positions, "key position"}},
              .dtype = dtype,
              .fill = {}};
  field.fill = [slopes, positions, dtype](Index first, Index count, std::byte* out) {
    std::vector<float> row(static_cast<std::size_t>(positions.count));
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < positions.count; ++k)
        row[static_cast<std::size_t>(k)] =
            slopes[static_cast<std::size_t>(first + i)] * static_cast<float>(positions.value(k));
      write(row, dtype, out + static_cast<std::size_t>(i * positions.count) * size_of(dtype));
    }
  };
  std::vector<Field> fields{std::move(field)};
  fields.push_back(constants("slope", {counted("head", bias.heads, "attention head")},
                             "slope of each head", dtype, slopes));
  return fields;
}

// f_j = exp(−j·step), angle = p·f_j, in float32; sine and cosine of it rounded once.
std::vector<Field> table_fields(const Table& table, const Span& span, DType dtype,
                                const Dialect& dialect) {
  if (!table.waves || table.waves->first.pairs() < 2) refuse_unspoken(dialect);
  if (table.tokens.count() > 0)
    throw UsageError(fmt::format(
        "dialect {} has no rows for tokens without a position: leave out --prefix", dialect.name));
  const auto& [waves, layout] = *table.waves;
  const auto step =
      static_cast<float>(to_double(log(waves.frequencies()[0] / waves.frequencies()[1])));
  std::vector<float> frequencies;
  for (Index j = 0; j < waves.pairs(); ++j)
    frequencies.push_back(dialect.exponential(static_cast<float>(j) * -step));
  Field field{.name = "pe",
              .description = std::string(dialect.summary),
              .axes = {{"position", span.positions, "position in the sequence"},
                       counted("dim", table.width, "channel")},
              .dtype = dtype,
              .fill = {}};
  field.fill = [frequencies, place = layout, positions = span.positions, width = table.width,
                dtype](Index first, Index count, std::byte* out) {
    std::vector<float> row(static_cast<std::size_t>(width));
    const Steps steps;
    for (Index i = 0; i < count; ++i) {
      const auto p = static_cast<float>(positions.value(first + i));
      for (std::size_t j = 0; j < frequencies.size(); ++j)
        for (const int part : {0, 1})
          if (const auto& side = part == 0 ? place.cosine : place.sine)
            row[static_cast<std::size_t>(side->offset + static_cast<Index>(j) * side->step)] =
                part == 0 ? steps.cosine(p * frequencies[j]) : steps.sine(p * frequencies[j]);
      write(row, dtype, out + static_cast<std::size_t>(i * width) * size_of(dtype));
    }
  };
  std::vector<Field> fields{std::move(field)};
  fields.push_back(constants("inv_freq", {counted("pair", waves.pairs(), "pair of channels")},
                             "frequency of each pair", dtype, frequencies));
  return fields;
}

// A table dialect without steps of its own is exact, and so are buckets where transformers' were
// found to be (data/parity/t5.txt).
bool is_exact(const Effect& effect, const Dialect& dialect) {
  if (dialect.name == "exact") return true;
  if (std::holds_alternative<Table>(effect)) return !dialect.steps && !dialect.exponential;
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias && bias->slopes.empty() && bias->buckets && dialect.lanes > 0;
}

}  // namespace

Keeping keeping_of(const Dialect& dialect, Pairing pairing) {
  return dialect.keeping == Keeping::angles_halves && pairing == Pairing::adjacent
             ? Keeping::angles_adjacent
             : dialect.keeping;
}

std::vector<Field> spell(const Effect& effect, const Span& span, DType dtype,
                         const std::vector<std::string>& names, const Dialect& dialect) {
  if (is_exact(effect, dialect)) return spell(effect, span, dtype, names);
  std::vector<Field> fields;
  if (const Table* table = std::get_if<Table>(&effect); table && dialect.exponential)
    fields = table_fields(*table, span, dtype, dialect);
  if (const Rotation* rotation = std::get_if<Rotation>(&effect))
    fields = rotation_fields(*rotation, span, dtype, dialect);
  if (const Bias* bias = std::get_if<Bias>(&effect))
    fields = bias_fields(*bias, span, dtype, dialect);
  if (fields.empty()) refuse_unspoken(dialect);
  if (names.empty()) {
    const Rotation* rotation = std::get_if<Rotation>(&effect);
    const int arrays =
        rotation ? row_of(dialect.keeping).arrays * (rotation->scale_rule ? 2 : 1) : 1;
    fields.resize(static_cast<std::size_t>(arrays));
    return fields;
  }
  return chosen_fields(fields, names,
                       [&](const std::string& name, const std::vector<std::string>& known) {
                         return fmt::format("no field '{}' in dialect {}: choose from {}", name,
                                            dialect.name, fmt::join(known, ", "));
                       });
}

Parting part(const Rotation& rotation, const Rotation& exact, const PositionRange& positions,
             const Dialect& dialect, double limit) {
  Parting parting{.dialect = &dialect};
  if (!dialect.steps || !on_a_line(rotation)) refuse_unspoken(dialect);
  const Steps steps = dialect.steps(rotation);
  const auto pairs = static_cast<std::size_t>(exact.pairs);
  for (std::size_t j = 0; j < pairs; ++j) {
    const double truth = to_double(exact.waves->frequencies()[j]);
    const double off =
        truth == 0 ? 0 : std::fabs(static_cast<double>(steps.frequencies[j]) / truth - 1);
    if (off > parting.frequency) {
      parting.frequency = off;
      parting.frequency_pair = static_cast<Index>(j);
    }
  }
  std::vector<double> truth(2 * pairs);
  std::vector<float> angles(pairs);
  for (Index i = 0; i < positions.count; ++i) {
    exact.fill(positions.slice(i, 1), DType::f64, reinterpret_cast<std::byte*>(truth.data()),
               reinterpret_cast<std::byte*>(truth.data() + pairs));
    steps.angles(positions.value(i), angles.data());
    for (std::size_t j = 0; j < pairs; ++j) {
      const double off =
          std::max(std::fabs(static_cast<double>(steps.cosine(angles[j])) - truth[j]),
                   std::fabs(static_cast<double>(steps.sine(angles[j])) - truth[pairs + j]));
      if (off > parting.worst) {
        parting.worst = off;
        parting.position = positions.at(i);
        parting.pair = static_cast<Index>(j);
      }
      if (off > limit && parting.first < 0) parting.first = positions.at(i);
    }
  }
  return parting;
}

}  // namespace pe
