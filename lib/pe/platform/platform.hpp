// What the program asks of a system beyond POSIX; no other file names such a call.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// Answered by Linux's own calls (linux.cpp), or by what every POSIX system has (portable.cpp,
/// which PE_PORTABLE takes on Linux, too). Failures are as POSIX has them: -1 or false, and errno.
namespace pe::platform {

/// A file for this process and its children, which no folder shows and nothing leaves behind.
int open_memory_file(const char* name);

/// pipe(), whose ends no program that is started inherits.
int open_pipe(int (&ends)[2]);

/// A file in the folder, to be written, that has no name and vanishes with its last descriptor. -1
/// with EOPNOTSUPP where there is no such thing, or where it could not get a name.
int open_nameless_file(const char* folder);
/// Gives it a name, which nothing may have: EEXIST.
int give_name(int nameless, const char* path);

/// rename(), with EEXIST where something has the new name. ENOSYS or EINVAL where that is no one
/// call.
int rename_unless_there(const char* from, const char* to);

/// Claims room on the disk for the first `bytes` of a file, and writes nothing. Where that cannot
/// be, EOPNOTSUPP.
int claim_room(int descriptor, std::uint64_t bytes);

/// All memory of the machine in bytes, where the system tells.
std::optional<std::uint64_t> memory_of_machine();

/// Folders, with their last slash, in which a number names a descriptor of whoever asks.
std::span<const std::string_view> descriptor_folders();

/// The first bytes that wait on a descriptor, and stay there: of a file from where it stands on, of
/// a pipe what was written. How many; 0 where that cannot be told.
std::size_t waiting(int descriptor, std::span<char> bytes);

/// What counts towards RLIMIT_DATA of this process now.
std::uint64_t data_bytes();

/// Has the allocator keep up to 64 MiB that were freed, for who asks next, where it would hand each
/// large piece back and fault it in anew: half of the time of what works in blocks. For a process
/// that ends soon, at its start.
void keep_freed_memory();

/// fork(), with a child that does not outlive its parent, however that ends.
class Fork {
 public:
  /// The child gets the signal `number` as soon as its parent is gone.
  explicit Fork(int number);
  ~Fork();
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

  /// As fork() returns it: 0 in the child, -1 and errno where there is none.
  pid_t child() const { return child_; }

 private:
  pid_t child_ = -1;
  int leash_ = -1;  // in the parent, where the child notices that nobody holds it any more
};

/// Closes every descriptor from `first` to `last`.
bool close_between(int first, unsigned last);

/// Whether filter_calls() can be.
bool filters_calls();
/// For good, in this thread: all but reading and writing descriptors, memory that is not code,
/// clocks and the end of the process fails with EPERM. False where the system has no such filter:
/// then a stranger's file must not be handed to a library that crashes on damaged ones.
bool filter_calls();

}  // namespace pe::platform
