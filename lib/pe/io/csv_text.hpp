// The buffer that csv is written through.
#pragma once

#include <algorithm>
#include <string_view>

#include "pe/base/kept.hpp"
#include "pe/io/pipeline.hpp"

namespace pe::io {

inline constexpr std::size_t text_bytes = 1 << 20;

/// Text on its way out. Pieces leave when the buffer is full or the chunk ends, always in turn.
class Text {
 public:
  explicit Text(Destination& destination)
      : destination_(destination), buffer_(make_buffer(text_bytes)) {}

  void begin(Turn* turn) { turn_ = turn; }
  /// Room for at least `bytes` (at most text_bytes) at the returned place; done() says where the
  /// text ended.
  char* room(std::size_t bytes) {
    if (used_ + bytes > text_bytes) flush();
    return text() + used_;
  }
  void done(const char* end) { used_ = static_cast<std::size_t>(end - text()); }
  void put(std::string_view words) {
    for (std::size_t from = 0; from < words.size(); from += text_bytes) {
      const std::string_view piece = words.substr(from, text_bytes);
      done(std::copy(piece.begin(), piece.end(), room(piece.size())));
    }
  }
  void flush() {
    if (turn_) turn_->wait();
    destination_.write(text(), used_);
    used_ = 0;
  }

 private:
  char* text() const { return reinterpret_cast<char*>(buffer_.get()); }

  Destination& destination_;
  Buffer buffer_;
  std::size_t used_ = 0;
  Turn* turn_ = nullptr;
};

}  // namespace pe::io
