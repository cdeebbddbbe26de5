// What is wrong with a command line, in words of ours: CLI11 speaks of its own concepts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

/// Any error of CLI11's parser. `app` is the subcommand that was asked for last, `lead` the words
/// that lead to it, `typed` all words.
std::string message_of(const CLI::ParseError& error, const CLI::App& app, const std::string& lead,
                       const std::vector<std::string>& typed);

}  // namespace pe::cmd
