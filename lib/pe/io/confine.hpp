// What a child process that reads a stranger's file may still ask of the kernel: memory, and the
// descriptors that it was given.
#pragma once

#include <span>

#include "pe/base/error.hpp"

namespace pe::io {

/// Why a process cannot be confined here.
struct Unconfined : FileError {
  using FileError::FileError;
};

/// For good, in this process and this thread alone: standard input, output and error become
/// /dev/null; every other descriptor but `kept` is closed, and no new one can be had; a filter of
/// system calls leaves reading and writing descriptors, memory that is not code, clocks and the end
/// of the process. Everything else (opening, sockets, signals, programs) fails with EPERM. Throws
/// Unconfined where the kernel cannot: then nothing must be read.
void confine(std::span<const int> kept);

}  // namespace pe::io
