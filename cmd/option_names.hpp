// What options are called: by us, by configs of models, by other programs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lexicon.hpp"
#include "pe/encodings/encoding.hpp"

namespace pe::cmd {

bool has(const CLI::App& app, const std::string& option);

/// Whether a word stands where an option does; - alone is standard input, a value.
inline bool is_option(const std::string& word) { return word.starts_with('-') && word != "-"; }

/// Null where no encoding has the name.
const Encoding* encoding_named(const std::string& name);

/// "gpt2 is a model (--model gpt2)".
std::string told(const Meaning& meaning, const std::string& typed);

/// An option that `app` does not have, and which one is meant; `value` is the word behind it.
std::string unknown_option(const CLI::App& app, const std::string& option,
                           const std::string& value = "");

/// The words, where an option is called by the key that it has in a model's config (--rope-theta,
/// --head_dim), with the option's own name.
std::vector<std::string> with_own_names(const CLI::App& app, std::vector<std::string> words);

}  // namespace pe::cmd
