// Numbers and texts as bytes for another process of the same program.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pe {

class ByteWriter {
 public:
  template <typename T>
  void put_number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) {
    put_number(text.size());
    text_ += text;
  }
  void put_texts(const std::vector<std::string>& texts) {
    put_number(texts.size());
    for (const std::string& text : texts) put_text(text);
  }
  template <typename T>
  void put_numbers(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_number(values.size());
    text_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Of what a ByteWriter of the same program wrote; it is not for bytes of others.
class ByteReader {
 public:
  explicit ByteReader(std::string_view text) : rest_(text) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, rest_.substr(0, sizeof value).data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::size_t>();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all(number<std::size_t>());
    for (std::string& one : all) one = text();
    return all;
  }
  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> all(number<std::size_t>());
    const std::string_view bytes = rest_.substr(0, all.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    rest_.remove_prefix(bytes.size());
    return all;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace pe
