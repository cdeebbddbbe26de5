// What is wrong with a command line, in words of ours: CLI11 speaks of its own concepts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lexicon.hpp"

namespace pe::cmd {

/// A word that names no subcommand of `app`, where one of sort `own` belongs; `lead` is what a
/// command begins with that has an encoding next.
std::string unknown_word(const CLI::App& app, const std::string& word, Sort own,
                         const std::string& lead);

/// By its suffix.
bool is_dump(const std::string& word);

/// Whether a word is a file's where a name belongs: by its suffix, or since there is one.
bool is_file(const std::string& word, const std::string& lead);

/// Any error of CLI11's parser. `app` is the subcommand that was asked for last, `lead` the words
/// that lead to it, `typed` all words.
std::string message_of(const CLI::ParseError& error, const CLI::App& app, const std::string& lead,
                       const std::vector<std::string>& typed);

}  // namespace pe::cmd
