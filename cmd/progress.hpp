// How far long work is: one line on stderr that rewrites itself.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace pe::cmd {

/// Silent unless stderr is a terminal, and for the first second.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// 0 … 1, from any thread.
  void at(double share);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool talks_;
  std::mutex alone_;
  Clock::time_point start_ = Clock::now(), said_ = start_;
  bool shown_ = false;
};

}  // namespace pe::cmd
