// Work on several threads, on as many of them as can be had.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/base/real_caches.hpp"

namespace pe {

/// What --threads means: 0 is one for each processor.
inline std::size_t team_size(int threads) {
  return threads > 0 ? static_cast<std::size_t>(threads)
                     : std::max(1u, std::thread::hardware_concurrency());
}

/// work(0) … work(count − 1) side by side and on one budget: the first in this thread, the others
/// each in a thread of its own, or here where no more threads can be had (a limit of the user, or
/// no memory for a stack). When all have ended, throws what the first of them that failed threw.
template <typename Work>
void side_by_side(std::size_t count, const Work& work) {
  const std::shared_ptr<Budget> budget = budget_here();
  std::vector<std::exception_ptr> failures(count);
  const auto carry_out = [&](std::size_t number) {
    try {
      work(number);
    } catch (...) {
      failures[number] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    std::size_t started = 1;
    try {
      for (; started < count; ++started)
        team.emplace_back([&carry_out, &budget, started] {
          const RealCaches caches;
          const WithBudget within(budget);
          carry_out(started);
        });
    } catch (const std::exception&) {
    }
    if (count > 0) carry_out(0);
    for (; started < count; ++started) carry_out(started);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// work(0, here) … work(count − 1, here), each by the thread that is free for it, of which `here`
/// is the one that called. After a failure no further one begins.
template <typename Work>
void in_turn(std::size_t count, std::size_t threads, const Work& work) {
  const std::size_t team = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
  std::atomic<std::size_t> next = 0;
  side_by_side(team, [&](std::size_t member) {
    try {
      for (std::size_t i; (i = next++) < count;) work(i, member == 0);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace pe
