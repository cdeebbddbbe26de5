// Text in columns: how wide it is on a screen, and where its lines break.
#pragma once

#include <string>
#include <string_view>

namespace pe::report_parts {

/// A line that fits beside another window, into a log and into a mail.
inline constexpr std::size_t line_width = 100;

/// Columns that printable UTF-8 takes: one for each code point.
std::size_t width_of(std::string_view text);

/// As much of its start as these columns hold.
std::string head_of(std::string_view text, std::size_t columns);

/// `text` behind a line's first `start` columns, its further lines indented by `indent`, none wider
/// than line_width but where one word is; none begins with "::". What goes beyond `most` lines is
/// cut, and ends in "…".
std::string folded(std::string_view text, std::size_t start, std::size_t indent,
                   std::size_t most = 1000);

}  // namespace pe::report_parts
