// The line, and how long the rest may take.
#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "pe/base/text.hpp"
#include "pe/verify/columns.hpp"

namespace pe::cmd {
namespace {

std::atomic<bool> is_shown = false, is_taken = false;
std::mutex screen;

// `pe-gen … | less`: the screen is the reader's.
bool is_piped() {
  struct stat out {};
  return fstat(STDOUT_FILENO, &out) == 0 && S_ISFIFO(out.st_mode);
}

bool can_talk() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !is_piped() && !(term && std::string_view(term) == "dumb");
}

bool in_foreground() { return tcgetpgrp(STDERR_FILENO) == getpgrp(); }

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string spell_seconds(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// A line that reached the last column would wrap, and could not be taken back.
std::string fitted(const std::string& what, const std::string& how_far) {
  const std::size_t room = columns() - 1, tail = report_parts::width_of(how_far);
  if (tail + 2 > room) return report_parts::head_of(how_far.substr(2), room);
  return report_parts::head_of(what, room - tail) + how_far;
}

void put(const std::string& text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

Progress::Progress(std::string what)
    : what_(printable(what)), talks_(can_talk() && !is_taken.exchange(true)) {
  if (talks_) clock_ = std::jthread([this](const std::stop_token& stop) { keep_drawing(stop); });
}

Progress::~Progress() {
  if (!talks_) return;
  clock_ = {};
  hide_progress();
  is_taken = false;
}

void Progress::at(double share) {
  if (!talks_) return;
  const std::scoped_lock lock(alone_);
  share_ = next_ = std::clamp(share, 0.0, 1.0);
  since_ = Clock::now();
}

void Progress::begin(std::string what, double share, double next) {
  if (!talks_) return;
  const std::scoped_lock lock(alone_);
  part_ = ": " + printable(what);
  has_parts_ = true;
  share_ = std::clamp(share, 0.0, 1.0);
  next_ = std::clamp(next, share_, 1.0);
  since_ = Clock::now();
}

void Progress::count(std::size_t done, std::size_t all, const std::string& of) {
  begin(fmt::format("{} of {} {} done", done, all, of), 0, 0);
}

// What lies between is gone through at the pace so far, and never quite to its end.
double Progress::share_now(Clock::time_point now) const {
  const double before = seconds_of(since_ - start_), here = seconds_of(now - since_);
  if (next_ <= share_) return share_;
  const double pace = share_ > 0 && before > 0 ? share_ / before : 0,
               gone = pace * here / (next_ - share_);
  return share_ + (next_ - share_) * gone / (1 + gone);
}

// Steps may be unlike: the rest is told where the pace of all the time, of its later half and of
// its last quarter say much the same, and by the slowest; of parts whose cost is a guess not soon.
std::optional<double> Progress::seconds_left(double gone, double share) {
  constexpr std::size_t most = 4096;
  constexpr double alike = 1.5;
  if (paces_.size() == most) {
    for (std::size_t i = 0; 2 * i < most; ++i) paces_[i] = paces_[2 * i];
    paces_.resize(most / 2);
  }
  paces_.emplace_back(gone, share);
  if (gone < (has_parts_ ? 5 : 2) || share < 0.02 || share >= 1) return {};
  double least = HUGE_VAL, longest = 0;
  for (const double from : {0.0, 0.5 * gone, 0.75 * gone}) {
    const auto then = std::ranges::lower_bound(paces_, from, {}, &std::pair<double, double>::first);
    const double since = gone - then->first, done = share - then->second;
    if (since <= 0 || done <= 0) return {};
    least = std::min(least, since * (1 - share) / done);
    longest = std::max(longest, since * (1 - share) / done);
  }
  if (longest > alike * least) return {};
  return longest;
}

void Progress::draw(Clock::time_point now) {
  const double gone = seconds_of(now - start_), share = share_now(now);
  const std::optional<double> left = seconds_left(gone, share);
  if (gone < 1 || !in_foreground()) return;
  const std::string how_far =
      left ? fmt::format(", {:.0f} %, {} left", 100 * share, spell_seconds(*left))
           : fmt::format("{}, {} so far", share >= 1 ? ", 100 %" : "", spell_seconds(gone));
  const std::scoped_lock alone(screen);
  is_shown = true;
  put("\r" + fitted(what_ + part_, how_far) + "\x1b[K");
}

void Progress::keep_drawing(const std::stop_token& stop) {
  std::unique_lock lock(alone_);
  while (!stop.stop_requested()) {
    draw(Clock::now());
    wake_.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
  }
}

void hide_progress() noexcept {
  if (is_shown.exchange(false)) static_cast<void>(!::write(STDERR_FILENO, "\r\x1b[K", 4));
}

BesideProgress::BesideProgress() : screen_(screen) { hide_progress(); }

std::vector<Field> watched(std::vector<Field> fields, Progress& progress) {
  if (!progress.talks()) return fields;
  double total = 0;
  for (const Field& field : fields)
    total += static_cast<double>(field.lines()) * static_cast<double>(field.line_bytes());
  const auto done = std::make_shared<std::atomic<double>>(0.0);
  for (Field& field : fields)
    field.fill = [fill = field.fill, bytes = static_cast<double>(field.line_bytes()), done, total,
                  &progress](Index first, Index lines, std::byte* out) {
      fill(first, lines, out);
      progress.at((*done += static_cast<double>(lines) * bytes) / total);
    };
  return fields;
}

std::vector<Stored> watched(std::vector<Stored> arrays, Progress& progress) {
  if (!progress.talks()) return arrays;
  double total = 0;
  for (const Stored& array : arrays) total += static_cast<double>(array.size());
  const auto done = std::make_shared<std::atomic<double>>(0.0);
  for (Stored& array : arrays)
    array.fill = [fill = array.fill, done, total, &progress](Index first, Index count,
                                                             std::byte* out) {
      fill(first, count, out);
      const double times = (*done += static_cast<double>(count)) / total;
      if (times <= 1) return progress.at(times);
      const double share = times / std::ceil(times);
      progress.begin("reading it again", share, share);
    };
  return arrays;
}

}  // namespace pe::cmd
