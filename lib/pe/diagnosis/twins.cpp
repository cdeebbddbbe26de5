// Which arrays are named as others are.
#include "pe/diagnosis/twins.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "pe/diagnosis/array_words.hpp"

namespace pe {
namespace {

// A name in its parts: what it is of, its first number, and words that say no other thing.
struct Parts {
  std::string stem, number, spelling;
};

Parts parts_of(const std::string& name, bool sides_alike) {
  constexpr std::string_view sides[] = {"q", "k", "query", "key"};
  constexpr std::string_view says_nothing[] = {"cache",  "cached",   "caches", "table",  "tables",
                                               "buffer", "emb",      "embed",  "rotary", "rope",
                                               "pos",    "position", "values"};
  Parts parts;
  for (const std::string& word : array_words(name)) {
    const bool is_spelling = std::ranges::find(says_nothing, word) != std::end(says_nothing) ||
                             (sides_alike && std::ranges::find(sides, word) != std::end(sides));
    if (is_number_word(word) && parts.number.empty())
      parts.number = word;
    else
      (is_spelling ? parts.spelling : parts.stem) += word + ' ';
  }
  return parts;
}

}  // namespace

void find_twins(Companions& all, bool sides_alike) {
  std::vector<Parts> main;
  for (const Stored& array : all.main.arrays) main.push_back(parts_of(array.name, sides_alike));
  std::map<std::pair<std::string, std::string>, Dump> found;  // by spelling and number
  std::vector<Stored> kept;
  for (Stored& array : all.others) {
    const Parts parts = parts_of(array.name, sides_alike);
    const bool is_named = std::ranges::find(main, parts.stem, &Parts::stem) != main.end();
    (is_named ? found[{parts.spelling, parts.number}].arrays : kept).push_back(std::move(array));
  }
  for (auto& [key, dump] : found) {
    const bool is_respelled = std::ranges::find(main, key.first, &Parts::spelling) == main.end();
    if (dump.arrays.size() != main.size())
      std::ranges::move(dump.arrays, std::back_inserter(kept));
    else
      (is_respelled ? all.copies : all.twins).push_back(std::move(dump));
  }
  all.others = std::move(kept);
}

Expectation expectation_of_copy(const Expectation& expected, bool from_zero) {
  Expectation copy = expected;
  copy.layout.clear();
  copy.rows.reset();
  if (!from_zero) return copy;
  copy.first = 0;
  copy.step = 1;
  copy.listed.clear();
  return copy;
}

}  // namespace pe
