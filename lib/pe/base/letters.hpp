// Letters that capitals do not tell apart, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace pe {

constexpr char in_small_letters(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = in_small_letters(c);
  return small;
}

}  // namespace pe
