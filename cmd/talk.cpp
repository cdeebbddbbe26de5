// Writing to stdout and stderr.
#include "talk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "pe/base/error.hpp"

namespace pe::cmd {

void print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE) throw ClosedPipe();
    throw FileError(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
  }
}

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

}  // namespace pe::cmd
