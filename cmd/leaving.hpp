// However a tool ends without an outcome, it leaves one line, exit code 2 and no unfinished file.
#pragma once

#include <string>

namespace pe::cmd {

/// From now on exit(), uncaught exceptions, crashes, and limits of the user's (time of the
/// processor, size of a file, memory of the libraries that abort) end the process so. To be called
/// once, before the first thread starts.
void prepare_to_leave(const std::string& tool);

/// Ends the process so when `seconds`, a tenth of them and two more have passed: work of that long
/// was to ask whether its time is over, and did not. False, and nothing changes, where that is
/// arranged already or the time has no end.
bool leave_late(double seconds);
void never_leave_late();

/// The exit code is the tool's own now; after a 2, a crash at the end has no second line.
void settle_outcome(int code);

}  // namespace pe::cmd
