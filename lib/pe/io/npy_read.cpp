// Reads .npy 1.0 to 3.0, trusting nothing in the header.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/io/fortran.hpp"
#include "pe/io/npy.hpp"

namespace pe::io {
namespace {

// The header is a Python dictionary of three known keys; nothing else of Python is understood.
class HeaderParser {
 public:
  HeaderParser(Kept<Source> source, std::string_view text) : source_(source), text_(text) {}

  NpyHeader parse() {
    bool descr = false, order = false, shape = false;
    take('{');
    while (!skip('}')) {
      const std::string_view key = quoted();
      take(':');
      if (key == "descr" && !descr) {
        descr = true;
        if (skip('['))
          throw OtherType(
              "its elements are records of several fields: write each field as an array of its "
              "own");
        parse_descr(quoted());
      } else if (key == "fortran_order" && !order) {
        order = true;
        header_.fortran = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        parse_shape();
      } else
        refuse(fmt::format("the key '{}' is unknown or repeated", key.substr(0, 40)));
      if (!skip(',')) {
        take('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) refuse("something follows the closing brace");
    if (!(descr && order && shape)) refuse("descr, fortran_order and shape must all be there");
    return header_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    source_.refuse(fmt::format("its npy header is malformed: {}", why));
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool skip(char wanted) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void take(char wanted) {
    if (!skip(wanted)) refuse(fmt::format("'{}' is missing at byte {}", wanted, at_));
  }
  std::string_view quoted() {
    const char quote = skip('"') ? '"' : (take('\''), '\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) refuse("a quote is not closed");
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    blanks();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    refuse("fortran_order is neither True nor False");
  }
  void parse_shape() {
    take('(');
    while (!skip(')')) {
      blanks();
      Index extent = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0)
        refuse("the shape is not a tuple of whole numbers below 2^63");
      at_ = static_cast<std::size_t>(end - text_.data());
      header_.shape.push_back(extent);
      if (header_.shape.size() > 32) refuse("the shape has more than 32 axes");
      if (!skip(',')) {
        take(')');
        break;
      }
    }
  }
  void parse_descr(std::string_view descr) {
    const char order = descr.empty() ? ' ' : descr[0];
    const std::string_view code = descr.substr(descr.empty() ? 0 : 1);
    const bool one_byte = code.size() == 2 && code[1] == '1';
    if (code == "V2" && (order == '<' || order == '|')) {  // what NumPy makes of ml_dtypes.bfloat16
      header_.element = {DType::bf16, 2};
      return;
    }
    header_.is_complex = code == "c8" || code == "c16";
    const auto element = header_.is_complex ? element_of('f', code == "c8" ? 4 : 8)
                         : code.size() == 2
                             ? element_of(code[0], static_cast<std::size_t>(code[1] - '0'))
                             : std::nullopt;
    if (!element || !(order == '<' || order == '>' || (order == '|' && one_byte)))
      throw OtherType(fmt::format(
          "its elements are of type '{}'; read are f2, f4, f8, c8, c16, i1 to i8, u1 to u8, bool "
          "and V2 (bf16)",
          descr.substr(0, 40)));
    header_.element = *element;
    header_.element.swapped = order == '>';
  }

  const Source& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
};

}  // namespace

NpyHeader read_npy_header(const Source& start, std::uint64_t bytes) {
  if (bytes < 10) start.refuse(fmt::format("{} bytes are too few for an npy", bytes));
  const std::string first = start.read_text(0, 10);
  if (!first.starts_with(npy_magic)) start.refuse("it does not start as an npy does");
  const auto version = static_cast<unsigned char>(first[6]);
  if (version < 1 || version > 3)
    start.refuse(fmt::format("its npy version is {}; read are 1 to 3", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4, text_offset = 8 + length_bytes;
  if (bytes < text_offset) start.refuse("it ends within its npy header");
  std::uint32_t length = 0;
  start.read(8, &length, length_bytes);
  if (length > longest_npy_text || length > bytes - text_offset)
    start.refuse(
        fmt::format("its npy header claims {} bytes, {} follow", length, bytes - text_offset));
  NpyHeader header = HeaderParser(start, start.read_text(text_offset, length)).parse();
  header.data = text_offset + length;
  const std::uint64_t present = bytes - header.data;
  const auto claimed = bytes_of_shape(header.shape, header.cell());
  if (claimed != present)
    start.refuse(fmt::format("the shape {} needs {} bytes of data, {} are there",
                             spell_shape(header.shape),
                             claimed ? std::to_string(*claimed) : "more than 2^59", present));
  return header;
}

Stored npy_array(const NpyHeader& header, const std::shared_ptr<const Source>& source) {
  const std::uint64_t bytes = source->size() - header.data;
  if (!header.fortran || header.shape.size() < 2 || bytes == 0)
    return window(source, header.data, header.element, header.shape, header.is_complex);
  const auto turned = std::make_shared<const Source>(
      source->shown(), bytes, fortran_tiles(source, {header.data, header.shape, header.cell()}));
  return window(turned, 0, header.element, header.shape, header.is_complex);
}

std::vector<Offered> open_npy(const std::shared_ptr<const Source>& source, const RawForm&) {
  return {offer("", *source,
                [&] { return npy_array(read_npy_header(*source, source->size()), source); })};
}

}  // namespace pe::io
