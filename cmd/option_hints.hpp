// What is wanted where no option is.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace pe::cmd {

/// What is said to an option of that name, whatever it is near to, or where it is near to none.
std::optional<std::string> surer_hint(const CLI::App& app, const std::string& name);
std::optional<std::string> hint(const CLI::App& app, const std::string& name);

}  // namespace pe::cmd
