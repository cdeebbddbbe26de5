// Counting columns, and breaking lines at spaces.
#include "pe/verify/columns.hpp"

#include <algorithm>

namespace pe::report_parts {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string head_of(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues(text[end]) && columns-- == 0) break;
  return std::string(text.substr(0, end));
}

std::string folded(std::string_view text, std::size_t start, std::size_t indent, std::size_t most) {
  std::string whole;
  std::size_t used = start, lines = 1;
  while (!text.empty()) {
    const std::size_t gap = std::min(text.find_first_not_of(' '), text.size()),
                      end = std::min(text.find(' ', gap), text.size());
    const std::string_view blanks = text.substr(0, gap), word = text.substr(gap, end - gap);
    text.remove_prefix(end);
    if (word.empty()) break;
    const std::size_t room = lines == most ? line_width - 2 : line_width;
    const bool is_command = word.starts_with("::");  // to GitHub's runner, where a line begins so
    if (used > indent && used + gap + width_of(word) > room && !is_command) {
      if (lines++ == most) return whole + " …";
      whole += "\n" + std::string(indent, ' ');
      used = indent;
    } else {
      whole += blanks;
      used += gap;
    }
    whole += word;
    used += width_of(word);
  }
  return whole;
}

}  // namespace pe::report_parts
