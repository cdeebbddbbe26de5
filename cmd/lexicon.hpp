// Every name that the tools know, and what is typed for it: for words that stand where they mean
// nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/model/naming.hpp"

namespace pe::cmd {

/// Where a name belongs.
enum class Sort { encoding, model, scaling, law, quantity, field, dialect, dtype, command };

/// What a word means somewhere else than where it stands.
struct Meaning {
  Likeness why;
  Sort sort;
  std::vector<std::string> names;  // one, or several that are alike
  std::string option;              // what is typed behind an encoding: "--model gpt2"; "": nothing
  std::string line;                // a whole command: "pe-gen --model gpt2"
};

/// "a model".
std::string_view name_of(Sort sort);

/// What the word is or begins among names of all sorts but `own`, which belongs where it stands,
/// the surest first; `lead` is what such a command begins with: "pe-verify check".
std::vector<Meaning> meanings_of(std::string_view word, Sort own, const std::string& lead);

/// "pe-gen --model gpt2", "--versus '--model gpt2'": a line behind what stands before it.
std::string behind(const std::string& lead, const std::string& line);

/// The other words of a name of any sort.
std::string_view other_words(std::string_view name);

/// The first encoding that a law or a quantity has a meaning for, as an example of one.
std::string encoding_for(std::string_view law_or_quantity);

}  // namespace pe::cmd
