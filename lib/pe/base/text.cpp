// UTF-8 taken sequence by sequence.
#include "pe/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "pe/base/error.hpp"

namespace pe {
namespace {

struct Sequence {
  std::size_t length = 0;  // 0: no UTF-8, or what XML has no place for
  std::uint32_t code = 0;
};

Sequence sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {1, lead};
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool none = code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
                    code == 0xfffe || code == 0xffff;
  return none ? Sequence{} : Sequence{length, code};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// U+2028 and U+2029 break lines, the others turn what follows around (Unicode TR 36, 2.10).
bool turns_text(std::uint32_t code) {
  return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string shortened(std::string_view text) {
  if (text.size() <= longest_text) return std::string(text);
  std::size_t head = longest_text * 3 / 4, tail = text.size() - longest_text / 8;
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return fmt::format("{} [… {} bytes …] {}", text.substr(0, head), tail - head, text.substr(tail));
}

std::string printable(std::string_view text, bool keep_newlines) {
  std::string whole;
  if (!keep_newlines && text.size() > longest_text) text = whole = shortened(text);
  std::string clean;
  while (!text.empty()) {
    const auto [length, code] = sequence(text);
    if (length == 0)
      clean += "\xef\xbf\xbd";
    else if (code == '\n' && keep_newlines)
      clean += '\n';
    else if (code == '\n' || code == '\t')
      clean += ' ';
    else if (is_control(code) || turns_text(code))
      clean += '?';
    else
      clean += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

std::string escaped_json(std::string_view json) {
  std::string clean;
  while (!json.empty()) {
    const auto [length, code] = sequence(json);
    const bool stays = length < 2 && code != 0x7f;  // the others are escapes, or part lines
    if (stays || !(is_control(code) || turns_text(code)))
      clean += json.substr(0, std::max<std::size_t>(length, 1));
    else
      clean += fmt::format("\\u{:04x}", code);
    json.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

std::string csv_cell(std::string_view text, bool whole) {
  std::string clean = printable(text, whole);
  std::ranges::replace(clean, '\n', ' ');
  if (!clean.empty() && std::string_view("=+-@").find(clean[0]) != std::string_view::npos)
    clean.insert(0, 1, '\'');
  if (clean.find_first_of(",\"") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string shell_word(std::string_view word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'", escaped = "$'";
  bool odd = false;
  while (!word.empty()) {
    const auto [length, code] = sequence(word);
    const std::string_view some = word.substr(0, std::max<std::size_t>(length, 1));
    const bool shown = length > 0 && !is_control(code) && !turns_text(code);
    odd = odd || !shown;
    quoted += some == "'" ? std::string("'\\''") : std::string(some);
    if (shown)
      escaped += (some == "'" || some == "\\" ? "\\" : "") + std::string(some);
    else
      for (const char c : some)
        escaped += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    word.remove_prefix(some.size());
  }
  return (odd ? escaped : quoted) + "'";
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;  // a word has begun, be it an empty one
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (!quote && blank) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote) throw UsageError(fmt::format("a quote {} does not end in: {}", quote, line));
  return words;
}

}  // namespace pe
