// fork, a pipe for the answer, and a memory file for large data.
#include "pe/io/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "pe/base/error.hpp"

namespace pe::io {
namespace {

constexpr char answered = 'A', refused = 'R';  // the last byte of a child's words

[[noreturn]] void fail(const char* what) {
  throw FileError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

void send(int pipe, const std::string& words) {
  for (std::size_t sent = 0; sent < words.size();) {
    const ssize_t count = write(pipe, words.data() + sent, words.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

// The memory that counts towards RLIMIT_DATA now.
std::uint64_t data_bytes() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void run_child(const std::function<std::string()>& work, Allowance allowance,
                            int pipe) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  const std::uint64_t bytes = data_bytes() + allowance.bytes;
  const rlimit no_core{0, 0}, time{allowance.seconds, allowance.seconds}, memory{bytes, bytes};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_DATA, &memory);
  const int nowhere = open("/dev/null", O_WRONLY);  // what a crash says is not for the user
  dup2(nowhere, STDERR_FILENO);
  std::string words;
  try {
    words = work() + answered;
  } catch (const FileError& error) {
    words = std::string(error.what()) + refused;
  } catch (...) {
    _exit(1);
  }
  send(pipe, words);
  _exit(0);
}

}  // namespace

SharedRoom::SharedRoom() : descriptor_(memfd_create("room", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("make room in memory");
}

SharedRoom::~SharedRoom() { close(descriptor_); }

std::byte* SharedRoom::claim(std::size_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("make room in memory");
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) fail("make room in memory");
  return static_cast<std::byte*>(memory);
}

std::vector<std::byte> SharedRoom::take(std::size_t bytes) const {
  std::vector<std::byte> data(bytes);
  for (std::size_t got = 0; got < bytes;) {
    const ssize_t count =
        pread(descriptor_, data.data() + got, bytes - got, static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("take data back from memory");
    got += static_cast<std::size_t>(count);
  }
  return data;
}

std::optional<std::string> in_child(const std::function<std::string()>& work, Allowance allowance) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("start a process to read with");
  const pid_t child = fork();
  if (child < 0) fail("start a process to read with");
  if (child == 0) run_child(work, allowance, ends[1]);
  close(ends[1]);
  std::string words;
  char piece[4096];
  for (;;) {
    const ssize_t count = read(ends[0], piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    words.append(piece, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const char verdict = words.empty() ? '\0' : words.back();
  if (!words.empty()) words.pop_back();
  if (verdict == refused) throw FileError(words);
  if (verdict != answered) return std::nullopt;
  return words;
}

}  // namespace pe::io
