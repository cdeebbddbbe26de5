// Deadlines, and the one account of memory that all budgets share.
#include "pe/base/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace pe {
namespace {

// What every task may hold beside the one whose turn it is.
constexpr std::uint64_t small_bytes = std::uint64_t{64} << 20;

std::mutex account;
std::condition_variable turn_is_over;
const Budget* whose_turn = nullptr;

thread_local std::shared_ptr<Budget> in_scope;

Grant of_process;

}  // namespace

std::uint64_t most_whole_bytes() { return of_process.whole_bytes; }

double longest_wait() { return of_process.wait_seconds; }

void allow(Grant grant) { of_process = std::move(grant); }

const Grant& granted() { return of_process; }

Budget::Budget(double seconds, std::uint64_t most) : seconds_(seconds), most_(most), end_(0) {
  // A hundred years are no end, and more would not fit the clock.
  if (seconds > 0 && seconds < 3.2e9)
    end_ = (Clock::now() +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
               .time_since_epoch()
               .count();
}

Budget::~Budget() { give_back(held_); }

void Budget::ask() const {
  const Clock::rep end = end_.load(std::memory_order_relaxed);
  if (end != 0 && Clock::now().time_since_epoch().count() > end)
    throw OutOfTime(fmt::format(
        "could not tell in {:g} s, the time that it may take (--timeout gives it more)", seconds_));
}

int Budget::milliseconds() const {
  const Clock::rep end = end_.load(std::memory_order_relaxed);
  if (end == 0) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      Clock::time_point(Clock::duration(end)) - Clock::now());
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, std::int64_t{INT_MAX}));
}

std::string Budget::spell_most() const {
  return fmt::format("the {} MiB that may be{}", most_ >> 20, of_process.more_memory);
}

bool Budget::take(std::uint64_t bytes) {
  std::unique_lock lock(account);
  if (bytes > most_ - held_) return false;
  if (held_ + bytes > small_bytes && whose_turn != this) {
    const Clock::time_point since = Clock::now();
    turn_is_over.wait(lock, [] { return !whose_turn; });
    whose_turn = this;
    if (end_ != 0) end_ += (Clock::now() - since).count();
  }
  held_ += bytes;
  return true;
}

void Budget::give_back(std::uint64_t bytes) {
  const std::scoped_lock lock(account);
  held_ -= bytes;
  if (whose_turn != this || held_ > small_bytes) return;
  whose_turn = nullptr;
  turn_is_over.notify_all();
}

namespace {

const std::shared_ptr<Budget>& of_all() {
  static const auto without_end = std::make_shared<Budget>(0);
  return without_end;
}

}  // namespace

std::shared_ptr<Budget> budget_here() { return in_scope ? in_scope : of_all(); }

// Threads that work for no task are handed that of the process.
bool has_budget_here() { return in_scope && in_scope != of_all(); }

void ask_time() {
  if (in_scope) in_scope->ask();
}

WithBudget::WithBudget(std::shared_ptr<Budget> budget)
    : before_(std::exchange(in_scope, std::move(budget))) {}

WithBudget::~WithBudget() { in_scope = std::move(before_); }

}  // namespace pe
