// Lines picked from the field of the whole run, which costs only those that are asked for.
#include "position_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {
namespace {

constexpr std::size_t most_positions = 1'000'000;
constexpr const char* furthest = "9007199254740991";  // the run's end, one more, is 2^53

}  // namespace

bool is_position_list(const std::string& text) { return text.find(',') != std::string::npos; }

std::vector<std::int64_t> parse_position_list(const std::string& text) {
  std::vector<std::int64_t> positions;
  const auto add = [&](std::int64_t position) {
    if (positions.size() == most_positions)
      throw UsageError(fmt::format("--positions lists {} positions at most: give a run START:STOP",
                                   most_positions));
    positions.push_back(position);
  };
  for (const std::string& item : comma_separated(text)) {
    if (item.find(':') == std::string::npos) {
      add(whole_number("positions", item, "-9007199254740991", furthest));
      continue;
    }
    const PositionRange run = parse_positions(item);
    if (run.decimals != 0)
      throw UsageError(fmt::format("--positions lists whole positions, got '{}'", item));
    for (Index i = 0; i < run.count; ++i) add(run.at(i));
  }
  return positions;
}

void refuse_position_list(const std::string& option, const std::string& text) {
  if (is_position_list(text))
    throw UsageError(
        fmt::format("{} takes a run START:STOP[:STEP] here, got the list '{}': pe-gen takes lists",
                    option, text.size() > 40 ? text.substr(0, 40) + "..." : text));
}

std::string run_over(const std::vector<std::int64_t>& positions) {
  const auto [least, most] = std::ranges::minmax(positions);
  return fmt::format("{}:{}", least, most + 1);
}

Field at_positions(const Field& field, const std::vector<std::int64_t>& positions) {
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
  axis.coordinates = first_positions(static_cast<Index>(positions.size()));
  axis.places.assign(positions.begin(), positions.end());
  picked.fill = [whole = field, positions, first, each](Index line, Index lines, std::byte* out) {
    for (Index i = line; i < line + lines; ++i, out += whole.line_bytes()) {
      const Index row = positions[static_cast<std::size_t>(i / each)] - first;
      whole.fill(row * each + i % each, 1, out);
    }
  };
  return picked;
}

}  // namespace pe::cmd
