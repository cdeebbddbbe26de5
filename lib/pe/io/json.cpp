// Streams fields as nested arrays of numbers; what is no number is a string, since JSON has no word
// for it.
#include "pe/io/json.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "pe/io/json_text.hpp"
#include "pe/io/pipeline.hpp"
#include "pe/io/shortest.hpp"

namespace pe::io {
namespace {

constexpr Index run = 1024;  // elements formatted between looks at the room left
constexpr std::size_t flush_bytes = 1 << 20;

void put_element(std::string& text, const std::byte* element, const Field& field) {
  const DType dtype = field.dtype;
  if (!field.words.empty()) {
    std::int64_t value;
    std::memcpy(&value, element, sizeof value);
    text += value < 0 ? "null" : quote_json(field.words.at(static_cast<std::size_t>(value)));
    return;
  }
  char number[longest_number];
  const std::string_view word(
      number, static_cast<std::size_t>(put_number(number, element, dtype) - number));
  const bool plain = word.back() >= '0' && word.back() <= '9';
  if (!plain) text += '"';
  text += word;
  if (!plain) text += '"';
}

// "[[" before the first line of two outer axes, "]," or "]],[" between lines: as many as extents
// that are complete.
class Brackets {
 public:
  explicit Brackets(const Field& field) {
    const std::size_t outer = field.axes.size() > 1 ? field.axes.size() - 1 : field.axes.size();
    lines_ = field.axes.size() > 1;
    Index lines = 1;
    for (std::size_t i = outer; i-- > 0;)
      periods_.push_back(lines *= field.axes[i].coordinates.count);
  }
  void open(std::string& text, Index line) const {
    for (const Index period : periods_) text += line % period == 0 ? "[" : "";
    text += lines_ ? "[" : "";
  }
  void close(std::string& text, Index line) const {
    text += lines_ ? "]" : "";
    for (const Index period : periods_) text += (line + 1) % period == 0 ? "]" : "";
  }

 private:
  std::vector<Index> periods_;
  bool lines_ = false;
};

void put_field(const Field& field, int threads, Destination& destination) {
  if (bytes_of(field) == 0) return destination.write("[]", 2);
  const Index size = field.line_size();
  const Chunking chunks{std::max<Index>(1, static_cast<Index>((1 << 18) / field.line_bytes())),
                        std::max<Index>(1, static_cast<Index>((1 << 18) / field.line_bytes()))};
  const Brackets brackets(field);
  in_order(field.lines(), chunks, threads, [&]() -> Worker {
    const std::shared_ptr<std::byte[]> block = make_buffer(
        static_cast<std::size_t>(std::min(chunks.largest, field.lines())) * field.line_bytes());
    return [&, block, text = std::string()](Index first, Index count, Turn& turn) mutable {
      const auto flush = [&] {
        turn.wait();
        destination.write(text.data(), text.size());
        text.clear();
      };
      field.fill(first, count, block.get());
      const std::byte* element = block.get();
      for (Index line = first; line < first + count; ++line) {
        if (line > 0) text += ",\n";
        brackets.open(text, line);
        for (Index i = 0; i < size; ++i, element += size_of(field.dtype)) {
          if (i > 0) text += ',';
          put_element(text, element, field);
          if (i % run == 0 && text.size() > flush_bytes) flush();
        }
        brackets.close(text, line);
      }
      flush();
    };
  });
}

std::string describe(const Field& field) {
  std::string axes;
  for (const Axis& axis : field.axes) {
    const PositionRange& range = axis.coordinates;
    char first[longest_number], step[longest_number];
    const std::string_view start(
        first, static_cast<std::size_t>(put_decimal(first, range.first, range.decimals) - first));
    const std::string_view stride(
        step, static_cast<std::size_t>(put_decimal(step, range.step, range.decimals) - step));
    std::string labels;
    for (const std::string& label : axis.labels)
      labels += (labels.empty() ? ", \"labels\": [" : ", ") + quote_json(label);
    for (const double place : axis.places)
      labels += fmt::format("{}{}", labels.empty() ? ", \"values\": [" : ", ", place);
    if (!labels.empty()) labels += "]";
    axes += fmt::format("{}{{\"name\": {}, \"count\": {}, \"first\": {}, \"step\": {}{}}}",
                        axes.empty() ? "" : ", ", quote_json(axis.name), range.count, start, stride,
                        labels);
  }
  return fmt::format("{{\"description\": {}, \"dtype\": {}, \"axes\": [{}], \"values\":\n",
                     quote_json(field.description), quote_json(name_of(field.dtype)), axes);
}

}  // namespace

void write_json(const Job& job) {
  Destination destination(job.output);
  const auto put = [&](const std::string& text) { destination.write(text.data(), text.size()); };
  put("{\"schema_version\": 1,\n\"provenance\": " + provenance_json(job.provenance) +
      ",\n\"fields\": {");
  for (const Field& field : job.fields) {
    put(fmt::format("{}\n{}: {}", &field == job.fields.data() ? "" : ",", quote_json(field.name),
                    describe(field)));
    put_field(field, job.output.threads, destination);
    put("}");
  }
  put("}}\n");
  destination.commit();
}

}  // namespace pe::io
