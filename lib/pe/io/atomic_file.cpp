// Temporary siblings, checked writes, and their removal when a signal ends the process.
#include "pe/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr int end_signals[] = {SIGINT, SIGTERM, SIGHUP};

// What the handler may read: plain memory and lock-free flags.
struct Slot {
  std::atomic<bool> taken{false}, armed{false};
  pid_t owner;  // a child that was forked off leaves the file alone
  char path[4096];
};
constinit Slot slots[32];
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remove_and_raise(int number) {
  remove_temporaries();
  raise(number);  // SA_RESETHAND: pending until the handler returns, then ends the process
}

int arm(const std::string& path) {
  if (path.size() >= sizeof(Slot::path)) return -1;
  for (int i = 0; i < static_cast<int>(std::size(slots)); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].owner = getpid();
    slots[i].armed.store(true, std::memory_order_release);
    return i;
  }
  return -1;
}

void disarm(int& slot) {
  if (slot < 0) return;
  slots[slot].armed = false;
  slots[slot].taken = false;
  slot = -1;
}

// Signals wait while a temporary is created and its name not yet noted.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : end_signals) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

// The descriptor that a path such as /dev/stdout or /dev/fd/3 means; −1 for other paths. Opening
// these again would start a redirected file over, so they are duplicated instead.
int named_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
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

}  // namespace

void remove_temporaries() {
  for (const Slot& slot : slots)
    if (slot.armed.load(std::memory_order_acquire) && slot.owner == getpid()) unlink(slot.path);
}

void remove_temporaries_on_signals() {
  for (const int number : end_signals) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_raise;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

namespace io {

Destination::Destination(const std::string& path)
    : shown_(path == "-" ? "standard output" : fmt::format("'{}'", path)) {
  if (path.empty()) throw UsageError("the output file has an empty name");
  if (const int number = named_descriptor(path); number >= 0) {
    descriptor_ = fcntl(number, F_DUPFD_CLOEXEC, 3);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  target_ = follow_links(path);
  if (exists && access(target_.c_str(), W_OK) != 0) fail(errno);
  open_temporary();
  if (exists) static_cast<void>(fchmod(descriptor_, status.st_mode & 0777));
}

void Destination::open_temporary() {
  const std::filesystem::path target = target_;
  const std::string name = target.filename().string();
  if (name.empty()) fail(EISDIR);
  // Names reach 255 bytes, the temporary's too.
  const std::string stem = fmt::format(".{}.tmp.{}", name.substr(0, 220), getpid());
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    const std::string sibling = attempt ? fmt::format("{}.{}", stem, attempt) : stem;
    temporary_ = (target.parent_path() / sibling).string();
    const SignalsHeld held;
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      slot_ = arm(temporary_);
    } else if (errno != EEXIST || attempt == 100) {
      const int error = errno;
      const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
      temporary_.clear();
      throw FileError(fmt::format("cannot write {}: no file can be made in the folder '{}': {}",
                                  shown_, folder, std::strerror(error)));
    }
  }
}

Destination::~Destination() { discard(); }

void Destination::discard() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  disarm(slot_);
}

void Destination::fail(int error) const {
  if (error == EPIPE) throw ClosedPipe();
  throw FileError(fmt::format("cannot write {}: {}", shown_, std::strerror(error)));
}

void Destination::reserve(std::uint64_t bytes) {
  if (!seekable() || bytes < (1 << 20)) return;
  // Not posix_fallocate: where the file system cannot, that writes a byte into every block.
  while (fallocate(descriptor_, 0, 0, static_cast<off_t>(bytes)) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) fail(errno);
    return;
  }
}

void Destination::write(const void* data, std::size_t bytes) {
  if (seekable()) {
    write_at(cursor_, data, bytes);
  } else {
    const auto* next = static_cast<const char*>(data);
    for (std::size_t left = bytes; left > 0;) {
      const ssize_t written = ::write(descriptor_, next, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      next += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  cursor_ += bytes;
}

void Destination::write_at(std::uint64_t offset, const void* data, std::size_t bytes) const {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    next += written;
    bytes -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

void Destination::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0 && errno != EINTR) fail(errno);
  if (!seekable()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  disarm(slot_);
}

}  // namespace io
}  // namespace pe
