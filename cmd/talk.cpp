// Writing to stdout and stderr.
#include "talk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/base/text.hpp"
#include "pe/verify/columns.hpp"
#include "progress.hpp"

namespace pe::cmd {

namespace {

std::vector<std::string> waiting;  // for the end
bool outlasts = false;             // a reader that goes away

// What leaves is printable whoever made it, but for the colours that the reports put in.
std::string shown(std::string_view text) {
  constexpr std::string_view colours[] = {"\x1b[0m", "\x1b[31m", "\x1b[32m", "\x1b[33m",
                                          "\x1b[36m"};
  std::string clean;
  for (std::size_t from = 0, at = 0; at <= text.size();) {
    const std::string_view* own = nullptr;
    for (const std::string_view& colour : colours)
      if (text.substr(at).starts_with(colour)) own = &colour;
    if (!own && at < text.size()) {
      at = std::min(text.find('\x1b', at + 1), text.size());
      continue;
    }
    clean += printable(text.substr(from, at - from), true);
    if (!own) break;
    clean += *own;
    from = at += own->size();
  }
  return clean;
}

}  // namespace

void print(const std::string& whole) {
  const std::string text = shown(whole);
  const BesideProgress beside;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE && outlasts) return;
    if (errno == EPIPE) throw ClosedPipe();
    throw FileError(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
  }
}

void outlast_readers() { outlasts = true; }

void say(const std::string& line) {
  const BesideProgress beside;
  std::fputs((printable(line) + "\n").c_str(), stderr);
}

void say_at_end(const std::string& line) {
  if (std::ranges::find(waiting, line) == waiting.end()) waiting.push_back(line);
}

void say_what_waits() {
  for (const std::string& line : std::exchange(waiting, {})) say(line);
}

void say_folded(const std::string& line, std::size_t indent) {
  std::istringstream lines(report_parts::folded(printable(line), 0, indent));
  for (std::string one; std::getline(lines, one);) say(one);
}

}  // namespace pe::cmd
