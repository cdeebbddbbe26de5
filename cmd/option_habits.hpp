// What options are called by habit: by other programs, and by a letter alone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace pe::cmd {

/// Whether the word is one of the list's.
bool is_among(const std::string& word, std::string_view list);

/// The other words for an option that its schema does not have: "max-len seq-len".
std::string_view called_elsewhere(std::string_view option);

/// "--format csv" of `-f csv`; "" where the option is no single letter, or means nothing here.
std::string letter_meant(const CLI::App& app, const std::string& option, const std::string& value);

}  // namespace pe::cmd
