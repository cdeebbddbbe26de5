// Rounding to what is certain, and several sheets as one.
#include "pe/analyze/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double place_of(const Axis& axis, Index i) {
  return axis.places.empty() ? axis.coordinates.value(i) : axis.places[static_cast<std::size_t>(i)];
}

void refuse_unlike(const std::string& one, const Sheet& a, const std::string& other,
                   const Sheet& b) {
  const auto spell = [](const Sheet& sheet) {
    std::string text;
    for (const Axis& axis : sheet.axes) text += (text.empty() ? "" : ", ") + axis.name;
    for (const Column& column : sheet.columns) text += ", " + column.name;
    return text;
  };
  if (spell(a) != spell(b))
    throw UsageError(fmt::format("{} and {} do not stand in one table: {} against {}", one, other,
                                 spell(a), spell(b)));
}

// Every coordinate of either axis: names in the order in which they come up, numbers rising.
Axis united(const Axis& a, const Axis& b) {
  if (a == b) return a;
  if (!a.labels.empty()) {
    std::vector<std::string> labels = a.labels;
    for (const std::string& label : b.labels)
      if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    return named_axis(a.name, labels, a.description);
  }
  const auto starts_alike = [](const PositionRange& run, const PositionRange& other) {
    return run.first == other.first && run.step == other.step && run.decimals == other.decimals;
  };
  if (a.places.empty() && b.places.empty() && starts_alike(a.coordinates, b.coordinates))
    return a.coordinates.count >= b.coordinates.count ? a : b;
  std::vector<double> places;
  for (Index i = 0; i < a.coordinates.count; ++i) places.push_back(place_of(a, i));
  for (Index i = 0; i < b.coordinates.count; ++i) places.push_back(place_of(b, i));
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return placed_axis(a.name, places, a.description);
}

// Which index of `whole` each index of `part` is.
std::vector<Index> indices_in(const Axis& whole, const Axis& part) {
  std::vector<Index> indices;
  Index at = 0;
  for (Index i = 0; i < part.coordinates.count; ++i) {
    const auto here = [&](Index j) {
      return whole.labels.empty() ? place_of(whole, j) == place_of(part, i)
                                  : whole.labels[static_cast<std::size_t>(j)] ==
                                        part.labels[static_cast<std::size_t>(i)];
    };
    for (Index tried = 0; tried < whole.coordinates.count && !here(at); ++tried)
      at = (at + 1) % whole.coordinates.count;
    indices.push_back(at);
  }
  return indices;
}

// Calls visit(point, point in the whole) for every point of a sheet.
template <typename Visit>
void for_points(const Sheet& part, const std::vector<Axis>& whole, Visit visit) {
  std::vector<std::vector<Index>> indices;
  for (std::size_t axis = 0; axis < whole.size(); ++axis)
    indices.push_back(indices_in(whole[axis], part.axes[axis]));
  for (Index point = 0; point < part.points(); ++point) {
    Index rest = point, target = 0, stride = 1;
    for (std::size_t axis = whole.size(); axis-- > 0;) {
      const Index count = part.axes[axis].coordinates.count;
      target += stride * indices[axis][static_cast<std::size_t>(rest % count)];
      stride *= whole[axis].coordinates.count;
      rest /= count;
    }
    visit(static_cast<std::size_t>(point), static_cast<std::size_t>(target));
  }
}

// The index of a word among the words of the whole, which it joins where it is new.
double word_in(std::vector<std::string>& words, const std::string& word) {
  const auto found = std::ranges::find(words, word);
  const auto index = found - words.begin();
  if (found == words.end()) words.push_back(word);
  return static_cast<double>(index);
}

Field field_of(const Sheet& sheet, const Column& column) {
  const auto values = std::make_shared<std::vector<double>>(column.values);
  const bool is_words = !column.words.empty();
  for (std::size_t i = 0; i < values->size() && !is_words; ++i) {
    if (i % 4096 == 0) ask_time();
    (*values)[i] = rounded((*values)[i], column.error);
  }
  Field field{.name = column.name,
              .description = column.description,
              .axes = sheet.axes,
              .dtype = is_words ? DType::i64 : DType::f64,
              .fill = {},
              .words = column.words};
  const Index size = field.line_size();
  field.fill = [values, size, is_words](Index first, Index lines, std::byte* out) {
    const double* from = values->data() + first * size;
    for (Index i = 0; i < lines * size; ++i, out += 8) {
      const std::int64_t word =
          is_words && !std::isnan(from[i]) ? static_cast<std::int64_t>(from[i]) : -1;
      if (is_words)
        std::memcpy(out, &word, 8);
      else
        std::memcpy(out, from + i, 8);
    }
  };
  return field;
}

}  // namespace

Column Column::of_words(std::string name, std::string description,
                        const std::vector<std::string>& texts) {
  Column column{.name = std::move(name), .description = std::move(description), .values = {}};
  for (const std::string& text : texts) column.values.push_back(word_in(column.words, text));
  return column;
}

Index Sheet::points() const {
  Index points = 1;
  for (const Axis& axis : axes) points *= axis.coordinates.count;
  return points;
}

Axis counted_axis(std::string name, Index count, std::string description) {
  return {std::move(name), first_positions(count), std::move(description)};
}

Axis placed_axis(std::string name, std::vector<double> places, std::string description) {
  const PositionRange run = first_positions(static_cast<Index>(places.size()));
  return {std::move(name), run, std::move(description), {}, std::move(places)};
}

Axis named_axis(std::string name, std::vector<std::string> labels, std::string description) {
  const PositionRange run = first_positions(static_cast<Index>(labels.size()));
  return {std::move(name), run, std::move(description), std::move(labels)};
}

double rounded(double value, const Error& error) {
  const double away = error.absolute + error.relative * std::fabs(value);
  if (!std::isfinite(value) || value == 0 || !(away > 0)) return value;
  // Half a unit of the place for the error, half for the rounding. Subnormal errors have a
  // logarithm too.
  const int place = static_cast<int>(std::ceil(std::log10(away) + std::log10(2.0)));
  const int behind_first = static_cast<int>(std::floor(std::log10(std::fabs(value)))) - place;
  if (behind_first > 17) return value;
  if (behind_first >= 0)
    return std::strtod(fmt::format("{:.{}e}", value, behind_first).c_str(), nullptr);
  // Less than one unit of the place: that unit or nothing.
  const double unit = std::strtod(fmt::format("1e{}", place).c_str(), nullptr);
  return std::fabs(value) < unit / 2 ? 0 : std::copysign(unit, value);
}

Sheet compared(const std::vector<std::pair<std::string, Sheet>>& sheets) {
  const auto& [first_name, first] = sheets.front();
  std::vector<std::string> names;
  std::vector<Axis> axes = first.axes;
  for (const auto& [name, sheet] : sheets) {
    refuse_unlike(first_name, first, name, sheet);
    names.push_back(name);
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = united(axes[i], sheet.axes[i]);
  }
  Sheet all{
      .axes = {named_axis("subject", names, "what was analysed")}, .columns = {}, .notes = {}};
  Index points = 1;
  for (const Axis& axis : axes) points *= axis.coordinates.count;
  all.axes.insert(all.axes.end(), axes.begin(), axes.end());
  for (std::size_t i = 0; i < first.columns.size(); ++i) {
    Column column = first.columns[i];
    column.values.assign(static_cast<std::size_t>(all.points()), none);
    std::size_t start = 0;
    for (const auto& [name, sheet] : sheets) {
      const Column& from = sheet.columns[i];
      column.error.absolute = std::max(column.error.absolute, from.error.absolute);
      column.error.relative = std::max(column.error.relative, from.error.relative);
      for_points(sheet, axes, [&](std::size_t point, std::size_t target) {
        const double value = from.values[point];
        column.values[start + target] =
            from.words.empty() || std::isnan(value)
                ? value
                : word_in(column.words, from.words[static_cast<std::size_t>(value)]);
      });
      start += static_cast<std::size_t>(points);
    }
    all.columns.push_back(std::move(column));
  }
  for (const auto& [name, sheet] : sheets)
    for (const std::string& note : sheet.notes) all.notes.push_back(name + ": " + note);
  return all;
}

void choose_columns(Sheet& sheet, const std::vector<std::string>& names) {
  std::vector<Column> chosen;
  std::vector<std::string> known;
  for (const Column& column : sheet.columns) known.push_back(column.name);
  for (const std::string& name : names) {
    const auto found = std::ranges::find(sheet.columns, name, &Column::name);
    if (found == sheet.columns.end())
      throw UsageError(
          fmt::format("--fields: no column '{}': there are {}", name, fmt::join(known, ", ")));
    chosen.push_back(*found);
  }
  sheet.columns = std::move(chosen);
}

std::vector<Field> fields_of(const Sheet& sheet) {
  std::vector<Field> fields;
  for (const Column& column : sheet.columns) {
    if (static_cast<Index>(column.values.size()) != sheet.points())
      throw MathError(fmt::format("the column {} has {} values for {} points", column.name,
                                  column.values.size(), sheet.points()));
    fields.push_back(field_of(sheet, column));
  }
  return fields;
}

}  // namespace pe
