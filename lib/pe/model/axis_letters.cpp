// Letters, and words, for one axis each.
#include "pe/model/axis_letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"

namespace pe {
namespace {

struct AxisWords {
  char letter;
  std::string_view words;  // between blanks
};
constexpr AxisWords axis_words[] = {
    {'b', " b batch batches bs bsz batch_size "},
    {'h', " h head heads nheads n_heads num_heads "},
    {'s',
     " s l t seq seqlen seq_len sequence sequence_length length len pos position positions "
     "token tokens num_tokens time "},
    {'d', " d e dim head_dim headdim head_size channel channels feature features "},
    {'n', " n "},
};

char letter_of(const std::string& word) {
  for (const AxisWords& row : axis_words)
    if (row.words.find(" " + word + " ") != std::string_view::npos) return row.letter;
  return '?';
}

// In lower case, apart; letters that stand together are words of one letter.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    const char lower = in_small_letters(c);
    if (std::string_view(" ,;[](){}'\"").find(c) == std::string_view::npos)
      parts.back() += lower == '-' ? '_' : lower;
    else
      parts.emplace_back();
  }
  std::erase(parts, "");
  if (parts.size() != 1 || letter_of(parts.front()) != '?') return parts;
  const std::string together = parts.front();
  parts.clear();
  for (const char c : together) parts.emplace_back(1, c);
  return parts;
}

// N counts heads beside H for channels (BSNH) and beside S and D (BSND), tokens in lucidrains'
// bhnd, sequences in PyTorch's NHSD.
void settle_n(std::string& letters) {
  const auto has = [&](char letter) { return letters.find(letter) != std::string::npos; };
  if (!has('n')) return;
  const bool of_channels = !has('d') && has('h');
  if (of_channels) std::ranges::replace(letters, 'h', 'd');
  std::ranges::replace(letters, 'n', of_channels ? 'h' : !has('s') ? 's' : !has('h') ? 'h' : 'b');
}

}  // namespace

std::string axes_meant(std::string_view text) {
  std::string letters;
  for (const std::string& part : parts_of(text)) letters += letter_of(part);
  settle_n(letters);
  const auto times = [&](char letter) { return std::ranges::count(letters, letter); };
  const bool good = times('s') == 1 && times('d') == 1 && times('b') <= 1 && times('h') <= 1 &&
                    letters.find_first_of("?n") == std::string::npos;
  return good ? letters : "";
}

std::string checked_axes(std::string_view text) {
  const std::string axes = axes_meant(text);
  if (axes.empty())
    throw UsageError(
        fmt::format("--axes names each axis once by a letter, b (batch), h (head), s (position), d "
                    "(channel), with s and d "
                    "among them, such as bhsd, bshd, sbhd or sd; got '{}'",
                    text));
  return axes;
}

}  // namespace pe
