// Slips by the character that no JSON has there.
#include "pe/io/json_slip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pe {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word that the place lies in; "" for none.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t first = at, last = at;
  while (first > 0 && is_letter(text[first - 1])) --first;
  while (last < text.size() && is_letter(text[last])) ++last;
  return text.substr(first, last - first);
}

// What begins as no JSON does, by its first line.
std::string otherwise_begun(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return "it is UTF-16, and JSON is UTF-8";
  const std::string_view line = text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
  std::size_t end = 0;
  while (end < line.size() && is_letter(line[end])) ++end;
  const std::string_view behind = line.substr(end);
  const bool is_yaml = line == "---" || (end > 0 && (behind == ":" || behind.starts_with(": ")));
  if (is_yaml) return "it looks like YAML: JSON begins with {";
  if (end > 0 &&
      behind.substr(std::min(behind.find_first_not_of(' '), behind.size())).starts_with('='))
    return "it looks like TOML: JSON begins with {";
  return "JSON begins with {";
}

// The slip at the place; "" for one that is not known.
std::string slip_at(std::string_view text, std::size_t at) {
  const std::size_t start = text.find_first_not_of(blanks);
  if (start == std::string_view::npos) return "it is empty";
  if (at >= text.size()) return "it ends too early";
  const std::string_view rest = text.substr(at), word = word_at(text, at);
  const std::size_t before =
      at == 0 ? std::string_view::npos : text.find_last_not_of(blanks, at - 1);
  const char last = before == std::string_view::npos ? '\0' : text[before];
  if (rest[0] == '\'') return "JSON has double quotes, not single ones";
  for (const std::string_view quote : {"\u201c", "\u201d", "\u2018", "\u2019", "\uff02"})
    if (rest.starts_with(quote)) return "JSON has straight quotes, not curved ones";
  if ((rest[0] == '}' || rest[0] == ']') && last == ',')
    return "a comma stands behind the last item";
  if (rest[0] == '#' && at == start) return "JSON begins with {, and has no comments";
  if (rest[0] == '#' || rest[0] == '/') return "JSON has no comments";
  if (word == "None" || word == "True" || word == "False")
    return "JSON writes null, true and false";
  if (word == "NaN" || word == "Infinity" || word == "nan" || word == "inf")
    return "NaN and Infinity are not JSON either";
  // A string goes wrong at its end.
  const std::size_t open =
      rest[0] == '"' && at > 0 ? text.rfind('"', at - 1) : std::string_view::npos;
  const std::size_t before_it =
      open == std::string_view::npos || open == 0 ? open : text.find_last_not_of(blanks, open - 1);
  if (before_it != std::string_view::npos &&
      std::string_view("\"}]").find(text[before_it]) != std::string_view::npos)
    return "a comma is missing before it";
  if (text[start] != '{' && text[start] != '[') return otherwise_begun(text);
  if (!word.empty()) return "words stand in double quotes";
  return "";
}

}  // namespace

std::string spell_slip(std::string_view text, std::size_t byte) {
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  const auto lines = std::ranges::count(text.substr(0, std::min(at, text.size())), '\n');
  const std::string slip = slip_at(text, at);
  return fmt::format("byte {}{}{}", byte, lines > 0 ? fmt::format(", line {}", lines + 1) : "",
                     slip.empty() ? "" : fmt::format(" ({})", slip));
}

}  // namespace pe
