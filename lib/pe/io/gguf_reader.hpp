// The values of a GGUF header, one after the other.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "pe/base/kept.hpp"
#include "pe/io/gguf.hpp"

namespace pe::io {

/// What stands in a file about itself is small: names and numbers by the thousand, a template of a
/// chat. Longer texts and lists (vocabularies) are passed over; more values, or more text, are
/// refused.
inline constexpr std::uint64_t most_gguf_entries = 1 << 16, most_gguf_text = 16 << 20;

/// Takes the header value by value, out of pieces.
class GgufReader {
  enum Kind : std::uint32_t {
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    f32,
    boolean,
    string,
    array,
    u64,
    i64,
    f64
  };
  static constexpr std::uint64_t longest_name = 1 << 16, longest_string = 1 << 20,
                                 longest_list = 1 << 12;

 public:
  explicit GgufReader(Kept<Source> source) : source_(source) {}

  [[noreturn]] void refuse(std::string_view why) const {
    throw FileError(fmt::format("{} is not a whole GGUF file: {}", source_.shown(), why));
  }
  std::uint64_t place() const { return start_ + at_; }

  template <typename T>
  T value() {
    T value;
    take(&value, sizeof value);
    return value;
  }

  std::string name() {
    const auto length = value<std::uint64_t>();
    if (length > longest_name) refuse(fmt::format("it has a name of {} bytes", length));
    std::string text(room_for(length), '\0');
    take(text.data(), text.size());
    return text;
  }

  GgufValue text() {
    const auto length = value<std::uint64_t>();
    if (length > longest_string) {
      skip(length);
      return {};
    }
    std::string text(room_for(length), '\0');
    take(text.data(), text.size());
    return {JsonNode::Type::string, text};
  }

  /// A plain value as decimal text, floats exactly.
  GgufValue plain(std::uint32_t kind) {
    using Type = JsonNode::Type;
    const auto number = [](auto n) { return GgufValue{Type::number, fmt::format("{}", n)}; };
    switch (kind) {
      case u8:
        return number(value<std::uint8_t>());
      case i8:
        return number(static_cast<int>(value<std::int8_t>()));
      case u16:
        return number(value<std::uint16_t>());
      case i16:
        return number(value<std::int16_t>());
      case u32:
        return number(value<std::uint32_t>());
      case i32:
        return number(value<std::int32_t>());
      case u64:
        return number(value<std::uint64_t>());
      case i64:
        return number(value<std::int64_t>());
      case f32:
        return {Type::number, fmt::format("{:.60g}", static_cast<double>(value<float>()))};
      case f64:
        return {Type::number, fmt::format("{:.60g}", value<double>())};
      case boolean:
        return {Type::boolean, value<std::uint8_t>() ? "true" : "false"};
      case string:
        return text();
      default:
        refuse(fmt::format("it has a value of type {}", kind));
    }
  }

  GgufValue entry(std::uint32_t kind) {
    if (kind != array) return plain(kind);
    const auto item = value<std::uint32_t>();
    const auto count = value<std::uint64_t>();
    if (item == array) refuse("it nests arrays");
    if (item != string && count <= longest_list) return numbers(item, count);
    if (item == string) {
      for (std::uint64_t i = 0; i < count; ++i) skip(value<std::uint64_t>());
    } else {
      const std::uint64_t bytes = bytes_of(item);
      if (count > source_.size() / bytes) refuse("it ends early");
      skip(count * bytes);
    }
    return {JsonNode::Type::list, ""};
  }

  GgufTensor tensor() {
    GgufTensor tensor{.name = name(), .shape = {}};
    const auto rank = value<std::uint32_t>();
    if (rank > 8) refuse(fmt::format("tensor {} has {} dimensions", tensor.name, rank));
    for (std::uint32_t i = 0; i < rank; ++i) {
      const auto extent = value<std::uint64_t>();
      if (extent > INT64_MAX)
        refuse(fmt::format("tensor {} has an axis of {}", tensor.name, extent));
      tensor.shape.insert(tensor.shape.begin(), static_cast<Index>(extent));
    }
    tensor.type = value<std::uint32_t>();
    tensor.offset = value<std::uint64_t>();
    return tensor;
  }

 private:
  GgufValue numbers(std::uint32_t kind, std::uint64_t count) {
    std::string items;
    for (std::uint64_t i = 0; i < count; ++i) items += (i ? "," : "") + plain(kind).text;
    room_for(items.size());
    return {JsonNode::Type::list, items};
  }
  std::uint64_t bytes_of(std::uint32_t kind) const {
    if (kind == u8 || kind == i8 || kind == boolean) return 1;
    if (kind == u16 || kind == i16) return 2;
    if (kind == u32 || kind == i32 || kind == f32) return 4;
    if (kind == u64 || kind == i64 || kind == f64) return 8;
    refuse(fmt::format("it has a value of type {}", kind));
  }
  // Counts the text that is kept.
  std::size_t room_for(std::uint64_t bytes) {
    if (bytes > most_gguf_text - text_)
      refuse(fmt::format("its metadata and the names of its tensors take more than {} MiB",
                         most_gguf_text >> 20));
    text_ += bytes;
    return static_cast<std::size_t>(bytes);
  }
  void skip(std::uint64_t bytes) {
    if (bytes > source_.size() - place()) refuse("it ends early");
    if (bytes <= piece_.size() - at_) {
      at_ += static_cast<std::size_t>(bytes);
      return;
    }
    start_ = place() + bytes;
    piece_.clear();
    at_ = 0;
  }
  void take(void* out, std::size_t bytes) {
    auto* next = static_cast<char*>(out);
    while (bytes > 0) {
      if (at_ == piece_.size()) refill();
      const std::size_t some = std::min(bytes, piece_.size() - at_);
      std::memcpy(next, piece_.data() + at_, some);
      next += some;
      at_ += some;
      bytes -= some;
    }
  }
  void refill() {
    start_ += piece_.size();
    at_ = 0;
    const std::uint64_t some = std::min<std::uint64_t>(1 << 16, source_.size() - start_);
    if (some == 0) refuse("it ends early");
    piece_ = source_.read_text(start_, static_cast<std::size_t>(some));
  }

  const Source& source_;
  std::uint64_t start_ = 0;  // of the piece
  std::string piece_;
  std::size_t at_ = 0;
  std::uint64_t text_ = 0;  // bytes kept
};

}  // namespace pe::io
