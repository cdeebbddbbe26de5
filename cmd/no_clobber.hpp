// --no-clobber: files that are there stay, whichever option names them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

CLI::Option* add_no_clobber(CLI::App& app, bool& no_clobber);

/// Throws UsageError where one of the paths that `option` names is a file already. It is asked
/// before the work; "-", standard output, and "" are none.
void keep_what_is_there(const std::vector<std::string>& paths, const std::string& option);

}  // namespace pe::cmd
