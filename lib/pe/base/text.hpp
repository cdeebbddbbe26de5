// Text from files and people, made fit to be shown: on a terminal, in a log, in XML, in a
// spreadsheet, in a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pe {

/// Bytes of one text that a reader is shown; the names that a file gives may be megabytes.
inline constexpr std::size_t longest_text = 4096;

/// `text` where it is no longer than that; else its start and its end, and how much lies between.
std::string shortened(std::string_view text);

/// One short line: control characters and those that turn the direction of writing become '?',
/// newlines and tabs spaces, bytes that are no UTF-8 U+FFFD. With `keep_newlines` whole paragraphs,
/// which are not shortened.
std::string printable(std::string_view text, bool keep_newlines = false);

/// JSON in whose strings the characters that printable() does not show are escapes.
std::string escaped_json(std::string_view json);

/// A cell of CSV: printable, quoted where it must be, and behind an apostrophe where a spreadsheet
/// would take it for a formula (= + - @). Long text is shortened unless `whole`: what the program
/// itself says.
std::string csv_cell(std::string_view text, bool whole = false);

/// A word as a shell reads it back: plain, in '…', or in $'…' where it holds control characters or
/// bytes that are no UTF-8.
std::string shell_word(std::string_view word);

/// The words of a line as a shell parts them, without any expansion: blanks part, '…' and "…" hold
/// together, \ takes the next character as it is. Throws UsageError where a quote does not end.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace pe
