// Takes the header's JSON character by character; what it says of each tensor is held against the
// file.
#include "pe/io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "pe/base/kept.hpp"
#include "pe/io/format.hpp"

namespace pe::io {
namespace {

// The header piece by piece, so that it is never held whole: 100 MB of metadata are passed over.
class HeaderText {
 public:
  HeaderText(Kept<Source> source, std::uint64_t begin, std::uint64_t end)
      : source_(source), next_(begin), end_(end) {
    refill();
  }

  bool at_end() const { return at_ == piece_.size(); }
  char here() const { return piece_[at_]; }
  void step() {
    count_word();
    if (++at_ == piece_.size()) refill();
  }

 private:
  static constexpr std::uint64_t piece_bytes = 1 << 16, longest_word = 16 << 20;

  void refill() {
    const std::uint64_t some = std::min(piece_bytes, end_ - next_);
    piece_ = source_.read_text(next_, static_cast<std::size_t>(some));
    next_ += some;
    at_ = 0;
  }
  // The parser holds a string or a number whole before it hands it on.
  void count_word() {
    const char c = here();
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      in_string_ = !in_string_;
    const bool ends =
        !in_string_ && std::string_view("\",:[]{} \t\r\n").find(c) != std::string_view::npos;
    word_ = ends ? 0 : word_ + 1;
    if (word_ > longest_word)
      source_.refuse(fmt::format("a text of its header is longer than {} MiB", longest_word >> 20));
  }

  const Source& source_;
  std::uint64_t next_, end_;
  std::string piece_;
  std::size_t at_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::uint64_t word_ = 0;
};

// What nlohmann/json takes characters from.
struct HeaderCharacter {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  HeaderText* text = nullptr;  // null: the end

  char operator*() const { return text->here(); }
  HeaderCharacter& operator++() {
    text->step();
    return *this;
  }
  bool is_end() const { return !text || text->at_end(); }
  bool operator==(const HeaderCharacter& other) const { return is_end() == other.is_end(); }
};

// Takes the tensors as they come; metadata is passed over.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(Kept<Source> source) : source_(source), count_(source) {}

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 3 || in_metadata_ || value > INT64_MAX) return other();
    std::vector<Index>& list = field_ == Field::shape ? tensor_.shape : offsets_;
    list.push_back(static_cast<Index>(value));
    if (list.size() > (field_ == Field::shape ? most_axes : 2))
      refuse(field_ == Field::shape ? "has more than 32 axes" : wrong_offsets);
    return true;
  }
  bool string(string_t& value) override {
    if (in_metadata_ || depth_ != 2 || field_ != Field::dtype) return other();
    tensor_.type = value;
    return true;
  }
  bool start_object(std::size_t) override {
    if (!in_metadata_ && depth_ == 1) {
      seen_ = 0;
      offsets_.clear();
      count_.add(tensor_.name);
    } else if (!in_metadata_ && depth_ > 1) {
      other();
    }
    return ++depth_ <= deepest;
  }
  bool start_array(std::size_t) override {
    if (!in_metadata_ && (depth_ != 2 || field_ == Field::dtype)) other();
    return ++depth_ <= deepest;
  }
  bool end_array() override {
    --depth_;
    in_metadata_ &= depth_ > 1;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1 && !in_metadata_) finish();
    in_metadata_ &= depth_ > 1;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      in_metadata_ = name == "__metadata__";
      tensor_ = {};
      if (!in_metadata_) tensor_.name = name;
    } else if (!in_metadata_) {
      const auto* const found = std::ranges::find(fields, name);
      if (found == std::end(fields)) refuse(wrong_entries);
      field_ = static_cast<Field>(found - fields);
      const unsigned bit = 1u << static_cast<unsigned>(field_);
      if (seen_ & bit) source_.refuse(fmt::format("its header repeats '{}'", name));
      seen_ |= bit;
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  std::vector<SafetensorsTensor> tensors;

 private:
  enum class Field { dtype, shape, offsets };
  static constexpr std::string_view fields[] = {"dtype", "shape", "data_offsets"};
  static constexpr int deepest = 8;
  static constexpr const char* wrong_entries =
      "has other entries than dtype, shape and data_offsets";
  static constexpr const char* wrong_offsets = "has data_offsets that are no two whole numbers";

  [[noreturn]] void refuse(const char* why) const {
    source_.refuse(fmt::format("the tensor '{}' {}", tensor_.name.substr(0, 80), why));
  }
  // A value that is none of those that a tensor has.
  bool other() {
    if (depth_ == 0) return false;
    if (in_metadata_) {
      in_metadata_ = depth_ > 1;  // metadata that is a plain value ends with it
      return true;
    }
    if (depth_ == 1 || seen_ == 0) refuse(wrong_entries);
    if (field_ == Field::dtype) refuse("has a dtype that is no string");
    refuse(field_ == Field::shape ? "has a shape that is no list of whole numbers" : wrong_offsets);
  }
  void finish() {
    if (seen_ != 7) refuse(wrong_entries);
    if (offsets_.size() != 2) refuse(wrong_offsets);
    tensor_.begin = static_cast<std::uint64_t>(offsets_[0]);
    tensor_.end = static_cast<std::uint64_t>(offsets_[1]);
    if (tensor_.end < tensor_.begin) refuse("ends before it begins");
    tensors.push_back(std::move(tensor_));
  }

  const Source& source_;
  ArrayCount count_;
  int depth_ = 0;
  bool in_metadata_ = false;
  Field field_ = Field::dtype;
  unsigned seen_ = 0;
  std::vector<Index> offsets_;
  SafetensorsTensor tensor_;
};

void refuse_repeated(const Source& source, const std::vector<SafetensorsTensor>& tensors) {
  std::vector<std::string_view> names;
  for (const SafetensorsTensor& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    source.refuse(fmt::format("its header repeats '{}'", twice->substr(0, 80)));
}

}  // namespace

SafetensorsHeader read_safetensors_header(const Source& source) {
  if (source.size() < 8) source.refuse("it is too short for safetensors");
  std::uint64_t length = 0;
  source.read(0, &length, 8);
  if (length > largest_safetensors_header || length > source.size() - 8)
    source.refuse(fmt::format("its header claims {} bytes, {} follow", length, source.size() - 8));
  HeaderText text(source, 8, 8 + length);
  if (text.at_end() || text.here() != '{') source.refuse("its header does not start with a brace");
  HeaderReader reader(source);
  if (!nlohmann::json::sax_parse(HeaderCharacter{&text}, HeaderCharacter{}, &reader))
    source.refuse("its header is not the JSON object it should be");
  SafetensorsHeader contents{std::move(reader.tensors), 8 + length};
  refuse_repeated(source, contents.tensors);
  std::ranges::sort(contents.tensors, {}, [](const SafetensorsTensor& tensor) {
    return std::pair(tensor.begin, tensor.end);
  });
  std::uint64_t end = 0;
  for (const SafetensorsTensor& tensor : contents.tensors) {
    if (tensor.begin != end)
      source.refuse(fmt::format("the tensor '{}' begins at {} and not at {}", tensor.name,
                                tensor.begin, end));
    end = tensor.end;
  }
  if (end != source.size() - contents.data)
    source.refuse(
        fmt::format("its tensors take {} bytes, {} are there", end, source.size() - contents.data));
  return contents;
}

}  // namespace pe::io
