// Where the bytes of a destination go, checked writes, and what has to be on the disk before
// success is said.
#include "pe/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "pe/base/error.hpp"
#include "pe/io/foreign.hpp"
#include "pe/platform/platform.hpp"

namespace pe::io {
namespace {

// The descriptor that a path such as /dev/stdout or /dev/fd/3 means; −1 for other paths. Opening
// these again would start a redirected file over, so they are duplicated instead.
int named_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : platform::descriptor_folders()) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view digits = path.substr(prefix.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return -1;
}

// Follows links by hand, because the last one may point to a file that is yet to be made.
std::string follow_links(const std::string& path) {
  std::filesystem::path target = path;
  std::error_code error;
  for (int steps = 0; steps < 40 && std::filesystem::is_symlink(target, error); ++steps) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

// File systems that cannot be asked to write through have nothing to say.
bool has_failed(int error) {
  return error != EINVAL && error != ENOSYS && error != EOPNOTSUPP && error != EROFS;
}

}  // namespace

Destination::Destination(const std::string& path, bool sync, bool keep, bool together)
    : shown_(path == "-" ? "standard output" : fmt::format("'{}'", path)),
      sync_(sync),
      keep_(keep),
      together_(together) {
  if (path.empty()) throw UsageError("the output file has an empty name");
  const auto refuse_several = [&] {
    if (together_)
      throw UsageError(
          fmt::format("several processes write a file and not {}: name one with -o", shown_));
  };
  if (const int number = named_descriptor(path); number >= 0) {
    refuse_several();
    direct_ = fcntl(number, F_DUPFD_CLOEXEC, 3);
    if (direct_ < 0) fail(errno);
    return;
  }
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (const std::string meant = exists ? "" : foreign_path(path); !meant.empty())
    throw FileError(fmt::format("cannot write {}: {}", shown_, meant));
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    refuse_several();
    open_named(path, S_ISFIFO(status.st_mode));
    return;
  }
  target_ = follow_links(path);
  if (exists && access(target_.c_str(), W_OK) != 0) fail(errno);
  if (together_)
    make_together();
  else
    make_beside();
  if (exists && is_mine()) static_cast<void>(fchmod(descriptor(), status.st_mode & 0777));
}

// A FIFO opens once somebody reads it; to wait for that in open() would have no end.
void Destination::open_named(const std::string& path, bool is_fifo) {
  is_named_ = true;
  const Budget longest(longest_wait());
  while ((direct_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0) {
    if (errno == ENXIO && is_fifo)
      wait_for_reader(longest);
    else if (errno != EINTR)
      fail(errno);
  }
}

// A little, for somebody to be there or to take something. Where a task has a time of its own, that
// counts alone.
void Destination::wait_for_reader(const Budget& longest) const {
  constexpr int often = 20;          // milliseconds
  pollfd room{direct_, POLLOUT, 0};  // a descriptor of −1 is none, and the time passes
  poll(&room, 1, often);
  ask_time();
  if (is_named_ && !has_budget_here() && longest.milliseconds() == 0)
    throw FileError(
        fmt::format("cannot write {}: it is no file, and nobody read from it for {:g} s{}; "
                    "standard output is waited for as long as it takes",
                    shown_, longest.seconds(), granted().more_time));
}

void Destination::make_beside() {
  const std::filesystem::path target = target_;
  if (target.filename().empty()) fail(EISDIR);
  try {
    unfinished_.emplace(target_, together_);
  } catch (const std::system_error& error) {
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    const char* why =
        folder.starts_with('~')
            ? ": a shell makes a home of ~ where a word begins with it and has no quotes"
        : folder.find("://") != std::string::npos || folder.ends_with(":/")
            ? ": nothing here writes to a network"
        : folder.starts_with('$') ? ": a shell fills in what begins with $ and has no single quotes"
                                  : "";
    throw FileError(fmt::format("cannot write {}: no file can be made in the folder '{}': {}{}",
                                shown_, folder, std::strerror(error.code().value()), why));
  }
}

// Rank 0 makes the file, the others open it; it has its name until all have.
void Destination::make_together() {
  ranks().meet();  // all have read what they are to write
  if (is_mine()) make_beside();
  const std::string name = ranks().from_first(is_mine() ? unfinished_->name() : "");
  if (!is_mine()) {
    shared_ = open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (shared_ < 0) fail(errno);
  }
  ranks().meet();
}

Destination::Lines Destination::own_lines(Index lines) const {
  if (!together_) return {0, lines};
  const Index count = ranks().count(), number = ranks().number();
  const auto begin = [&](Index rank) {  // lines · rank / count, which may be beyond 2^63
    return lines / count * rank + lines % count * rank / count;
  };
  return {begin(number), begin(number + 1) - begin(number)};
}

Destination::~Destination() {
  if (direct_ >= 0) close(direct_);
  if (shared_ >= 0) close(shared_);
}

void Destination::fail(int error) const {
  if (error == EPIPE) throw ClosedPipe();
  throw FileError(fmt::format("cannot write {}: {}", shown_, std::strerror(error)));
}

void Destination::reserve(std::uint64_t bytes) {
  if (!seekable() || !is_mine() || bytes < (1 << 20)) return;
  while (platform::claim_room(descriptor(), bytes) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) fail(errno);
    return;
  }
}

void Destination::require_room(std::uint64_t least) const {
  struct stat status;
  struct statvfs room;
  if (fstat(descriptor(), &status) != 0 || !S_ISREG(status.st_mode) ||
      fstatvfs(descriptor(), &room) != 0)
    return;
  std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (room.f_blocks == 0) {  // a file in memory
    const auto memory = platform::memory_of_machine();
    if (!memory) return;
    free = *memory;
  }
  if (least > free && is_mine())
    throw FileError(
        fmt::format("cannot write {}: it takes {} MB at least, and there is room for {}", shown_,
                    least / 1'000'000, free / 1'000'000));
}

void Destination::write(const void* data, std::size_t bytes) {
  if (!seekable())
    write_direct(static_cast<const char*>(data), bytes);
  else if (is_mine())
    write_at(cursor_, data, bytes);
  cursor_ += bytes;
}

// The clock begins anew with whatever is taken.
void Destination::write_direct(const char* next, std::size_t left) const {
  while (left > 0) {
    const Budget longest(longest_wait());
    ssize_t written = 0;
    while ((written = ::write(direct_, next, left)) < 0) {
      if (errno == EAGAIN)
        wait_for_reader(longest);
      else if (errno != EINTR)
        fail(errno);
    }
    next += written;
    left -= static_cast<std::size_t>(written);
  }
}

void Destination::write_at(std::uint64_t offset, const void* data, std::size_t bytes) const {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(descriptor(), next, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    next += written;
    bytes -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

// What a network file system could not keep is told by closing, here of a second descriptor.
void Destination::flush() const {
  if (sync_ && fsync(descriptor()) != 0 && has_failed(errno)) fail(errno);
  if (sync_) return;
  const int second = fcntl(descriptor(), F_DUPFD_CLOEXEC, 3);
  if (second < 0 || (close(second) != 0 && errno != EINTR)) fail(errno);
}

// Where the folder may not be listed, it cannot be flushed.
void Destination::flush_folder() const {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  const int opened =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0 && errno == EACCES) return;
  const bool flushed = opened >= 0 && (fsync(opened) == 0 || !has_failed(errno));
  const int error = errno;
  if (opened >= 0) close(opened);
  if (!flushed) fail(error);
}

void Destination::commit() {
  if (!seekable()) {
    const int descriptor = direct_;
    direct_ = -1;
    if (close(descriptor) != 0 && errno != EINTR) fail(errno);
    return;
  }
  flush();
  if (together_) {
    ranks().meet();
    if (!is_mine()) return;
  }
  try {
    unfinished_->publish(keep_);
  } catch (const std::system_error& error) {
    if (keep_ && error.code().value() == EEXIST)
      throw FileError(
          fmt::format("{} is there, and --no-clobber keeps it: give another -o", shown_));
    fail(error.code().value());
  }
  unfinished_.reset();
  if (sync_) flush_folder();
}

}  // namespace pe::io
