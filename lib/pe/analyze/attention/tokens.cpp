// From text to tokens, and from tokens to vectors.
#include "pe/analyze/attention/tokens.hpp"

#include <algorithm>
#include <map>

#include "pe/base/error.hpp"
#include "pe/model/random.hpp"

namespace pe {
namespace {

constexpr std::string_view blanks = " \t\n\r";

// Bytes of the character that begins with this one; 0 for none.
std::size_t bytes_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = bytes_of(static_cast<unsigned char>(text[at]));
    const auto follows = [](char byte) { return (static_cast<unsigned char>(byte) >> 6) == 2; };
    if (bytes == 0 || at + bytes > text.size() ||
        !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     text.begin() + static_cast<std::ptrdiff_t>(at + bytes), follows))
      throw UsageError("--tokens is no UTF-8 text");
    characters.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

// "a b c" of "a,b,c"; "" where a comma has nothing on one side.
std::string parted_at_commas(std::string text) {
  if (text.find(',') == std::string::npos || text.front() == ',' || text.back() == ',' ||
      text.find(",,") != std::string::npos)
    return "";
  std::ranges::replace(text, ',', ' ');
  return text;
}

// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3ull;
  }
  return hash;
}

}  // namespace

std::vector<std::string> tokens_of(const std::string& text) {
  const std::vector<std::string> characters = characters_of(text);
  const bool has_words = text.find_first_of(blanks) != std::string::npos;
  if (const std::string parted = parted_at_commas(text); !has_words && !parted.empty())
    throw UsageError(
        "--tokens takes words with blanks between, or text whose characters are tokens: did you "
        "mean '" +
        parted + "'?");
  std::vector<std::string> tokens;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) tokens.push_back(word);
    word.clear();
  };
  for (const std::string& character : characters) {
    const bool blank = blanks.find(character) != std::string::npos;
    if (!blank) word += character;
    if (blank || !has_words) end_word();
  }
  end_word();
  if (tokens.empty())
    throw UsageError("--tokens has no token: give words, or characters, such as '我爱你'");
  return tokens;
}

std::vector<std::string> distinct(const std::vector<std::string>& tokens) {
  std::map<std::string, int> seen;
  std::vector<std::string> labels;
  for (const std::string& token : tokens) {
    const int count = ++seen[token];
    labels.push_back(count == 1 ? token : token + "#" + std::to_string(count));
    while (std::count(labels.begin(), labels.end(), labels.back()) > 1) labels.back() += "'";
  }
  return labels;
}

Content drawn_tokens(const std::string& name, const std::vector<std::string>& tokens, Index heads,
                     Index channels, std::uint64_t seed) {
  Content content{.name = name,
                  .axes = "bhsd",
                  .batch = 1,
                  .heads = heads,
                  .length = static_cast<Index>(tokens.size()),
                  .channels = channels,
                  .values = {}};
  content.values.resize(tokens.size() * static_cast<std::size_t>(heads * channels));
  for (Index s = 0; s < content.length; ++s) {
    const std::uint64_t stream =
        random_stream(seed, hash_of(name + tokens[static_cast<std::size_t>(s)]));
    for (Index h = 0; h < heads; ++h)
      for (Index c = 0; c < channels; ++c)
        content.row(0, h, s)[c] =
            random_normal(stream, static_cast<std::uint64_t>(h * channels + c));
  }
  return content;
}

}  // namespace pe
