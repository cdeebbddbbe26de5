// Sameness of letters, beginnings, then slips of the finger.
#include "pe/model/naming.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/letters.hpp"
#include "pe/model/parameter.hpp"

namespace pe {
namespace {

constexpr std::size_t most_names = 5;

// Letters and digits in lower case, and whatever is no ASCII as it stands.
std::string folded(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos && slash + 1 < word.size()) word = word.substr(slash + 1);
  std::string letters;
  for (const char c : in_small_letters(word)) {
    const bool other = static_cast<unsigned char>(c) >= 0x80;
    if (other || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// "rotary" of "rotarypositionalencoding": without what says of any encoding that it is one.
std::string without_kind(std::string letters) {
  constexpr std::string_view kinds[] = {"encodings",  "encoding", "embeddings", "embedding",
                                        "positional", "position", "编码",       "嵌入",
                                        "位置",       "式"};
  const auto ends = [&](std::string_view kind) { return letters.ends_with(kind); };
  for (const auto* kind = std::ranges::find_if(kinds, ends); kind != std::end(kinds);
       kind = std::ranges::find_if(kinds, ends))
    letters.resize(letters.size() - kind->size());
  return letters;
}

// What else a phrase may name: itself without its kind, and the words in Latin letters of one that
// has others, too: "t5" of "T5的相对位置偏置".
std::vector<std::string> names_within(const std::string& letters) {
  std::vector<std::string> names = {without_kind(letters)};
  if (!std::ranges::all_of(letters, is_ascii))
    for (auto first = letters.begin(); first != letters.end();) {
      first = std::find_if(first, letters.end(), is_ascii);
      const auto end = std::find_if_not(first, letters.end(), is_ascii);
      if (end - first > 1) names.emplace_back(first, end);
      first = end;
    }
  std::erase_if(names, [&](const std::string& name) { return name.empty() || name == letters; });
  return names;
}

// Letters to change, leave out, put in or swap with their neighbour (the distance of optimal string
// alignment).
std::size_t slips(const std::string& from, const std::string& to) {
  const std::size_t wide = to.size() + 1;
  std::vector<std::size_t> cell((from.size() + 1) * wide);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cell[i * wide + j]; };
  for (std::size_t i = 0; i <= from.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= to.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= from.size(); ++i)
    for (std::size_t j = 1; j <= to.size(); ++j) {
      at(i, j) = std::min(
          {at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(from.size(), to.size());
}

struct Spelling {
  const Named* named;
  std::string name;
  std::vector<std::string> also, ends;  // ends: of linear-shift, from each of its words on
};

std::vector<Spelling> spellings_of(const std::vector<Named>& names) {
  std::vector<Spelling> spellings;
  for (const Named& named : names) {
    spellings.push_back({&named, folded(named.name), words(named.also), {}});
    for (std::size_t i = named.name.find('-'); i != std::string::npos;
         i = named.name.find('-', i + 1))
      spellings.back().ends.push_back(folded(named.name.substr(i)));
    for (std::string& other : spellings.back().also) other = folded(other);
  }
  return spellings;
}

// Those that `is` likes; of several that are alike, once.
template <typename Is>
std::vector<std::string> those(const std::vector<Spelling>& spellings, const Is& is) {
  std::vector<std::string> names;
  for (const Spelling& spelling : spellings)
    if (is(spelling) && names.size() < most_names &&
        std::ranges::find(names, spelling.named->name) == names.end())
      names.push_back(spelling.named->name);
  return names;
}

// One letter in three may be wrong: of "none", "rope" has two, and is another word.
std::vector<std::string> misspelt(const std::string& word, const std::vector<Spelling>& spellings) {
  constexpr std::size_t longest = 64;  // nobody's name is longer, and the table grows as its square
  if (word.size() > longest) return {};
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::vector<std::size_t> distances;
  for (const Spelling& spelling : spellings) {
    distances.push_back(slips(word, spelling.name));
    least = std::min(least, distances.back());
  }
  if (least > std::max<std::size_t>(1, word.size() / 3)) return {};
  return those(spellings, [&](const Spelling& spelling) {
    return distances[static_cast<std::size_t>(&spelling - spellings.data())] == least;
  });
}

// The longest name that the word begins with.
std::vector<std::string> begun(const std::string& word, const std::vector<Spelling>& spellings) {
  std::size_t longest = 3;
  for (const Spelling& spelling : spellings)
    if (word.starts_with(spelling.name)) longest = std::max(longest, spelling.name.size());
  return those(spellings, [&](const Spelling& spelling) {
    return word.starts_with(spelling.name) && spelling.name.size() == longest;
  });
}

}  // namespace

Meant meant_by(std::string_view word, const std::vector<Named>& names) {
  const std::string letters = folded(word);
  if (letters.empty()) return {};
  const std::vector<Spelling> all = spellings_of(names);
  const bool is_short = letters.size() < 2, is_shorter = letters.size() < 3;
  const auto any_also = [](const Spelling& spelling, const auto& is) {
    return std::ranges::any_of(spelling.also, is);
  };
  const auto begins = [&](const std::string& other) { return other.starts_with(letters); };
  std::vector<std::string> found;
  const auto take = [&](std::vector<std::string> those_found) {
    found = std::move(those_found);
    return !found.empty();
  };
  if (take(those(all, [&](const Spelling& one) { return one.name == letters; })))
    return {Likeness::same, found};
  if (take(those(all, [&](const Spelling& one) {
        return any_also(one, [&](const std::string& other) { return other == letters; });
      })))
    return {Likeness::also, found};
  const std::vector<std::string> within = names_within(letters);
  const auto is_within = [&](const std::string& other) {
    return std::ranges::find(within, other) != within.end();
  };
  if (take(those(all, [&](const Spelling& one) {
        return is_within(one.name) || any_also(one, is_within);
      })))
    return {Likeness::also, found};
  // Names before their other words: what "sinu" begins is sinusoidal, and not sinusoidal-2d.
  if (!is_short && take(those(all, [&](const Spelling& one) { return begins(one.name); })))
    return {Likeness::begins, found};
  if (!is_shorter && take(those(all, [&](const Spelling& one) { return any_also(one, begins); })))
    return {Likeness::begins, found};
  if (!is_short && take(misspelt(letters, all))) return {Likeness::misspelt, found};
  if (take(begun(letters, all))) return {Likeness::begun, found};
  if (!is_shorter &&
      take(those(all, [&](const Spelling& one) { return std::ranges::any_of(one.ends, begins); })))
    return {Likeness::within, found};
  constexpr std::size_t least = 6;  // letters of "rotary" in LlamaRotaryEmbedding
  const auto holds = [&](const std::string& other) {
    return other.size() >= least && letters.find(other) != std::string::npos;
  };
  if (take(
          those(all, [&](const Spelling& one) { return holds(one.name) || any_also(one, holds); })))
    return {Likeness::within, found};
  return {};
}

std::string either_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<Named>& names) {
  const Meant meant = meant_by(word, names);
  return meant.names.empty() ? "" : "did you mean " + either_of(meant.names) + "?";
}

std::string unknown(std::string_view what, std::string_view word, const std::vector<Named>& names,
                    std::string_view otherwise) {
  const std::string near = did_you_mean(word, names);
  return fmt::format("unknown {} '{}': {}", what, word, near.empty() ? otherwise : near);
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
  std::vector<Named> named;
  for (const std::string& other : names) named.push_back({other});
  const Meant meant = meant_by(name, named);
  return meant.names.empty() ? "" : meant.names.front();
}

}  // namespace pe
