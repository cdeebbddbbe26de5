// Which lines of a field are which rows of which head.
#include "pe/apply/fields.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "pe/base/narrow.hpp"

namespace pe {
namespace {

std::vector<Axis> axes_of(const Content& content, const std::string& letters,
                          const Positions& positions, const std::string& along) {
  std::vector<Axis> axes;
  for (const char letter : letters) switch (letter) {
      case 'b':
        axes.push_back({"batch", first_positions(content.batch), "sequence of the batch"});
        break;
      case 'h':
        axes.push_back({"head", first_positions(content.heads), "attention head"});
        break;
      case 's':
        axes.push_back(
            axis_at(along, positions,
                    along == "position" ? "position in the sequence" : along + " position"));
        break;
      default:
        axes.push_back({"dim", first_positions(content.channels), "channel"});
    }
  return axes;
}

// Calls visit(letter, index) for each letter's place in a C-order walk of these axes.
void for_places(Index flat, const std::string& letters, const std::vector<Index>& shape,
                const auto& visit) {
  for (std::size_t i = letters.size(); i-- > 0; flat /= shape[i])
    visit(letters[i], flat % shape[i]);
}

}  // namespace

Field content_field(std::string name, std::shared_ptr<const Content> content,
                    const Positions& positions, const std::string& along, DType dtype) {
  Field field{.name = std::move(name),
              .description = {},
              .axes = axes_of(*content, content->axes, positions, along),
              .dtype = dtype,
              .fill = {}};
  field.fill = [content, shape = field.shape(), dtype](Index first, Index count, std::byte* out) {
    const Index line = shape.back(), step = content->stride(content->axes.back());
    std::vector<double> values(static_cast<std::size_t>(line));
    for (Index i = 0; i < count; ++i, out += static_cast<std::size_t>(line) * size_of(dtype)) {
      const double* from = content->values.data();
      for_places((first + i) * line, content->axes, shape,
                 [&](char letter, Index place) { from += place * content->stride(letter); });
      for (Index c = 0; c < line; ++c) values[static_cast<std::size_t>(c)] = from[c * step];
      narrow(values, dtype, out);
    }
  };
  return field;
}

Field rows_field(std::string name, const Content& like, const std::string& letters,
                 const Positions& positions, const std::string& along, Axis last, DType dtype,
                 RowsFill fill) {
  Field field{.name = std::move(name),
              .description = {},
              .axes = axes_of(like, letters, positions, along),
              .dtype = dtype,
              .fill = {}};
  const std::vector<Index> shape = field.shape();
  const Index width = last.coordinates.count;
  field.axes.push_back(std::move(last));
  field.fill = [fill = std::move(fill), letters, shape, width, dtype](Index first, Index count,
                                                                      std::byte* out) {
    constexpr Index most = 64;  // rows of a head that are filled at once
    const std::size_t bytes = static_cast<std::size_t>(width) * size_of(dtype);
    std::map<std::array<Index, 2>, std::vector<std::array<Index, 2>>> heads;  // [b, h] → [s, line]
    for (Index i = 0; i < count; ++i) {
      Index b = 0, h = 0, s = 0;
      for_places(first + i, letters, shape, [&](char letter, Index place) {
        (letter == 'b' ? b : letter == 'h' ? h : s) = place;
      });
      heads[{b, h}].push_back({s, i});
    }
    std::vector<double> values(static_cast<std::size_t>(std::min(most, count) * width));
    std::vector<Index> rows;
    for (const auto& [head, lines] : heads)
      for (std::size_t start = 0; start < lines.size(); start += static_cast<std::size_t>(most)) {
        const std::size_t end = std::min(lines.size(), start + static_cast<std::size_t>(most));
        rows.clear();
        for (std::size_t i = start; i < end; ++i) rows.push_back(lines[i][0]);
        fill(head[0], head[1], rows, values.data());
        for (std::size_t i = start; i < end; ++i)
          narrow(std::span(values.data() + static_cast<Index>(i - start) * width,
                           static_cast<std::size_t>(width)),
                 dtype, out + static_cast<std::size_t>(lines[i][1]) * bytes);
      }
  };
  return field;
}

}  // namespace pe
