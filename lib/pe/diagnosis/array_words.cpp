// Parting names where their letters change: at marks, at numbers and at capitals.
#include "pe/diagnosis/array_words.hpp"

#include <cctype>

#include "pe/base/letters.hpp"

namespace pe {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<std::string> array_words(std::string_view name) {
  std::vector<std::string> words;
  char before = ' ';
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char letter = name[i], next = i + 1 < name.size() ? name[i + 1] : ' ';
    const bool counts_thousands =
        is_digit(before) && in_small_letters(letter) == 'k' && !is_alnum(next);
    const bool starts = !is_alnum(before) ||
                        (is_digit(letter) != is_digit(before) && !counts_thousands) ||
                        (std::isupper(static_cast<unsigned char>(letter)) &&
                         std::islower(static_cast<unsigned char>(before)));
    if (is_alnum(letter)) {
      if (starts) words.emplace_back();
      words.back() += in_small_letters(letter);
    }
    before = letter;
  }
  return words;
}

bool is_number_word(std::string_view word) { return !word.empty() && is_digit(word[0]); }

}  // namespace pe
