// Files that are there stay: with --no-clobber all of them, whichever option names them, and those
// that a report tells of in any case.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace pe::cmd {

CLI::Option* add_no_clobber(CLI::App& app, bool& no_clobber);

/// Throws UsageError where one of the paths that `option` names is a file already. It is asked
/// before the work; "-", standard output, and "" are none.
void keep_what_is_there(const std::vector<std::string>& paths, const std::string& option);

/// Throws UsageError where one of the paths that `option` names is a file that is read, FILE or
/// FILE:TENSOR, by whatever name: it would stand in the place of what it is made of, or tells of.
void keep_what_is_read(const std::vector<std::string>& paths, const std::string& option,
                       const std::vector<std::string>& read);

/// What the options of a command say, but for --output: the files that it reads among it.
std::vector<std::string> values_of(const CLI::App& app);

}  // namespace pe::cmd
