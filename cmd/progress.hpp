// How far long work is: one line on stderr that rewrites itself, the same for all tools.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pe/base/stored.hpp"
#include "pe/model/field.hpp"

namespace pe::cmd {

/// Silent for the first second, and unless stderr is a terminal that can be seen: in the
/// foreground, not dumb, and not behind a pipe whose reader has the screen. Of several in one
/// another the outermost one speaks. Nothing of the line is left when it ends, however it ends.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// 0 … 1, from any thread.
  void at(double share);

  /// Work whose parts are known beforehand by their cost only: that it is at `share`, and is about
  /// to do `what`, which ends at `next`. Between the two the line goes on by the clock, as fast as
  /// what was done so far went.
  void begin(std::string what, double share, double next);

  /// Work whose parts nobody knows the cost of: that so many of all are done. No time is told.
  void count(std::size_t done, std::size_t all, const std::string& of);

  bool talks() const { return talks_; }

 private:
  using Clock = std::chrono::steady_clock;

  double share_now(Clock::time_point now) const;
  std::optional<double> seconds_left(double gone, double share);
  void draw(Clock::time_point now);
  void keep_drawing(const std::stop_token& stop);

  std::string what_, part_;
  bool talks_, has_parts_ = false;
  std::mutex alone_;
  std::condition_variable_any wake_;
  Clock::time_point start_ = Clock::now(), since_ = start_;
  double share_ = 0, next_ = 0;
  std::vector<std::pair<double, double>> paces_;  // seconds gone, and the share by then
  std::jthread clock_;                            // last: it ends before what it reads
};

/// Erases the line where one stands; for handlers of signals, and for the moment before the end.
void hide_progress() noexcept;

/// As long as one lives no line stands on the terminal: something else is being written there.
class BesideProgress {
 public:
  BesideProgress();

 private:
  std::unique_lock<std::mutex> screen_;
};

/// The same fields, which tell `progress` how much of all of them was made.
std::vector<Field> watched(std::vector<Field> fields, Progress& progress);

/// The same arrays, which tell `progress` how much of them was read: once is enough to tell what is
/// right, and how often what is wrong must be looked at nobody knows before.
std::vector<Stored> watched(std::vector<Stored> arrays, Progress& progress);

}  // namespace pe::cmd
