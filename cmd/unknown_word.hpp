// A word where a name belongs, and what is meant by it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lexicon.hpp"

namespace pe::cmd {

/// A word that names no subcommand of `app`, where one of sort `own` belongs; `lead` is what a
/// command begins with that has an encoding next.
std::string unknown_word(const CLI::App& app, const std::string& word, Sort own,
                         const std::string& lead);

/// Where that is done which the word says, or why nowhere: "plot", "completion"; "" for other
/// words.
std::string deed_meant(const std::string& word);

/// By its suffix.
bool is_dump(const std::string& word);

/// Whether a word is a file's where a name belongs: by its suffix, or since there is one.
bool is_file(const std::string& word, const std::string& lead);

}  // namespace pe::cmd
