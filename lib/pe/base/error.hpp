// The three failures: bad usage, bad file, bad mathematics. Every message is one full sentence.
#pragma once

#include <stdexcept>

namespace pe {

/// A parameter, name or combination that makes no sense. Names the option, the value and what to
/// do.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written, or that lies about its contents. Names the path.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A computation that has no answer (overflow, an ill-posed fit).
struct MathError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The reader of our output went away (a closed pipe). Not a failure to talk about.
struct ClosedPipe : std::runtime_error {
  ClosedPipe() : std::runtime_error("the reader closed the pipe") {}
};

}  // namespace pe
