// Columns as arrays: NAME_0, NAME_1, … stand side by side in one, and a tidy file has the axes that
// it names.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "pe/io/csv.hpp"

namespace pe::io {
namespace {

// Columns that name a place, where they stand before the data; what pandas calls its index has no
// name.
constexpr std::string_view coordinates[] = {
    "position", "pair",   "head",  "query",   "key",       "relative_position",
    "bucket",   "dim",    "index", "channel", "frequency", "batch",
    "row",      "offset", "token", ""};

struct Group {
  std::string name;
  std::vector<Index> columns;
  bool is_row = false;  // an axis of columns, though it may be one alone
};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

Index count_coordinates(const CsvTable& table) {
  Index count = 0;
  for (const std::string& name : table.header) {
    if (count + 1 >= table.columns || std::ranges::find(coordinates, name) == std::end(coordinates))
      break;
    ++count;
  }
  return count;
}

// The columns of data, by name, in the order of the names; within one, by number.
std::vector<Group> groups_of(const CsvTable& table, Index first) {
  struct Column {
    std::size_t group;
    double number;
    Index column;
  };
  std::vector<Group> groups;
  std::vector<Column> columns;
  std::map<std::pair<std::string, bool>, std::size_t> known;
  for (Index i = first; i < table.columns; ++i) {
    const std::string title = table.header.empty() ? "" : table.header[static_cast<std::size_t>(i)];
    const std::size_t score = title.rfind('_');
    std::string name = title;
    std::optional<double> number = number_in(title);
    if (number) {
      name.clear();
    } else if (score != std::string::npos && score > 0) {
      number = number_in(std::string_view(title).substr(score + 1));
      if (number) name.resize(score);
    }
    if (table.header.empty()) number = static_cast<double>(i);
    const bool is_row = number.has_value();
    const auto [place, is_new] = known.try_emplace({name, is_row}, groups.size());
    if (is_new) groups.push_back({name, {}, is_row});
    columns.push_back({place->second, number.value_or(static_cast<double>(i)), i});
  }
  std::ranges::stable_sort(columns, {}, [](const Column& column) { return column.number; });
  for (const Column& column : columns) groups[column.group].columns.push_back(column.column);
  return groups;
}

// The rows of a file that has one for each cell of a grid, in the grid's order.
struct Grid {
  std::vector<std::vector<double>> axes;
  std::vector<Index> rows;
};

std::optional<Grid> grid_of(const CsvTable& table, Index count) {
  if (count < 2) return std::nullopt;
  Grid grid;
  std::vector<Index> places(static_cast<std::size_t>(table.rows), 0);
  Index cells = 1;
  for (Index axis = 0; axis < count; ++axis) {
    const auto at = [&](Index row) {
      return table.values[static_cast<std::size_t>(row * table.columns + axis)];
    };
    std::vector<double> values;
    for (Index row = 0; row < table.rows; ++row) values.push_back(at(row));
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      return std::nullopt;
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto extent = static_cast<Index>(values.size());
    if (__builtin_mul_overflow(cells, extent, &cells) || cells > table.rows) return std::nullopt;
    for (Index row = 0; row < table.rows; ++row) {
      Index& place = places[static_cast<std::size_t>(row)];
      place = place * extent + (std::ranges::lower_bound(values, at(row)) - values.begin());
    }
    grid.axes.push_back(std::move(values));
  }
  if (cells != table.rows) return std::nullopt;
  grid.rows.assign(static_cast<std::size_t>(cells), -1);
  for (Index row = 0; row < table.rows; ++row) {
    Index& cell = grid.rows[static_cast<std::size_t>(places[static_cast<std::size_t>(row)])];
    if (cell >= 0) return std::nullopt;
    cell = row;
  }
  return grid;
}

Array array_of(const std::vector<double>& values, std::vector<Index> shape) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {DType::f64, std::move(shape), std::move(bytes)};
}

Array array_of(const CsvTable& table, const std::optional<Grid>& grid,
               const std::vector<Index>& columns, bool is_row) {
  std::vector<Index> shape{table.rows};
  if (grid) {
    shape.clear();
    for (const auto& axis : grid->axes) shape.push_back(static_cast<Index>(axis.size()));
  }
  if (is_row) shape.push_back(static_cast<Index>(columns.size()));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(table.rows) * columns.size());
  for (Index i = 0; i < table.rows; ++i) {
    const Index row = grid ? grid->rows[static_cast<std::size_t>(i)] : i;
    for (const Index column : columns)
      values.push_back(table.values[static_cast<std::size_t>(row * table.columns + column)]);
  }
  return array_of(values, std::move(shape));
}

}  // namespace

std::vector<Offered> open_csv(const std::shared_ptr<const Source>& source, const RawForm&) {
  const CsvTable table = read_csv_table(*source);
  const Index first = count_coordinates(table);
  const auto grid = grid_of(table, first);
  std::vector<Offered> arrays;
  const auto put = [&](const std::string& name, const Array& array) {
    arrays.push_back({stored(array, name, ""), "", false});
  };
  for (Index i = 0; i < first; ++i) {
    const std::string& name = table.header[static_cast<std::size_t>(i)];
    if (name.empty()) continue;
    if (grid) {
      const std::vector<double>& axis = grid->axes[static_cast<std::size_t>(i)];
      put(name, array_of(axis, {static_cast<Index>(axis.size())}));
    } else {
      put(name, array_of(table, grid, {i}, false));
    }
  }
  for (const Group& group : groups_of(table, first)) {
    const bool is_list = table.header.empty() && table.columns == 1;
    put(group.name, array_of(table, grid, group.columns, group.is_row && !is_list));
  }
  return arrays;
}

Array read_csv(const Source& source) {
  const CsvTable table = read_csv_table(source);
  const Index first = count_coordinates(table);
  std::vector<Index> columns;
  for (Index i = first; i < table.columns; ++i) columns.push_back(i);
  const auto grid = columns.size() == 1 ? grid_of(table, first) : std::nullopt;
  return array_of(table, grid, columns, !grid);
}

}  // namespace pe::io
