// Lines picked from the field of the whole run, which costs only those that are asked for.
#include "position_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe::cmd {

void refuse_position_list(const std::string& text, const std::string& why) {
  if (text.find(',') == std::string::npos) return;
  const Positions positions = parse_places(text);
  if (!positions.is_run())
    throw UsageError(
        fmt::format("--positions takes a run START:STOP[:STEP] here, got the list {}: "
                    "{}",
                    shown(positions), why));
}

Field at_positions(const Field& field, const Positions& positions) {
  const auto is_place = [](const Axis& axis) {
    return axis.name == "position" || axis.name == "relative_position" || axis.name == "query" ||
           axis.name == "key";
  };
  const auto places = std::ranges::count_if(field.axes, is_place);
  if (places == 0) return field;
  if (places > 1 || !is_place(field.axes.front()) || field.axes.front().name == "query")
    throw UsageError(fmt::format(
        "--positions takes a list for fields with one axis of positions; {} has {}: give a run "
        "START:STOP[:STEP]",
        field.name, places > 1 ? "two" : "another before it"));
  const Index first = field.axes.front().coordinates.first;
  const Index each = field.lines() / field.axes.front().coordinates.count;
  Field picked = field;
  Axis& axis = picked.axes.front();
  axis = axis_at(axis.name, positions, axis.description);
  picked.fill = [whole = field, positions, first, each](Index line, Index lines, std::byte* out) {
    for (Index i = line; i < line + lines; ++i, out += whole.line_bytes()) {
      const Index row = positions.at(i / each) - first;
      whole.fill(row * each + i % each, 1, out);
    }
  };
  return picked;
}

}  // namespace pe::cmd
