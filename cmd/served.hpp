// One request in a process of its own, so that nothing which it does or suffers reaches the next.
#pragma once

#include <functional>
#include <string>

namespace pe::cmd {

/// What leaves a request: lines as its command would print them, and the report.
struct Answer {
  int exit_code = 2;
  std::string text, talk;  // stdout and stderr
  std::string report;      // JSON; empty: none
  std::string error;       // one line: why nothing could be told
  std::string kind;        // of the error: usage, file, mathematics, time, memory, fault or ended
};

/// The exit code of `work`, which gets standard input empty, and what it wrote to standard output
/// and error. What it throws, and what ends it, becomes the error. Throws ClosedPipe, the work
/// ended, when the reader of this process's own standard output goes away meanwhile. To be called
/// while the process has one thread.
Answer carry_out_apart(const std::function<int(std::string& report)>& work);

}  // namespace pe::cmd
