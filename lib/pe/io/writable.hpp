// What can be known of writing before there is anything to write.
#pragma once

#include <string>
#include <vector>

#include "pe/io/file.hpp"

namespace pe {

/// Refuses, before the work, what write() would refuse behind it: a suffix of no format, several
/// fields in a format of one array, a binary format on a terminal, a file that cannot be made.
/// `names` are the fields' where they are known, else empty.
void check_output(const Output& output, const std::vector<std::string>& names);

/// The same of write_text(), and of reports.
void check_path(const std::string& path);

}  // namespace pe
