// Formats fields as columns on all threads, in order.
#include <algorithm>
#include <memory>

#include "pe/base/kept.hpp"
#include "pe/io/csv.hpp"
#include "pe/io/csv_cell_texts.hpp"
#include "pe/io/csv_cells.hpp"
#include "pe/io/csv_layout.hpp"
#include "pe/io/csv_text.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {
namespace {

class CsvWorker {
 public:
  CsvWorker(Kept<CsvLayout> layout, Index largest, Destination& destination)
      : layout_(layout), text_(destination) {
    for (const Field* field : layout_.columns)
      blocks_.push_back(make_buffer(static_cast<std::size_t>(largest) * field->line_bytes()));
    if (!layout_.tidy) return;
    texts_.assign(blocks_.size(), CellTexts(std::min(at_once, layout_.leader->line_size())));
    const std::vector<Axis>& axes = layout_.leader->axes;
    if (axes.size() < 2 || !axes.back().labels.empty()) return;
    const Index places = axes.back().coordinates.count;
    keeps_places_ = places <= most_kept;
    places_ = CellTexts(keeps_places_ ? places : at_once);
    if (keeps_places_) places_.write(axes.back(), 0, places);
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
  static constexpr Index at_once = 512, most_kept = 1 << 16;

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
    prefix_size_ = prefix_.size();
    prefix_.append(copy_step, ' ');

    const Index elements = layout_.leader->line_size();
    if (keeps_places_) places_.rewind();
    for (Index first = 0; first < elements; first += at_once) {
      const Index count = std::min(elements - first, at_once);
      write_texts(first, count, in_block * elements + first);
      for (Index i = first; i < first + count; ++i) put_element(i, in_block * elements + i);
    }
  }

  bool is_number(std::size_t column) const {
    return !layout_.columns[column]->axes.empty() && layout_.columns[column]->words.empty();
  }

  // The texts of `count` elements from place `first` of a line on, which are `at` in the block.
  void write_texts(Index first, Index count, Index at) {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (is_number(i)) texts_[i].write(element(i, at), count, layout_.columns[i]->dtype);
    const std::vector<Axis>& axes = layout_.leader->axes;
    if (axes.size() > 1 && axes.back().labels.empty() && !keeps_places_)
      places_.write(axes.back(), first, count);
  }

  void put_element(Index place, Index at) {
    const Axis& last = layout_.leader->axes.back();
    const bool several = layout_.leader->axes.size() > 1, named = !last.labels.empty();
    if (layout_.compares && is_empty(at)) {
      if (several && !named) places_.skip();
      for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (is_number(i)) texts_[i].skip();
      return;
    }
    char* out = text_.room(prefix_.size() + CellTexts::widest);
    out = copy_steps(out, prefix_.data(), prefix_size_);
    if (several && !named) out = places_.take(out);
    text_.done(out);
    if (several && named) {
      text_.put(",");
      text_.put(coordinate(last, place));
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Field& field = *layout_.columns[i];
      if (is_number(i)) {
        text_.done(texts_[i].take(text_.room(CellTexts::widest)));
        continue;
      }
      text_.put(",");
      text_.put(field.axes.empty() ? layout_.constants[i] : word_of(field, element(i, at)));
    }
    text_.put("\n");
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

  const CsvLayout& layout_;
  Text text_;
  std::vector<Buffer> blocks_;
  std::vector<CellTexts> texts_;  // of each column of numbers, where elements have rows
  CellTexts places_{0};           // along the last axis
  bool keeps_places_ = false;     // which are all of them
  std::string prefix_;            // and what is copied with it
  std::size_t prefix_size_ = 0;
};

// The first chunk is a few KiB, for readers who want three lines; the others some hundred.
Chunking chunks_of(const CsvLayout& layout) {
  std::size_t line = 1;
  for (const Field* field : layout.columns) line += field->line_bytes();
  const auto lines = [&](std::size_t bytes) {
    return std::max<Index>(1, static_cast<Index>(bytes / line));
  };
  return {lines(4096), lines(std::size_t{192} << 10)};
}

}  // namespace

void write_csv(const Job& job) {
  const CsvLayout layout = lay_out(job);
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
