// Lays fields out side by side or one row per element, and names their columns.
#include "pe/io/csv_layout.hpp"

#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/io/csv_cells.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {

CsvLayout lay_out(const Job& job) {
  CsvLayout layout;
  layout.tidy = job.output.tidy || job.output.records;
  for (const Field& field : job.fields) {
    layout.columns.push_back(&field);
    if (!field.axes.empty() && !layout.leader) layout.leader = &field;
    if (field.axes.size() > 2 || (field.axes.size() == 2 && !field.words.empty()))
      layout.tidy = true;
  }
  layout.compares = layout.leader && !layout.leader->axes.front().labels.empty();
  for (const Field* field : layout.columns) {
    layout.constants.emplace_back();
    if (field->axes.empty()) {
      std::byte value[8];
      char text[longest_number];
      field->fill(0, 1, value);
      layout.constants.back().assign(text, put_number(text, value, field->dtype));
      continue;
    }
    const auto &theirs = field->axes, &ours = layout.leader->axes;
    const bool fits = layout.tidy ? theirs == ours : theirs[0] == ours[0];
    if (fits) continue;
    std::string shapes;
    for (const Field& each : job.fields) {
      shapes += shapes.empty() ? "" : ", ";
      shapes += each.name + " [";
      for (const Axis& axis : each.axes)
        shapes += fmt::format("{}{} {}", &axis == each.axes.data() ? "" : ", ", axis.name,
                              axis.coordinates.count);
      shapes += "]";
    }
    throw UsageError(
        fmt::format("these fields do not share {} and cannot stand in one csv: {}; choose some "
                    "with --fields, or "
                    "write hdf5 or npz",
                    layout.tidy ? "all axes" : "their first axis", shapes));
  }
  return layout;
}

void put_header(const CsvLayout& layout, Text& text) {
  const char* separator = "";
  const auto put = [&](std::string_view name) {
    text.put(separator);
    text.put(csv_cell(name));
    separator = ",";
  };
  if (layout.leader)
    for (const Axis& axis : layout.leader->axes) {
      put(axis.name);
      if (!layout.tidy) break;
    }
  for (const Field* field : layout.columns) {
    if (layout.tidy || field->axes.size() < 2) {
      put(field->name);
      continue;
    }
    const Axis& along = field->axes[1];
    for (Index i = 0; i < along.coordinates.count; ++i)
      put(field->name + "_" +
          (along.labels.empty() ? coordinate(along, i)
                                : along.labels[static_cast<std::size_t>(i)]));
  }
  text.put("\n");
}

}  // namespace pe::io
