// A place to write to: a file that appears complete or not at all, a device, or standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pe {

/// Makes SIGINT, SIGTERM and SIGHUP remove unfinished files before they end the process as they
/// would have. Tools call it once, before the first thread starts; ignored signals stay ignored.
void remove_temporaries_on_signals();

/// Removes this process's unfinished files; for the moment before it ends.
void remove_temporaries();

namespace io {

/// Regular files are written under a temporary name beside their own and renamed by commit(); links
/// are followed, devices, pipes and "-" (standard output) are written directly. Every failure
/// throws FileError, a reader that went away ClosedPipe. Without commit() nothing of a regular file
/// remains.
class Destination {
 public:
  explicit Destination(const std::string& path);
  ~Destination();
  Destination(const Destination&) = delete;
  Destination& operator=(const Destination&) = delete;

  /// Whether bytes may go anywhere by write_at: true of regular files alone.
  bool seekable() const { return !temporary_.empty(); }
  /// The name that a seekable destination has until commit().
  const std::string& temporary() const { return temporary_; }

  /// Claims room on the disk, so that a full one is noticed before the work; a hint where not
  /// supported.
  void reserve(std::uint64_t bytes);
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
  void open_temporary();
  void discard();

  std::string shown_;      // as messages name it
  std::string target_;     // the regular file, links resolved
  std::string temporary_;  // empty when written directly
  int descriptor_ = -1;
  int slot_ = -1;  // where the signal handler finds the temporary name
  std::uint64_t cursor_ = 0;
};

}  // namespace io
}  // namespace pe
