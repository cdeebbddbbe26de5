// What a tool says: results on stdout, talk on stderr.
#pragma once

#include <string>

namespace pe::cmd {

/// Writes text to stdout, printable, and makes sure that it arrived.
void print(const std::string& text);

/// One line of talk on stderr, printable and short.
void say(const std::string& line);

}  // namespace pe::cmd
