// However a tool ends without an outcome, it leaves one line, exit code 2 and no unfinished file.
#pragma once

#include <string>

namespace pe::cmd {

/// From now on exit(), uncaught exceptions, crashes, and limits of the user's (time of the
/// processor, size of a file, memory of the libraries that abort) end the process so. To be called
/// once, before the first thread starts.
void prepare_to_leave(const std::string& tool);

/// The exit code is the tool's own now.
void settle_outcome();

}  // namespace pe::cmd
