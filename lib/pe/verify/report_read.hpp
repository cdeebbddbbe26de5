// Reading a report back: the JSON that to_json() writes.
#pragma once

#include <string>

#include "pe/verify/check.hpp"

namespace pe {

/// `file` is the report's name in messages. Throws FileError where it is no report, is one of
/// another version, or holds anything that to_json() would not write of what it says: a report that
/// was cut or changed is not taken.
Report parse_report(const std::string& text, const std::string& file);

/// The same of a file of at most 1 GiB; "-" is standard input.
Report read_report(const std::string& path);

}  // namespace pe
