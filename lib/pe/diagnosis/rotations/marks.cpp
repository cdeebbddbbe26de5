// Rows by their places along each axis.
#include "pe/diagnosis/rotations/marks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

// The numbers that are marked.
std::string spell(const std::vector<char>& marked, const std::function<std::int64_t(Index)>& name) {
  std::vector<std::int64_t> names;
  for (Index i = 0; i < std::ssize(marked); ++i)
    if (marked[static_cast<std::size_t>(i)]) names.push_back(name(i));
  return spell_numbers(names);
}

// Which they are of a dump of several axes: "the vectors of head 2", or how many, and the first.
std::string spell_by_axes(const Expectation& expected, const RotationReading& reading,
                          const RowMarks& marks) {
  const std::string_view noun = reading.is_vectors() ? "vector" : "row";
  std::vector<std::vector<char>> along;
  for (const Index extent : reading.extents) along.emplace_back(static_cast<std::size_t>(extent));
  for (Index row = marks.first; row <= marks.last; ++row)
    for (std::size_t axis = 0; marks.marked[static_cast<std::size_t>(row)] && axis < along.size();
         ++axis)
      along[axis][static_cast<std::size_t>(reading.along(row, axis))] = 1;
  Index product = 1;
  std::string text, first;
  for (std::size_t axis = 0; axis < along.size(); ++axis) {
    const auto count = std::ranges::count(along[axis], char{1});
    product *= count;
    const auto name = [&](Index i) {
      return axis == reading.axis ? expected.position(i) : std::int64_t{i};
    };
    const std::string word = name_of_axis(reading, axis);
    if (reading.extents[axis] > 1)
      first += fmt::format("{}{} {}", first.empty() ? "" : ", ", word,
                           name(reading.along(marks.first, axis)));
    if (count < reading.extents[axis])
      text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", word, count > 1 ? "s" : "",
                          spell(along[axis], name));
  }
  if (marks.count == 1) return fmt::format("the {} at {}", noun, first);
  if (product != marks.count)
    return fmt::format("{} of {} {}s, the first at {},", marks.count, reading.rows, noun, first);
  return text.empty() ? fmt::format("all {}s", noun) : fmt::format("the {}s of {}", noun, text);
}

}  // namespace

std::string spell_rows(const Expectation& expected, const RotationReading& reading,
                       const RowMarks& marks) {
  if (reading.extents.size() > 1) return spell_by_axes(expected, reading, marks);
  if (marks.count == 1) return fmt::format("row {}", marks.first);
  if (marks.count == marks.last - marks.first + 1)
    return fmt::format("rows {}–{}", marks.first, marks.last);
  return fmt::format("{} rows from {} to {}", marks.count, marks.first, marks.last);
}

}  // namespace pe
