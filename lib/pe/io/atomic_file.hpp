// A place to write to: a file that appears complete or not at all, a device, or standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "pe/base/budget.hpp"
#include "pe/base/ranks.hpp"
#include "pe/io/file.hpp"
#include "pe/io/unfinished.hpp"

namespace pe::io {

/// Regular files appear under their name with commit(); links are followed, devices, pipes and "-"
/// (standard output) are written directly. Every failure throws FileError, a reader that went away
/// ClosedPipe. Without commit() nothing of a regular file remains, whatever ends the process
/// (unfinished.hpp). A pipe or device that a path names is given up when for longest_wait() nobody
/// takes a byte of it, or a task's own time is over; what the caller set up is waited for.
///
/// Together with the other ranks (base/ranks.hpp) it is one file: what goes to the cursor is
/// written by rank 0, and each rank writes its own lines of a field. All of them make it and
/// commit() it.
class Destination {
 public:
  /// With `sync` commit() returns when the file and its name are on the disk; with `keep` a file
  /// that is there by then stays, and commit() throws. Together only a regular file can be written.
  explicit Destination(const std::string& path, bool sync = true, bool keep = false,
                       bool together = false);
  explicit Destination(const Output& output)
      : Destination(output.path, output.sync, output.keep, output.together) {}
  ~Destination();
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;

  /// Whether bytes may go anywhere by write_at: true of regular files alone.
  bool seekable() const { return unfinished_ || shared_ >= 0; }

  /// Those of so many lines that this process writes.
  struct Lines {
    Index first, count;
  };
  Lines own_lines(Index lines) const;

  /// Claims room on the disk, so that a full one is noticed before the work; a hint where not
  /// supported.
  void reserve(std::uint64_t bytes);
  /// Throws FileError where so many bytes cannot go there: more than a disk has free, or than there
  /// is memory for a file that lies in it. Of pipes nothing is known.
  void require_room(std::uint64_t least) const;
  /// Appends at the cursor.
  void write(const void* data, std::size_t bytes);
  /// Writes elsewhere and leaves the cursor; several threads may, on parts that do not overlap.
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes) const;
  std::uint64_t cursor() const { return cursor_; }
  void skip(std::uint64_t bytes) { cursor_ += bytes; }

  void commit();
  /// Throws what the errno value means for this destination.
  [[noreturn]] void fail(int error) const;

 private:
  void open_named(const std::string& path, bool is_fifo);
  void wait_for_reader(const Budget& longest) const;
  void write_direct(const char* next, std::size_t left) const;
  void make_beside();
  void make_together();
  bool is_mine() const { return !together_ || ranks().is_first(); }
  void flush() const;
  void flush_folder() const;
  int descriptor() const {
    return unfinished_ ? unfinished_->descriptor() : shared_ >= 0 ? shared_ : direct_;
  }

  std::string shown_;   // as messages name it
  std::string target_;  // the regular file, links resolved
  std::optional<Unfinished> unfinished_;
  int direct_ = -1;        // of what is no regular file
  int shared_ = -1;        // of the file that rank 0 is making
  bool is_named_ = false;  // by a path, and not set up by the caller
  bool sync_, keep_, together_;
  std::uint64_t cursor_ = 0;
};

}  // namespace pe::io
