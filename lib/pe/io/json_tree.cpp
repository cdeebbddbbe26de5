// A streaming parser that builds the tree and stops where it grows too deep.
#include "pe/io/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/io/json_slip.hpp"
#include "pe/io/source.hpp"

namespace pe {
namespace {

constexpr std::uint64_t largest_file = 16 << 20;
constexpr std::size_t deepest = 32, most_by_hand = 100'000;
// The parser holds each text and number on its own: what people write has none of a megabyte.
constexpr std::size_t longest_word = 1 << 20;

// The end of a string is the next quote that no odd number of backslashes stands before.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (;;) {
    at = text.find_first_of("\"\\", at);
    if (at == std::string_view::npos || text[at] == '"') return at;
    at += 2;
  }
}

// Python's json writes these for numbers that JSON has not; each becomes a string.
constexpr std::string_view python_words[] = {"NaN", "Infinity", "-Infinity"};

struct Quoted {
  std::string text;
  std::vector<std::size_t> at;  // where a word stood in the file

  // The place in the file of a byte of the text.
  std::size_t place(std::size_t byte) const {
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] + 2 * i >= byte) return byte - 2 * i;
    return byte - 2 * at.size();
  }
};

Quoted quote_words(std::string_view text) {
  Quoted quoted;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_of("\"NI-", at);
    if (at == std::string_view::npos) break;
    if (text[at] == '"') {
      at = end_of_string(text, at + 1);
      if (at == std::string_view::npos) break;
      ++at;
      continue;
    }
    const auto word = std::ranges::find_if(
        python_words, [&](std::string_view name) { return text.substr(at).starts_with(name); });
    if (word == std::end(python_words)) {
      ++at;
      continue;
    }
    quoted.text += fmt::format("{}\"{}\"", text.substr(from, at - from), *word);
    quoted.at.push_back(at);
    from = at += word->size();
  }
  quoted.text += text.substr(from);
  return quoted;
}

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(Kept<std::string> text, Kept<std::string> file, const Quoted* quoted = nullptr,
          std::size_t most_values = most_by_hand)
      : text_(text), file_(file), quoted_(quoted), most_values_(most_values) {}

  bool null() override { return put({JsonNode::Type::null, "null", {}, {}}); }
  bool boolean(bool value) override {
    return put({JsonNode::Type::boolean, value ? "true" : "false", {}, {}});
  }
  bool number_integer(number_integer_t value) override {
    return put({JsonNode::Type::number, std::to_string(value), {}, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put({JsonNode::Type::number, std::to_string(value), {}, {}});
  }
  bool number_float(number_float_t, const string_t& text) override {
    return put({JsonNode::Type::number, text, {}, {}});
  }
  bool string(string_t& value) override { return put({JsonNode::Type::string, value, {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonNode::Type::object); }
  bool start_array(std::size_t) override { return open(JsonNode::Type::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!open_.back().keys.insert(name).second)
      throw FileError(fmt::format("{} has the key {} twice in one object", file_, name));
    open_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw FileError(fmt::format("{} is not JSON: it goes wrong at {}", file_,
                                spell_slip(text_, quoted_ ? quoted_->place(position) : position)));
  }

  JsonNode root;

 private:
  struct Level {
    JsonNode node;
    std::string key;  // of the member to come
    std::unordered_set<std::string> keys;
  };

  bool put(JsonNode node) {
    if (++values_ > most_values_)
      throw FileError(fmt::format("{} holds more than {} values", file_, most_values_));
    if (open_.empty())
      root = std::move(node);
    else if (open_.back().node.type == JsonNode::Type::list)
      open_.back().node.items.push_back(std::move(node));
    else
      open_.back().node.members.push_back({open_.back().key, std::move(node)});
    return true;
  }
  bool open(JsonNode::Type type) {
    if (open_.size() >= deepest)
      throw FileError(fmt::format("{} nests deeper than {}", file_, deepest));
    open_.push_back({{type, {}, {}, {}}, {}, {}});
    return true;
  }
  bool close() {
    JsonNode node = std::move(open_.back().node);
    open_.pop_back();
    return put(std::move(node));
  }

  const std::string &text_, &file_;
  const Quoted* quoted_;
  std::vector<Level> open_;
  std::size_t most_values_, values_ = 0;
};

void refuse_long_words(std::string_view text, const std::string& file) {
  if (text.size() <= longest_word) return;
  const auto hold = [&](std::size_t from, std::size_t to) {
    if (std::min(to, text.size()) - from > longest_word)
      throw FileError(fmt::format("{} has a text or a number longer than {} MiB at byte {}", file,
                                  longest_word >> 20, from));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t next = text.find_first_of("\",:[]{} \t\r\n", at);
    hold(at, next);
    if (next == std::string_view::npos) return;
    at = next;
    if (text[at] != '"') continue;
    const std::size_t end = end_of_string(text, at + 1);
    hold(at, end);
    if (end == std::string_view::npos) return;
    at = end;
  }
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  for (const auto& [key, node] : members)
    if (key == name) return &node;
  return nullptr;
}

std::string_view JsonNode::what() const {
  constexpr std::string_view names[] = {"null",     "a truth value", "a number",
                                        "a string", "a list",        "an object"};
  return names[static_cast<std::size_t>(type)];
}

JsonNode parse_python_json(const std::string& text, const std::string& file) {
  const Quoted quoted = quote_words(text);
  if (quoted.at.empty()) return parse_json(text, file);
  refuse_long_words(quoted.text, file);
  Builder builder(text, file, &quoted);
  nlohmann::json::sax_parse(quoted.text, &builder);
  return std::move(builder.root);
}

JsonNode parse_json(const std::string& text, const std::string& file) {
  return parse_json(text, file, most_by_hand);
}

JsonNode parse_json(const std::string& text, const std::string& file, std::size_t most_values) {
  refuse_long_words(text, file);
  Builder builder(text, file, nullptr, most_values);
  nlohmann::json::sax_parse(text, &builder);
  return std::move(builder.root);
}

std::string read_json_text(const std::string& path) {
  const io::Source source(path, io::Limit(largest_file));
  if (source.size() > largest_file)
    throw FileError(
        fmt::format("{} is larger than 16 MiB: not a file that people write", source.shown()));
  return source.read_text(0, static_cast<std::size_t>(source.size()));
}

}  // namespace pe
