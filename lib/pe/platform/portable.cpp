// What every POSIX system has in place of Linux's own calls, or the answer that there is none.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "pe/platform/platform.hpp"

namespace pe::platform {
namespace {

// Of a child: the end of a pipe whose other end its parent has, and what it is sent at the end.
int held_leash = -1;
int signal_at_end = 0;

int copy_of(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

// Not poll(): a process that may open nothing is refused that.
void* wait_for_parent(void*) {
  char byte;
  while (read(held_leash, &byte, 1) < 0 && errno == EINTR) {
  }
  kill(getpid(), signal_at_end);
  return nullptr;
}

// A thread that no signal is delivered to: handlers run where they did before.
bool follow_parent() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool follows = pthread_create(&thread, nullptr, wait_for_parent, nullptr) == 0;
  if (follows) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return follows;
}

}  // namespace

// The C library removes its name at once.
int open_memory_file(const char*) {
  std::FILE* file = std::tmpfile();
  if (!file) return -1;
  const int descriptor = copy_of(fileno(file)), error = errno;
  std::fclose(file);
  errno = error;
  return descriptor;
}

// A program that another thread starts between the two calls inherits the ends all the same.
int open_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return -1;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return 0;
}

int open_nameless_file(const char*) {
  errno = EOPNOTSUPP;
  return -1;
}

int give_name(int, const char*) {
  errno = ENOSYS;
  return -1;
}

int rename_unless_there(const char*, const char*) {
  errno = ENOSYS;
  return -1;
}

int claim_room(int, std::uint64_t) {
  errno = EOPNOTSUPP;
  return -1;
}

std::optional<std::uint64_t> memory_of_machine() {
#ifdef _SC_PHYS_PAGES
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0)
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
#endif
  return std::nullopt;
}

std::span<const std::string_view> descriptor_folders() {
  static constexpr std::string_view folders[] = {"/dev/fd/"};
  return folders;
}

// At least: what was ever resident, which most systems count in KiB.
std::uint64_t data_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

void keep_freed_memory() {}

Fork::Fork(int number) {
  int ends[2];
  if (open_pipe(ends) != 0) return;
  child_ = fork();
  if (child_ != 0) {
    const int error = errno;
    close(ends[0]);
    if (child_ > 0)
      leash_ = ends[1];
    else
      close(ends[1]);
    errno = error;
    return;
  }
  close(ends[1]);
  held_leash = ends[0];
  signal_at_end = number;
  if (!follow_parent()) _exit(2);
}

Fork::~Fork() {
  if (leash_ >= 0) close(leash_);
}

std::size_t waiting(int descriptor, std::span<char> bytes) {
  const off_t at = lseek(descriptor, 0, SEEK_CUR);
  const ssize_t count = at < 0 ? -1 : pread(descriptor, bytes.data(), bytes.size(), at);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool close_between(int first, unsigned last) {
  const long most = sysconf(_SC_OPEN_MAX);
  if (most < 0) return false;
  const int end = static_cast<int>(
      std::min<std::uint64_t>(std::uint64_t{last} + 1, static_cast<std::uint64_t>(most)));
  for (int number = first; number < end; ++number)
    if (number != held_leash) close(number);
  return true;
}

bool filters_calls() { return false; }

bool filter_calls() {
  errno = ENOSYS;
  return false;
}

}  // namespace pe::platform
