// Lays fields out as columns, side by side or one row per element, and formats them on all threads
// in order.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/text.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/csv_cells.hpp"
#include "pe/io/csv_text.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {
namespace {

// Which fields stand together, and how.
struct Layout {
  std::vector<const Field*> columns;   // in the order given
  std::vector<std::string> constants;  // beside it: the text of a scalar's value, else ""
  const Field* leader = nullptr;  // a field whose axes all others share; null when all are scalars
  bool tidy = false;              // one row per element
  bool compares = false;          // several subjects, which need not all have every element

  Index lines() const { return leader ? leader->lines() : 1; }
};

Layout lay_out(const Job& job) {
  Layout layout;
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

void put_header(const Layout& layout, Text& text) {
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

class CsvWorker {
 public:
  CsvWorker(Kept<Layout> layout, Index largest, Destination& destination)
      : layout_(layout), text_(destination) {
    for (const Field* field : layout_.columns)
      blocks_.push_back(make_buffer(static_cast<std::size_t>(largest) * field->line_bytes()));
  }

  void operator()(Index first, Index count, Turn& turn) {
    text_.begin(&turn);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (!layout_.columns[i]->axes.empty())
        layout_.columns[i]->fill(first, count, blocks_[i].get());
    for (Index line = 0; line < count; ++line)
      if (layout_.tidy)
        put_elements(first + line, line);
      else
        put_row(first + line, line);
    text_.flush();
  }

 private:
  void put_row(Index line, Index in_block) {
    const char* separator = "";
    if (layout_.leader) {
      text_.put(coordinate(layout_.leader->axes[0], line));
      separator = ",";
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Field& field = *layout_.columns[i];
      if (field.axes.empty()) {
        text_.put(separator);
        text_.put(layout_.constants[i]);
        separator = ",";
        continue;
      }
      const std::byte* elements =
          blocks_[i].get() + static_cast<std::size_t>(in_block) * field.line_bytes();
      if (!field.words.empty()) {
        text_.put(",");
        text_.put(word_of(field, elements));
        continue;
      }
      constexpr Index most = 1024;
      for (Index left = field.line_size(); left > 0; left -= most) {
        const Index some = std::min(left, most);
        text_.done(
            put_numbers(text_.room(most * (longest_number + 1)), elements, some, field.dtype, ','));
        elements += static_cast<std::size_t>(some) * size_of(field.dtype);
      }
    }
    text_.put("\n");
  }

  void put_elements(Index line, Index in_block) {
    const std::vector<Axis>& axes = layout_.leader->axes;
    // Coordinates of all axes but the last when there are several: the same along the line.
    const std::size_t outer = axes.size() > 1 ? axes.size() - 1 : 1;
    prefix_.clear();
    Index rest = line;
    std::vector<Index> place(outer);
    for (std::size_t i = outer; i-- > 0; rest /= axes[i].coordinates.count)
      place[i] = rest % axes[i].coordinates.count;
    for (std::size_t i = 0; i < outer; ++i)
      prefix_ += (i ? "," : "") + coordinate(axes[i], place[i]);

    const Index elements = layout_.leader->line_size();
    for (Index element = 0; element < elements; ++element) {
      const Index at = in_block * elements + element;
      if (layout_.compares && is_empty(at)) continue;
      text_.put(prefix_);
      if (axes.size() > 1) {
        text_.put(",");
        if (axes.back().labels.empty())
          text_.done(put_coordinate(text_.room(longest_number), axes.back(), element));
        else
          text_.put(coordinate(axes.back(), element));
      }
      put_values(at);
      text_.put("\n");
    }
  }

  const std::byte* element(std::size_t column, Index at) const {
    return blocks_[column].get() +
           static_cast<std::size_t>(at) * size_of(layout_.columns[column]->dtype);
  }

  bool is_empty(Index at) const {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (!is_missing(*layout_.columns[i], element(i, at))) return false;
    return true;
  }

  // The values of one element of every column, each behind a comma.
  void put_values(Index at) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Field& field = *layout_.columns[i];
      if (field.axes.empty() || !field.words.empty()) {
        text_.put(",");
        text_.put(field.axes.empty() ? layout_.constants[i] : word_of(field, element(i, at)));
        continue;
      }
      char* out = text_.room(longest_number + 1);
      *out++ = ',';
      text_.done(put_number(out, element(i, at), field.dtype));
    }
  }

  const Layout& layout_;
  Text text_;
  std::vector<Buffer> blocks_;
  std::string prefix_;
};

// The first chunk is a few KiB, for readers who want three lines; the others some hundred.
Chunking chunks_of(const Layout& layout) {
  std::size_t line = 1;
  for (const Field* field : layout.columns) line += field->line_bytes();
  const auto lines = [&](std::size_t bytes) {
    return std::max<Index>(1, static_cast<Index>(bytes / line));
  };
  return {lines(4096), lines(std::size_t{192} << 10)};
}

}  // namespace

void write_csv(const Job& job) {
  const Layout layout = lay_out(job);
  Destination destination(job.output);
  {
    Text header(destination);
    put_header(layout, header);
    header.flush();
  }
  if (!layout.leader) {
    Text row(destination);
    const char* separator = "";
    for (const std::string& constant : layout.constants) {
      row.put(separator);
      row.put(constant);
      separator = ",";
    }
    row.put("\n");
    row.flush();
  } else {
    const Chunking chunks = chunks_of(layout);
    const Index largest = std::min(chunks.largest, layout.lines());
    in_order(layout.lines(), chunks, job.output.threads, [&]() -> Worker {
      const auto worker = std::make_shared<CsvWorker>(layout, largest, destination);
      return [worker](Index first, Index count, Turn& turn) { (*worker)(first, count, turn); };
    });
  }
  destination.commit();
}

}  // namespace pe::io
