// A child that reads a stranger's file has its memory and the descriptors that it was given, and
// neither hangs nor outlives its parent.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pe/io/confine.hpp"
#include "pe/io/isolated.hpp"
#include "pe/platform/platform.hpp"

TEST_SUITE_BEGIN("child" * doctest::skip(!pe::platform::filters_calls()));

namespace {

using pe::io::Allowance, pe::io::in_child, pe::io::Told;
using How = Told::How;

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    for (const int end : ends) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int ends[2];
};

// Until somebody ends the process; no time of the processor goes by.
std::string hang(const Pipe& pipe) {
  char byte;
  while (read(pipe.ends[0], &byte, 1) >= 0) {
  }
  return "";
}

How how(const std::function<std::string()>& work, Allowance allowance = {}) {
  return in_child(work, allowance).how;
}

// Some undefined behaviour that no compiler foresees.
volatile std::uintptr_t nowhere = 8;

}  // namespace

TEST_CASE("an answer comes back whole, and so does a refusal") {
  const Told told = in_child([] { return std::string(3'000'000, 'x'); }, {});
  CHECK(told.how == How::answered);
  CHECK(told.words == std::string(3'000'000, 'x'));
  CHECK(in_child([] { return std::string(); }, {}).how == How::answered);
  CHECK_THROWS_WITH_AS(in_child([]() -> std::string { throw pe::FileError("it is damaged"); }, {}),
                       "it is damaged", pe::FileError);
}

TEST_CASE("a crash is an answer, whatever it is") {
  CHECK(how([]() -> std::string { std::abort(); }) == How::crashed);
  CHECK(how([]() -> std::string { return reinterpret_cast<const char*>(nowhere); }) ==
        How::crashed);
  CHECK(how([]() -> std::string { std::_Exit(0); }) == How::crashed);
  CHECK(how([]() -> std::string { throw 7; }) == How::crashed);
}

TEST_CASE("memory, time of the processor and the answer have bounds") {
  CHECK(how(
            [] {
              std::vector<char> large(1 << 28, 'x');
              volatile char* kept = large.data();  // clang leaves out an array that nobody reads
              return std::string(3, kept[1 << 27]);
            },
            {.bytes = 1 << 26}) == How::crashed);
  CHECK(how(
            [] {
              while (nowhere != 0) {
              }
              return std::string();
            },
            {.seconds = 1}) == How::crashed);
  CHECK(how([] { return std::string(std::size_t{80} << 20, 'x'); }) == How::crashed);
}

TEST_CASE("a child that hangs is ended by the clock on the wall") {
  const Pipe never;
  const auto start = std::chrono::steady_clock::now();
  CHECK(in_child([&] { return hang(never); }, {.wall_seconds = 1}, {never.ends[0]}).how ==
        How::overran);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("a child can open, make, send and start nothing") {
  std::string name = (std::filesystem::temp_directory_path() / "pe_child_XXXXXX").string();
  const int file = mkstemp(name.data());
  const pid_t parent = getpid();
  const std::vector<std::pair<std::string, std::function<bool()>>> attempts{
      {"open", [] { return open("/dev/null", O_RDONLY) >= 0; }},
      {"make a file", [&] { return creat((name + "x").c_str(), 0600) >= 0; }},
      {"remove a file", [&] { return unlink(name.c_str()) == 0; }},
      {"rename a file", [&] { return rename(name.c_str(), (name + "y").c_str()) == 0; }},
      {"make a socket", [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
      {"duplicate", [] { return dup(0) >= 0; }},
      {"fork", [] { return fork() >= 0; }},
      {"start a program", [] { return execl("/bin/true", "true", nullptr) == 0; }},
      {"send a signal", [&] { return kill(parent, 0) == 0; }},
      {"make code",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED;
       }},
      {"read another descriptor",
       [&] {
         char byte;
         return pread(file, &byte, 1, 0) >= 0;
       }},
      {"write where nothing goes", [] { return write(STDOUT_FILENO, "", 1) != 1; }},
  };
  const Told told = in_child(
      [&] {
        std::string done;
        for (const auto& [what, attempt] : attempts)
          if (attempt()) done += what + "; ";
        return done;
      },
      {});
  CHECK(told.how == How::answered);
  CHECK(told.words == "");
  CHECK(access(name.c_str(), F_OK) == 0);
  REQUIRE(pwrite(file, "kept", 4, 0) == 4);
  CHECK(in_child(
            [&] {
              char bytes[4] = {};
              return pread(file, bytes, 4, 0) == 4 ? std::string(bytes, 4) : "nothing";
            },
            {}, {file})
            .words == "kept");
  close(file);
  unlink(name.c_str());
}

TEST_CASE("where the kernel cannot confine, nothing is read" * doctest::skip(false)) {
  const pid_t child = fork();
  if (child == 0) {
    sock_filter program[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, __NR_prctl},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PR_SET_SECCOMP},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EINVAL},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{6, program};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
    try {
      in_child([] { return std::string(); }, {});
      _exit(0);
    } catch (const pe::io::Unconfined&) {
      _exit(3);
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 3);
}

TEST_CASE("many children at once keep out of each other's way") {
  std::vector<std::thread> threads;
  std::vector<int> sound(8);
  for (std::size_t t = 0; t < sound.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        sound[t] += in_child([&] { return std::to_string(t); }, {}).words == std::to_string(t);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(sound == std::vector<int>(8, 20));
}

TEST_CASE("a child ends with its parent, however that ends") {
  REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);  // orphans come to this process
  for (const int number : {SIGKILL, SIGTERM, SIGSEGV}) {
    const Pipe never, told;
    const pid_t parent = fork();
    if (parent == 0) {
      signal(number, SIG_DFL);
      in_child(
          [&] {
            const pid_t self = getpid();
            return write(told.ends[1], &self, sizeof self) < 0 ? "" : hang(never);
          },
          {}, {never.ends[0], told.ends[1]});
      _exit(0);
    }
    pid_t child = 0;
    REQUIRE(read(told.ends[0], &child, sizeof child) == sizeof child);
    kill(parent, number);
    REQUIRE(waitpid(parent, nullptr, 0) == parent);
    pid_t gone = 0;
    for (int i = 0; i < 5000 && gone == 0; ++i) {
      gone = waitpid(child, nullptr, WNOHANG);
      usleep(1000);
    }
    CHECK(gone == child);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

TEST_SUITE_END();
