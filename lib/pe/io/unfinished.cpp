// Nameless files, locked names, and their removal when a signal ends the process.
#include "pe/io/unfinished.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "pe/platform/platform.hpp"

namespace pe {
namespace {

constexpr int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int most_attempts = 100;

// What the handler may read: plain memory and lock-free flags.
struct Slot {
  std::atomic<bool> taken{false}, armed{false};
  pid_t owner = 0;  // a child that was forked off leaves the file alone
  char path[4096] = {};
};
constinit Slot slots[32];
static_assert(std::atomic<bool>::is_always_lock_free);

void (*before_the_end)() noexcept = nullptr;

extern "C" void remove_and_raise(int number) {
  if (before_the_end) before_the_end();
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

// Signals wait while a name is made and not yet noted.
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

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

bool lies_at(int descriptor, const std::string& path) {
  struct stat open_file, there;
  return fstat(descriptor, &open_file) == 0 && lstat(path.c_str(), &there) == 0 &&
         open_file.st_dev == there.st_dev && open_file.st_ino == there.st_ino;
}

// Whether the name is free: it was, or the lock proves that whoever made the file has ended. The
// lock goes with the open file, so the kernel lets go of it whatever ends the process, on another
// machine too. While it is held here nobody else removes the name, and its maker, who locks it
// right after making it, sees that it was removed and takes another.
bool remove_if_dead(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  struct stat status;
  const bool dead = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                    flock(descriptor, LOCK_EX | LOCK_NB) == 0 && lies_at(descriptor, path) &&
                    unlink(path.c_str()) == 0;
  close(descriptor);
  return dead;
}

// False where somebody who looked for dead ones was quicker. Where there are no locks nobody
// removes what others made.
bool hold(int descriptor, const std::string& path) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return lies_at(descriptor, path);
}

}  // namespace

void remove_temporaries() {
  for (const Slot& slot : slots)
    if (slot.armed.load(std::memory_order_acquire) && slot.owner == getpid()) unlink(slot.path);
}

void remove_temporaries_on_signals(void (*first)() noexcept) {
  before_the_end = first;
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

Unfinished::Unfinished(const std::string& target, bool seen) : target_(target) {
  remove_if_dead(sibling(0));  // of a file system that had no nameless files, or of a replacement
  if (seen || !open_nameless()) open_named();
}

Unfinished::~Unfinished() {
  if (!name_.empty()) unlink(name_.c_str());
  disarm(slot_);
  if (descriptor_ >= 0) close(descriptor_);
}

std::string Unfinished::sibling(int attempt) const {
  const std::filesystem::path target = target_;
  // Names reach 255 bytes, this one too.
  const std::string stem = fmt::format(".{}.pe-tmp", target.filename().string().substr(0, 220));
  return (target.parent_path() / (attempt ? fmt::format("{}.{}", stem, attempt) : stem)).string();
}

// False where the file system has no such thing, or where it could get no name later.
bool Unfinished::open_nameless() {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  descriptor_ = platform::open_nameless_file(folder.empty() ? "." : folder.c_str());
  if (descriptor_ < 0) {
    if (errno != EOPNOTSUPP) fail(errno);
    return false;
  }
  static_cast<void>(flock(descriptor_, LOCK_EX | LOCK_NB));  // for the moment of publish()
  return true;
}

void Unfinished::open_named() {
  for (int attempt = 0, turns = 0; turns < most_attempts; ++turns) {
    std::string path = sibling(attempt);
    const SignalsHeld held;
    descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      if (errno != EEXIST) fail(errno);
      if (!remove_if_dead(path)) ++attempt;
      continue;
    }
    if (hold(descriptor_, path)) {
      name_.swap(path);  // which needs no memory
      slot_ = arm(name_);
      return;
    }
    close(descriptor_);
    descriptor_ = -1;
  }
  fail(EEXIST);
}

void Unfinished::link_beside(bool keep) {
  if (platform::give_name(descriptor_, target_.c_str()) == 0) return;
  if (errno != EEXIST || keep) fail(errno);
  // No call gives a nameless file the name of another: it takes one of its own for a moment.
  for (int attempt = 0; name_.empty(); ++attempt) {
    std::string beside = sibling(attempt);
    if (platform::give_name(descriptor_, beside.c_str()) == 0) {
      name_.swap(beside);
      slot_ = arm(name_);
    } else if (errno != EEXIST || attempt == most_attempts) {
      fail(errno);
    } else {
      remove_if_dead(beside);
    }
  }
}

void Unfinished::rename_beside(bool keep) {
  if (!keep) {
    if (std::rename(name_.c_str(), target_.c_str()) != 0) fail(errno);
  } else if (platform::rename_unless_there(name_.c_str(), target_.c_str()) != 0) {
    // A file system that knows no such renaming may know links, which replace nothing either.
    if (errno != EINVAL && errno != ENOSYS) fail(errno);
    if (link(name_.c_str(), target_.c_str()) != 0) fail(errno);
    unlink(name_.c_str());
  }
  name_.clear();
  disarm(slot_);
}

void Unfinished::publish(bool keep) {
  const SignalsHeld held;
  if (name_.empty()) link_beside(keep);
  if (!name_.empty()) rename_beside(keep);
}

}  // namespace io
}  // namespace pe
