// What a tool says: results on stdout, talk on stderr.
#pragma once

#include <string>

namespace pe::cmd {

/// Writes text to stdout, printable, and makes sure that it arrived.
void print(const std::string& text);

/// From here on text that nobody reads any more is dropped and the work goes on, to its exit code
/// and its reports: a verdict is no less one where whoever read stdout had enough of it.
void outlast_readers();

/// What is said where memory runs out, which tells nobody for what.
inline constexpr const char* out_of_memory =
    "out of memory: a file that is read, or what is asked for (positions, --dim), is too large";

/// One line of talk on stderr, printable and short.
void say(const std::string& line);

/// The same once what is asked for is done; a refusal is one line, and drops these.
void say_at_end(const std::string& line);
void say_what_waits();

/// The same over as many lines as its width takes, those behind the first indented.
void say_folded(const std::string& line, std::size_t indent);

}  // namespace pe::cmd
