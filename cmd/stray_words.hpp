// Words that no option took, and which option they belong to.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

/// What is said of the words; `lead` is what the command begins with, `typed` all of its words.
std::string stray_words(const CLI::App& app, const std::vector<std::string>& stray,
                        const std::string& lead, const std::vector<std::string>& typed);

}  // namespace pe::cmd
