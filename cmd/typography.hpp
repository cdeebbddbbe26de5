// Marks that a web page, a chat or a Chinese keyboard puts where a command line has ASCII.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pe::cmd {

/// Full-width letters, digits and colons, wide blanks, curved quotes, long dashes and × as ASCII
/// has them; everything else as it is.
std::string as_ascii(std::string_view text);

/// Throws UsageError where an option of `app`, or the number or name behind it, is set in such
/// marks, in quotes that the shell did not take, or with a colon for a blank: it says what is
/// meant. Files and sentences keep theirs.
void refuse_typography(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace pe::cmd
