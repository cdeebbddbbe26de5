// fork, two files in memory for what the command prints, and one for what came of it.
#include "served.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "leaving.hpp"
#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/platform/platform.hpp"
#include "talk.hpp"

namespace pe::cmd {
namespace {

[[noreturn]] void fail(const char* what) {
  throw FileError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// A file in memory that parent and child see.
class Sheet {
 public:
  Sheet() : descriptor_(platform::open_memory_file("request")) {
    if (descriptor_ < 0) fail("make room in memory");
  }
  ~Sheet() { close(descriptor_); }
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  int descriptor() const { return descriptor_; }

  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR) fail("keep a report");
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }

  std::string read() const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    std::string text(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    for (std::size_t got = 0; got < text.size();) {
      const ssize_t count =
          pread(descriptor_, text.data() + got, text.size() - got, static_cast<off_t>(got));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("take a report back from memory");
      got += static_cast<std::size_t>(count);
    }
    return text;
  }

 private:
  int descriptor_;
};

struct Sheets {
  Sheet text, talk, report, end;  // `end`: exit code, kind and error, when the work came to one
};

struct End {
  int exit_code = 2;
  std::string kind, error;
};

End end_of(const std::function<int(std::string&)>& work, std::string& report) {
  try {
    return {work(report), "", ""};
  } catch (const UsageError& error) {
    return {2, "usage", error.what()};
  } catch (const FileError& error) {
    return {2, "file", error.what()};
  } catch (const MathError& error) {
    return {2, "mathematics", error.what()};
  } catch (const OutOfTime& error) {
    return {2, "time", error.what()};
  } catch (const std::bad_alloc&) {
    return {2, "memory", out_of_memory};
  } catch (const std::exception& error) {
    return {2, "fault", error.what()};
  } catch (...) {
    return {2, "fault", "an error without a text"};
  }
}

[[noreturn]] void run_child(const std::function<int(std::string&)>& work, const Sheets& sheets) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
      dup2(sheets.text.descriptor(), STDOUT_FILENO) < 0 ||
      dup2(sheets.talk.descriptor(), STDERR_FILENO) < 0)
    _exit(2);
  std::string report;
  const End end = end_of(work, report);
  sheets.report.write(report);
  sheets.end.write(fmt::format("{}\n{}\n{}\n", end.exit_code, end.kind, end.error));
  settle_outcome(end.exit_code);
  std::_Exit(end.exit_code);
}

// Until every descriptor of the child's end of `life` is closed; false when the reader of standard
// output went away before.
bool wait_for_end(int life) {
  for (;;) {
    pollfd watched[] = {{life, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    if (poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      fail("wait for a request");
    }
    if (watched[0].revents) return true;
    if (watched[1].revents & POLLERR) return false;
  }
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;  // somebody set SIGCHLD to be ignored
  return status;
}

// The last line that the process said: its handlers of crashes and of the time say why it ends.
std::string last_line(std::string talk) {
  while (talk.ends_with('\n')) talk.pop_back();
  talk.erase(0, talk.rfind('\n') + 1);
  constexpr std::string_view tool = "pe-verify: ";
  return talk.starts_with(tool) ? talk.substr(tool.size()) : talk;
}

void put_end(Answer& answer, const std::string& told, int status) {
  const std::size_t code = told.find('\n'), kind = told.find('\n', code + 1);
  if (told.ends_with('\n') && kind != std::string::npos && kind + 1 < told.size()) {
    answer.exit_code = std::atoi(told.c_str());
    answer.kind = told.substr(code + 1, kind - code - 1);
    answer.error = told.substr(kind + 1, told.size() - kind - 2);
    return;
  }
  answer.kind = "ended";
  answer.error = last_line(answer.talk);
  if (WIFSIGNALED(status) || answer.error.empty())
    answer.error = WIFSIGNALED(status)
                       ? fmt::format("the process of this request was ended by signal {} ({})",
                                     WTERMSIG(status), strsignal(WTERMSIG(status)))
                       : "the process of this request ended without a word";
}

}  // namespace

Answer carry_out_apart(const std::function<int(std::string&)>& work) {
  const Sheets sheets;
  int life[2];
  if (platform::open_pipe(life) != 0) fail("start a process for a request");
  const platform::Fork forked(SIGTERM);
  const pid_t child = forked.child();
  if (child == 0) {
    close(life[0]);
    run_child(work, sheets);
  }
  const int error = errno;
  close(life[1]);
  if (child < 0) {
    close(life[0]);
    errno = error;
    fail("start a process for a request");
  }
  const bool heard = wait_for_end(life[0]);
  close(life[0]);
  if (!heard) kill(child, SIGTERM);
  const int status = status_of(child);
  if (!heard) throw ClosedPipe();
  Answer answer;
  answer.text = sheets.text.read();
  answer.talk = sheets.talk.read();
  answer.report = sheets.report.read();
  put_end(answer, sheets.end.read(), status);
  return answer;
}

}  // namespace pe::cmd
