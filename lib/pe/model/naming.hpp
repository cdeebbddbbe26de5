// Which names of a catalogue somebody means by a word that is none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pe {

/// A name, and other words that people have for the same thing: "rotary rotary-embedding".
struct Named {
  std::string name;
  std::string_view also = {};
};

/// Why a name is meant, the surest first. Case, dashes, underscores, points and what stands before
/// a slash (the owner of a model) tell no two names apart.
enum class Likeness { same, also, begins, misspelt, begun, within, none };

struct Meant {
  Likeness why = Likeness::none;
  std::vector<std::string> names = {};  // at most five, as the catalogue has them
};

/// The names that are meant for the surest reason that any is meant for.
Meant meant_by(std::string_view word, const std::vector<Named>& names);

/// "did you mean a, b or c?", or "" where nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<Named>& names);

/// "unknown WHAT 'WORD': did you mean NAME?", or behind the colon `otherwise` where nothing is
/// near.
std::string unknown(std::string_view what, std::string_view word, const std::vector<Named>& names,
                    std::string_view otherwise);

/// "a, b or c".
std::string either_of(const std::vector<std::string>& names);

}  // namespace pe
