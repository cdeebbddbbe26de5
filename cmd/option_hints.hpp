// Options of other programs: what they are called here, and what is wanted where no option is.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pe::cmd {

/// Whether the word is one of the list's.
bool is_among(const std::string& word, std::string_view list);

/// The other words for an option that its schema does not have: "max-len seq-len".
std::string_view called_elsewhere(std::string_view option);

/// What is said to an option of that name, whatever it is near to, or where it is near to none.
std::optional<std::string> surer_hint(const CLI::App& app, const std::string& name);
std::optional<std::string> hint(const CLI::App& app, const std::string& name);

/// "--format csv" of `-f csv`; "" where the option is no single letter, or means nothing here.
std::string letter_meant(const CLI::App& app, const std::string& option, const std::string& value);

}  // namespace pe::cmd
