// Columns as arrays: NAME_0, NAME_1, … stand side by side in one, and a tidy file has the axes that
// it names.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pe/io/axes.hpp"
#include "pe/io/csv.hpp"

namespace pe::io {
namespace {

// What other programs call places, and rows of buckets; what pandas calls its index has no name.
constexpr std::string_view called_otherwise[] = {"bucket", "channel", "index", "frequency",
                                                 "offset", "token",   ""};

// Whether a column, before the data, names a place.
bool is_coordinate(const std::string& name) {
  return is_place(name) || std::ranges::find(called_otherwise, name) != std::end(called_otherwise);
}

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
    if (count + 1 >= table.columns || !is_coordinate(name)) break;
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
  Held held = {};
  std::vector<std::vector<double>> axes;
  std::vector<Index> rows;
};

// Null where the file has no such rows.
std::shared_ptr<const Grid> grid_of(const Source& source, const CsvTable& table, Index count) {
  if (count < 2) return nullptr;
  auto made = std::make_shared<Grid>();
  Grid& grid = *made;
  // A number and two places for each row.
  constexpr std::uint64_t row_bytes = sizeof(double) + 2 * sizeof(Index);
  if (!grid.held.take(static_cast<std::uint64_t>(table.rows) * row_bytes))
    source.refuse("the places of its rows must be held in memory whole, and are too many");
  std::vector<Index> places(static_cast<std::size_t>(table.rows), 0);
  Index cells = 1;
  for (Index axis = 0; axis < count; ++axis) {
    const auto at = [&](Index row) { return table.at(row, axis); };
    std::vector<double> values;
    for (Index row = 0; row < table.rows; ++row) values.push_back(at(row));
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      return nullptr;
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto extent = static_cast<Index>(values.size());
    if (__builtin_mul_overflow(cells, extent, &cells) || cells > table.rows) return nullptr;
    for (Index row = 0; row < table.rows; ++row) {
      Index& place = places[static_cast<std::size_t>(row)];
      place = place * extent + (std::ranges::lower_bound(values, at(row)) - values.begin());
    }
    grid.axes.push_back(std::move(values));
  }
  if (cells != table.rows) return nullptr;
  grid.rows.assign(static_cast<std::size_t>(cells), -1);
  for (Index row = 0; row < table.rows; ++row) {
    Index& cell = grid.rows[static_cast<std::size_t>(places[static_cast<std::size_t>(row)])];
    if (cell >= 0) return nullptr;
    cell = row;
  }
  return made;
}

// Where the numbers of the arrays lie.
struct Places {
  std::shared_ptr<const CsvTable> table;
  std::shared_ptr<const Grid> grid;  // null: row by row

  std::vector<Index> shape() const {
    if (!grid) return {table->rows};
    std::vector<Index> shape;
    for (const auto& axis : grid->axes) shape.push_back(static_cast<Index>(axis.size()));
    return shape;
  }
  Index row(Index i) const { return grid ? grid->rows[static_cast<std::size_t>(i)] : i; }
};

Stored array_of(const std::string& name, const Places& places, std::vector<Index> columns,
                bool is_row) {
  Stored array{.name = name, .shown = "", .dtype = DType::f64, .shape = places.shape(), .fill = {}};
  const auto width = static_cast<Index>(columns.size());
  if (is_row) array.shape.push_back(width);
  array.fill = [places, columns = std::move(columns), width](Index first, Index count,
                                                             std::byte* out) {
    ask_time();
    for (Index i = first; i < first + count; ++i) {
      const double value =
          places.table->at(places.row(i / width), columns[static_cast<std::size_t>(i % width)]);
      std::memcpy(out, &value, sizeof value);
      out += sizeof value;
    }
  };
  return array;
}

Stored coordinate_of(const std::string& name, const Places& places, Index column) {
  if (!places.grid) return array_of(name, places, {column}, false);
  const std::vector<double>& axis = places.grid->axes[static_cast<std::size_t>(column)];
  std::vector<std::byte> bytes(axis.size() * sizeof(double));
  if (!axis.empty()) std::memcpy(bytes.data(), axis.data(), bytes.size());
  return stored({DType::f64, {static_cast<Index>(axis.size())}, std::move(bytes)}, name, "");
}

}  // namespace

std::vector<Offered> open_csv(const std::shared_ptr<const Source>& source, const RawForm&) {
  const auto table = read_csv_table(*source);
  const Index first = count_coordinates(*table);
  const Places places{table, grid_of(*source, *table, first)};
  ArrayCount count(*source);
  std::vector<Offered> arrays;
  const auto put = [&](Stored array) {
    count.add(array.name);
    arrays.push_back({std::move(array), "", false});
  };
  for (Index i = 0; i < first; ++i)
    if (const std::string& name = table->header[static_cast<std::size_t>(i)]; !name.empty())
      put(coordinate_of(name, places, i));
  for (Group& group : groups_of(*table, first)) {
    const bool is_list = table->header.empty() && table->columns == 1;
    put(array_of(group.name, places, std::move(group.columns), group.is_row && !is_list));
  }
  return arrays;
}

Array read_csv(const Source& source) {
  const auto table = read_csv_table(source);
  const Index first = count_coordinates(*table);
  std::vector<Index> columns;
  for (Index i = first; i < table->columns; ++i) columns.push_back(i);
  const auto grid = columns.size() == 1 ? grid_of(source, *table, first) : nullptr;
  return collect(array_of("", {table, grid}, std::move(columns), !grid));
}

}  // namespace pe::io
