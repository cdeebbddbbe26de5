// fork, a pipe for the answer, a clock, and a memory file for large data.
#include "pe/io/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/io/confine.hpp"
#include "pe/platform/platform.hpp"

namespace pe::io {
namespace {

using Clock = std::chrono::steady_clock;

// The last byte of a child's words.
constexpr char answered = 'A', refused = 'R', unconfined = 'U';
constexpr std::size_t longest_answer = std::size_t{64} << 20;

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

void limit(int resource, std::uint64_t most) {
  const rlimit both{most, most};
  if (setrlimit(resource, &both) != 0) fail("limit a process");
}

[[noreturn]] void run_child(const std::function<std::string()>& work, Allowance allowance,
                            std::uint64_t bytes_before, std::vector<int> kept, int pipe) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  std::string words;
  try {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, allowance.seconds);
    limit(RLIMIT_DATA, bytes_before + allowance.bytes);
    limit(RLIMIT_FSIZE, allowance.room);
    kept.push_back(pipe);
    confine(kept);
    words = work() + answered;
  } catch (const Unconfined& error) {
    words = std::string(error.what()) + unconfined;
  } catch (const FileError& error) {
    words = std::string(error.what()) + refused;
  } catch (...) {
    _exit(1);
  }
  send(pipe, words);
  _exit(0);
}

// Milliseconds until then, as poll counts them.
int until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

// Everything that comes through the pipe; false at the deadline, or when it is more than anybody
// says.
bool hear(int pipe, Clock::time_point deadline, std::string& words) {
  std::vector<char> piece(1 << 16);
  while (words.size() <= longest_answer) {
    pollfd ready{pipe, POLLIN, 0};
    const int count = poll(&ready, 1, until(deadline));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    words.append(piece.data(), static_cast<std::size_t>(got));
  }
  return false;
}

// Where somebody set SIGCHLD to be ignored the child is gone already, and its number not ours.
void end(pid_t child) {
  if (waitpid(child, nullptr, WNOHANG) != 0) return;
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

SharedRoom::SharedRoom() : descriptor_(platform::open_memory_file("room")) {
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

Told in_child(const std::function<std::string()>& work, Allowance allowance,
              std::vector<int> kept) {
  const std::uint64_t bytes_before = platform::data_bytes();
  int ends[2];
  if (platform::open_pipe(ends) != 0) fail("start a process to read with");
  const platform::Fork forked(SIGKILL);
  if (forked.child() == 0) run_child(work, allowance, bytes_before, std::move(kept), ends[1]);
  const int error = errno;
  close(ends[1]);
  if (forked.child() < 0) {
    close(ends[0]);
    errno = error;
    fail("start a process to read with");
  }
  std::string words;
  const auto deadline = Clock::now() + std::chrono::seconds(allowance.wall_seconds);
  const bool heard_all = hear(ends[0], deadline, words);
  close(ends[0]);
  end(forked.child());
  if (!heard_all && words.size() <= longest_answer) return {Told::How::overran, {}};
  const char verdict = words.empty() ? '\0' : words.back();
  if (!words.empty()) words.pop_back();
  if (heard_all && verdict == refused) throw FileError(words);
  if (heard_all && verdict == unconfined) throw Unconfined(words);
  if (!heard_all || verdict != answered) return {Told::How::crashed, {}};
  return {Told::How::answered, std::move(words)};
}

}  // namespace pe::io
