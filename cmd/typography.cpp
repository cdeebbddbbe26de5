// One table of marks; the name of an option is told from its value first.
#include "typography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "option_names.hpp"
#include "pe/base/error.hpp"
#include "pe/base/text.hpp"

namespace pe::cmd {
namespace {

struct Mark {
  std::string_view set, ascii;
};
constexpr Mark marks[] = {
    {"\u3000", " "},  {"\u00a0", " "},  {"\u2002", " "},  {"\u2003", " "},  {"\u2009", " "},
    {"\u202f", " "},  {"\u200b", ""},   {"\ufeff", ""},   {"\u201c", "\""}, {"\u201d", "\""},
    {"\u201e", "\""}, {"\u00ab", "\""}, {"\u00bb", "\""}, {"\u300c", "\""}, {"\u300d", "\""},
    {"\u2018", "'"},  {"\u2019", "'"},  {"\u2010", "-"},  {"\u2011", "-"},  {"\u2012", "-"},
    {"\u2013", "-"},  {"\u2014", "-"},  {"\u2015", "-"},  {"\u2212", "-"},  {"\u00d7", "x"},
    {"\u3001", ","},  {"\u3002", "."},
};

// The ASCII of a full-width sign, U+FF01 to U+FF5E, at the start of the text; 0: there is none.
char narrowed(std::string_view text) {
  if (text.size() < 3 || text[0] != '\xef') return 0;
  const auto second = static_cast<unsigned char>(text[1]),
             third = static_cast<unsigned char>(text[2]);
  const int code = 0xF000 + ((second & 0x3F) << 6) + (third & 0x3F);
  return code >= 0xFF01 && code <= 0xFF5E ? static_cast<char>(code - 0xFF00 + ' ') : '\0';
}

std::string without_ends(const std::string& text, std::string_view ends) {
  const std::size_t first = text.find_first_not_of(ends), last = text.find_last_not_of(ends);
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// As somebody meant it: in ASCII, and without quotes and blanks around it.
std::string meant_value(const std::string& value) { return without_ends(as_ascii(value), " \"'="); }

// Numbers and names of ours, which have no such marks. A sentence or a file's name may.
bool has_plain_values(const CLI::Option& option) {
  if (option.get_name() == "--tokens") return false;
  constexpr std::string_view plain[] = {"INT", "NUMBER", "N",     "N,...", "K,...",   "START",
                                        "B,H", "{",      "NAME,", "I/N",   "SECONDS", "LETTERS"};
  const std::string type = option.get_type_name();
  return type == "NAME" || std::ranges::any_of(plain, [&](std::string_view start) {
           return start == "N" ? type == start : type.starts_with(start);
         });
}

}  // namespace

std::string as_ascii(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto mark =
        std::ranges::find_if(marks, [&](const Mark& row) { return text.starts_with(row.set); });
    const char narrow = narrowed(text);
    if (mark != std::end(marks))
      plain += mark->ascii;
    else
      plain += narrow ? narrow : text[0];
    text.remove_prefix(mark != std::end(marks) ? mark->set.size() : narrow ? 3 : 1);
  }
  return plain;
}

void refuse_typography(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];  // i goes on to its value
    if (word == "--") return;
    if (!word.starts_with("--")) continue;
    const std::string plain = as_ascii(word), name = plain.substr(0, plain.find_first_of("=: "));
    const CLI::Option* option = app.get_option_no_throw(name);
    const bool is_joined = name.size() < plain.size();
    if (!option || option->get_items_expected_max() == 0) continue;
    if (!is_joined && ++i == words.size()) return;
    if (!has_plain_values(*option)) continue;
    const std::string value = is_joined ? plain.substr(name.size() + 1) : words[i];
    const std::string meant = meant_value(value);
    const bool is_odd = word != plain || (is_joined && plain[name.size()] != '=') ||
                        as_ascii(value) != value || value.find_first_of("\"'") == 0;
    if (!is_odd || meant.empty()) continue;
    throw UsageError(fmt::format("'{}{}': did you mean {} {}?", word, is_joined ? "" : " " + value,
                                 name, shell_word(meant)));
  }
}

}  // namespace pe::cmd
