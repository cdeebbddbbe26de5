// Handlers of signals, of exit() and of memory that runs out.
#include "leaving.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmp.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "pe/io/unfinished.hpp"
#include "progress.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

// Whoever calls exit() before a tool has its outcome, with whatever code, leaves with 2: libraries
// have ended programs with 0 (reference BLAS, on a wrong argument).
std::atomic<bool> has_outcome = false;
// Whether that outcome is an error, whose line has been said.
std::atomic<bool> has_failed = false;

// What a handler says may allocate nothing.
char tool_name[40];
char too_late[160];

[[noreturn]] void leave(std::string_view why) {
  hide_progress();
  remove_temporaries();
  char line[200];
  const auto end = fmt::format_to_n(line, sizeof line - 1, "{}: {}\n", tool_name, why);
  static_cast<void>(!write(STDERR_FILENO, line, std::min(end.size, sizeof line - 1)));
  std::_Exit(2);
}

void leave_unless_decided() {
  if (!has_outcome) leave("something ended the program before it had an outcome");
}

// An exception that got out of a thread or a destructor.
[[noreturn]] void leave_after_exception() {
  leave("an error that nobody expected ended the program");
}

extern "C" void leave_out_of_time(int) {
  leave("the limit of processor time (ulimit -t) is reached");
}

extern "C" void leave_too_late(int) { leave(too_late); }

// A library that ran out of memory may crash while the program ends: the error's own line was said.
extern "C" void leave_after_crash(int) {
  if (has_failed) {
    remove_temporaries();
    std::_Exit(2);
  }
  leave("a crash, which is a fault of this program or of a library: please report the command");
}

// A limit is a failure like others: a write beyond the largest size of a file fails by itself where
// its signal is ignored; the one of the processor's time has no other word.
void obey_limits() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGXCPU, leave_out_of_time);
  rlimit time;  // where both limits are one, as of `ulimit -t`, SIGKILL is all that comes
  if (getrlimit(RLIMIT_CPU, &time) != 0 || time.rlim_max == RLIM_INFINITY) return;
  if (time.rlim_cur < time.rlim_max || time.rlim_max < 2) return;
  time.rlim_cur = time.rlim_max - 1;
  setrlimit(RLIMIT_CPU, &time);
}

// Where a debugger or a sanitizer waits for crashes, they are theirs.
void outlive_crashes() {
  static char room[1 << 16];  // a stack that overflowed has none for a handler
  stack_t stack = {};
  stack.ss_sp = room;
  stack.ss_size = sizeof room;
  sigaltstack(&stack, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = leave_after_crash;
    action.sa_flags = SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
}

// A standard stream that whoever started this closed would be the next file that is opened: `-`
// would read another input, and messages would go into an output. What stands in for it fails as it
// would.
void fill_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
      leave("a standard stream is closed, and /dev/null cannot be opened in its place");
  }
}

// GMP knows no other end than abort(), and GnuTLS, which HDF5 brings along, makes it a silent one.
void* allocate(std::size_t bytes) {
  if (void* memory = std::malloc(bytes)) return memory;
  leave(out_of_memory);
}
void* reallocate(void* old, std::size_t, std::size_t bytes) {
  if (void* memory = std::realloc(old, bytes)) return memory;
  leave(out_of_memory);
}
void release(void* memory, std::size_t) { std::free(memory); }

}  // namespace

void prepare_to_leave(const std::string& tool) {
  tool.copy(tool_name, sizeof tool_name - 1);
  fill_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  remove_temporaries_on_signals(hide_progress);
  obey_limits();
  outlive_crashes();
  mp_set_memory_functions(allocate, reallocate, release);
  std::set_terminate(leave_after_exception);
  if (std::atexit(leave_unless_decided) != 0) leave(out_of_memory);
}

bool leave_late(double seconds) {
  itimerval before{};
  if (seconds <= 0 || seconds > 3.2e7 || getitimer(ITIMER_REAL, &before) != 0) return false;
  if (before.it_value.tv_sec != 0 || before.it_value.tv_usec != 0) return false;
  // The words of Budget::ask(): whoever reads them need not know which of the two it was.
  *fmt::format_to_n(too_late, sizeof too_late - 1,
                    "could not tell in {:g} s, the time that it may take (--timeout gives it more)",
                    seconds)
       .out = '\0';
  std::signal(SIGALRM, leave_too_late);
  const itimerval late{{}, {static_cast<time_t>(seconds * 1.1 + 3), 0}};
  return setitimer(ITIMER_REAL, &late, nullptr) == 0;
}

void never_leave_late() {
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
}

void settle_outcome(int code) {
  has_failed = code == 2;
  has_outcome = true;
}

}  // namespace pe::cmd
