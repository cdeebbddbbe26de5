// What one task may take: time, which long loops ask for, and memory for what must be held whole.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace pe {

/// The time of a task is over, and what it was to tell is not known.
struct OutOfTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Of files that cannot be read in parts, all that a task holds of them at once may take so many
/// bytes, a GiB unless allow() says otherwise: the bytes of pipes, the numbers of csv, what is
/// packed, weights, tensors that an encoding is applied to, and what is made of them.
std::uint64_t most_whole_bytes();

/// Seconds that a pipe or device which a path names, where no task's own time counts, has until its
/// end: 60 unless allow() says otherwise; 0 is without an end.
double longest_wait();

/// For the process, before it reads a file. `more` says how somebody gets more of it, where there
/// is a way.
struct Grant {
  std::uint64_t whole_bytes = std::uint64_t{1} << 30;
  double wait_seconds = 60;
  std::string more_memory = {}, more_time = {};  // " (PE_MEMORY allows more)"
};
void allow(Grant grant);
const Grant& granted();

/// Shared by the threads of one task.
class Budget {
 public:
  /// 0 seconds: as long as it takes.
  explicit Budget(double seconds) : Budget(seconds, most_whole_bytes()) {}
  Budget(double seconds, std::uint64_t most);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Throws OutOfTime when the time is over.
  void ask() const;
  bool has_end() const { return end_ != 0; }
  /// That it may take, from its beginning.
  double seconds() const { return seconds_; }
  std::uint64_t most() const { return most_; }
  /// "the 1024 MiB that may be", and how somebody gets more.
  std::string spell_most() const;
  /// Milliseconds until then, as poll() takes them: -1 where there is no end.
  int milliseconds() const;

  /// Room for so many bytes of what must be whole; false where there is none. Of all tasks of the
  /// process one alone holds more than 64 MiB: others wait for it, and their clocks with them.
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  std::uint64_t most_;
  std::atomic<Clock::rep> end_;  // 0: none
  std::uint64_t held_ = 0;       // behind the lock of all budgets
};

/// The budget in scope on this thread: until one is, that of the process, which has no end.
std::shared_ptr<Budget> budget_here();
/// Whether one is.
bool has_budget_here();

/// Throws OutOfTime when the time of the budget in scope is over. Cheap enough for every block of
/// a few thousand numbers.
void ask_time();

/// Puts a budget in scope on this thread. Threads that work on a task begin by putting its own in
/// scope.
class WithBudget {
 public:
  explicit WithBudget(std::shared_ptr<Budget> budget);
  ~WithBudget();
  WithBudget(const WithBudget&) = delete;
  WithBudget& operator=(const WithBudget&) = delete;

 private:
  std::shared_ptr<Budget> before_;
};

/// Bytes taken of the budget in scope, given back at the end.
class Held {
 public:
  Held() : budget_(budget_here()) {}
  ~Held() { budget_->give_back(bytes_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool take(std::uint64_t bytes) {
    if (!budget_->take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  const Budget& budget() const { return *budget_; }

 private:
  std::shared_ptr<Budget> budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace pe
