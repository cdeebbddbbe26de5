// The line, and how long the rest may take.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "pe/base/text.hpp"

namespace pe::cmd {

Progress::Progress(std::string what) : what_(printable(what)), talks_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::at(double share) {
  if (!talks_) return;
  const std::scoped_lock lock(alone_);
  const Clock::time_point now = Clock::now();
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  const double gone = seconds(now - start_);
  if (gone < 1 || seconds(now - said_) < 0.1) return;
  said_ = now;
  shown_ = true;
  share = std::clamp(share, 0.0, 1.0);
  const std::string rest =
      share > 0.02 ? fmt::format(", {:.0f} s left", gone * (1 - share) / share) : "";
  std::fputs(fmt::format("\r{}: {:3.0f} %{}\x1b[K", what_, 100 * share, rest).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace pe::cmd
