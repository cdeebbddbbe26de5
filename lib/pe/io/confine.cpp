// Two walls: a limit of no descriptors, which every kernel has, and a filter of system calls, which
// lets pass what a list names.
#include "pe/io/confine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "pe/platform/platform.hpp"

namespace pe::io {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Unconfined(fmt::format("this system cannot confine the process that is to read it ({}: {})",
                               what, std::strerror(errno)));
}

void close_between(int first, unsigned last) {
  if (!platform::close_between(first, last)) fail("descriptors");
}

void close_all_but(std::span<const int> kept) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) fail("/dev/null");
  std::vector<int> numbers(kept.begin(), kept.end());
  std::ranges::sort(numbers);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (!std::ranges::binary_search(numbers, standard)) dup2(nowhere, standard);
  int first = STDERR_FILENO + 1;
  for (const int number : numbers) {
    if (number < first) continue;
    close_between(first, static_cast<unsigned>(number) - 1);
    first = number + 1;
  }
  close_between(first, ~0u);
}

}  // namespace

void confine(std::span<const int> kept) {
  close_all_but(kept);
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) fail("RLIMIT_NOFILE");
  if (!platform::filter_calls()) fail("a filter of system calls");
}

}  // namespace pe::io
