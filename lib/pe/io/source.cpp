// Reading files by position, pipes with growth in bounded steps, and what is made late.
#include "pe/io/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pe/base/error.hpp"
#include "pe/io/foreign.hpp"
#include "pe/platform/platform.hpp"

namespace pe::io {
namespace {

constexpr std::size_t smallest_step = 1 << 20;

// A pipe whose other end is held by what the caller started on purpose, however long that takes.
bool is_set_up_by_caller(std::string_view path) {
  const auto is_in = [path](std::string_view folder) { return path.starts_with(folder); };
  return path == "-" || path == "/dev/stdin" ||
         std::ranges::any_of(platform::descriptor_folders(), is_in);
}

bool is_there(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// What is meant by a name that no file has: an array in a file, or what a shell left as it was.
std::string instead_of(const std::string& path) {
  if (const std::size_t at = path.find('['); at != std::string::npos && path.ends_with(']'))
    if (const std::string file = path.substr(0, at); is_there(file))
      return fmt::format(": did you mean '{}:{}'?", file,
                         path.substr(at + 1, path.size() - at - 2));
  if (const std::size_t at = path.rfind('/'); errno == ENOTDIR && at != std::string::npos)
    if (const std::string file = path.substr(0, at); is_there(file))
      return fmt::format(": did you mean '{}:{}'?", file, path.substr(at + 1));
  if (const std::size_t at = path.find(','); at != std::string::npos)
    if (is_there(path.substr(0, at)) && is_there(path.substr(at + 1)))
      return fmt::format(": did you mean '{}' and '{}', each by itself?", path.substr(0, at),
                         path.substr(at + 1));
  if (const std::size_t last = path.find_last_not_of(' '); last + 1 < path.size())
    if (const std::string file = path.substr(0, last + 1); is_there(file))
      return fmt::format(": did you mean '{}', without the blank?", file);
  if (const std::string foreign = foreign_path(path); !foreign.empty()) return ": " + foreign;
  if (path.starts_with('~'))
    return ": a shell makes a home of ~ where a word begins with it and has no quotes";
  if (path.find_first_of("*?") != std::string::npos)
    return ": it is a pattern, which a shell fills in where files match and no quotes are";
  return "";
}

}  // namespace

Source::Source(const std::string& path, Limit most)
    : path_(path), shown_(path == "-" ? "standard input" : fmt::format("'{}'", path)) {
  // Opening a FIFO would wait for somebody to write to it, without an end.
  descriptor_ = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                            : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 && errno == ENOENT && path.find("://") != std::string::npos)
    refuse("it is an address, and nothing here reads the network: fetch the file first");
  if (descriptor_ < 0) refuse(std::strerror(errno) + instead_of(path));
  struct stat status;
  try {
    if (fstat(descriptor_, &status) != 0) refuse(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) refuse("it is a folder: name a file in it");
    // A redirected standard input may stand in the middle of its file, so it is read like a pipe.
    in_file_ = S_ISREG(status.st_mode) && path != "-";
    if (in_file_)
      size_ = static_cast<std::uint64_t>(status.st_size);
    else
      take_pipe(most);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

Source::Source(std::string shown, std::vector<std::byte> bytes)
    : shown_(std::move(shown)), size_(bytes.size()), memory_(std::move(bytes)) {}

Source::Source(std::string shown, std::shared_ptr<const Source> whole, std::uint64_t offset,
               std::uint64_t bytes)
    : shown_(std::move(shown)), size_(bytes), whole_(std::move(whole)), offset_(offset) {}

Source::Source(std::string shown, std::uint64_t bytes, std::function<std::vector<std::byte>()> make)
    : shown_(std::move(shown)), size_(bytes), late_(true), make_(std::move(make)) {}

Source::Source(std::string shown, std::uint64_t bytes, MakeTile make)
    : shown_(std::move(shown)),
      size_(bytes),
      tiles_(std::make_unique<const Tiles>(std::move(make))) {}

Source::~Source() {
  if (descriptor_ >= 0) close(descriptor_);
}

// One byte beyond the limit is asked for, and is what tells. Room grows by doubling, and never
// beyond what may be taken.
void Source::take_pipe(Limit most) {
  if (!has_budget_here() && !is_set_up_by_caller(path_)) wait_.emplace(longest_wait());
  std::size_t filled = 0;
  for (;;) {
    ask_time();
    if (filled > most.bytes)
      refuse(
          fmt::format("more than {} MiB came through the pipe, and what does is held in memory "
                      "whole: read it from a file",
                      most.bytes >> 20));
    if (filled == memory_.size()) {
      const std::uint64_t left = most.bytes + 1 - filled;
      std::uint64_t step = std::max(filled, smallest_step);
      if (left < step + smallest_step) step = left;
      hold(std::min<std::uint64_t>(step, most.bytes - filled), "what comes through the pipe");
      memory_.reserve(filled + step);  // resize() alone might double it
      memory_.resize(filled + step);
    }
    const std::size_t got = take_some(memory_.data() + filled, memory_.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  memory_.resize(filled);
  size_ = filled;
}

std::size_t Source::take_some(std::byte* out, std::size_t bytes) const {
  for (;;) {
    pollfd waiting{descriptor_, POLLIN, 0};
    const int left = wait_ ? wait_->milliseconds() : held_.budget().milliseconds();
    const int ready = poll(&waiting, 1, left);
    held_.budget().ask();
    if (left == 0 && wait_)
      refuse(
          fmt::format("it is no file, and was not at its end after {:g} s{}; standard input is "
                      "waited for as long as it takes",
                      wait_->seconds(), granted().more_time));
    if (ready <= 0) continue;
    const ssize_t count = ::read(descriptor_, out, bytes);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) refuse(std::strerror(errno));
  }
}

void Source::hold(std::uint64_t bytes, const std::string& what) const {
  if (!held_.take(bytes))
    refuse(fmt::format("{} must be held in memory whole, and takes more than {}", what,
                       held_.budget().spell_most()));
}

void Source::make_once() const {
  const std::lock_guard lock(making_);
  if (!make_) return;
  hold(size_, fmt::format("an array of {} MiB that does not lie as it is", size_ >> 20));
  memory_ = make_();
  make_ = nullptr;
}

void Source::read(std::uint64_t offset, void* out, std::size_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    refuse(fmt::format("the file ends at byte {}, {} more are needed", size_,
                       bytes - (size_ - std::min(offset, size_))));
  if (bytes == 0) return;
  held_.budget().ask();
  if (whole_) return whole_->read(offset_ + offset, out, bytes);
  if (tiles_) return tiles_->read(offset, static_cast<std::byte*>(out), bytes);
  if (late_) make_once();
  if (!in_file_) {
    std::memcpy(out, memory_.data() + offset, bytes);
    return;
  }
  auto* next = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t count = pread(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(std::strerror(errno));
    if (count == 0) refuse("it became shorter while it was read");
    next += count;
    bytes -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
}

std::string Source::read_text(std::uint64_t offset, std::size_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    read(offset, nullptr, bytes);  // says how many are missing
  std::string text(bytes, '\0');
  read(offset, text.data(), bytes);
  return text;
}

void Source::refuse(const std::string& why) const {
  throw FileError(fmt::format("cannot read {}: {}", shown_, why));
}

}  // namespace pe::io
