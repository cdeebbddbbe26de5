// Budgets of time and memory.
#include "pe/base/budget.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "pe/base/counted.hpp"
#include "pe/kinds/effect.hpp"

using namespace pe;
using namespace std::chrono_literals;

TEST_SUITE("budget") {
  TEST_CASE("a time that is over is an exception, and no time is none") {
    const auto spent = std::make_shared<Budget>(1e-9);
    std::this_thread::sleep_for(1ms);
    CHECK_THROWS_AS(spent->ask(), OutOfTime);
    CHECK(spent->milliseconds() == 0);
    CHECK_NOTHROW(Budget(0).ask());
    CHECK(Budget(0).milliseconds() == -1);
    CHECK(Budget(1e300).milliseconds() == -1);
    CHECK(Budget(60).milliseconds() > 50'000);
  }

  TEST_CASE("a budget holds for the thread and the scope that it is put into") {
    CHECK_NOTHROW(ask_time());
    const auto spent = std::make_shared<Budget>(1e-9);
    std::this_thread::sleep_for(1ms);
    {
      const WithBudget within(spent);
      CHECK_THROWS_AS(ask_time(), OutOfTime);
      {
        const WithBudget more(std::make_shared<Budget>(60));
        CHECK_NOTHROW(ask_time());
      }
      CHECK_THROWS_AS(ask_time(), OutOfTime);
      std::thread([] { CHECK_NOTHROW(ask_time()); }).join();
    }
    CHECK_NOTHROW(ask_time());
  }

  TEST_CASE("a thread that works for no task has no budget in scope, though it is handed one") {
    CHECK_FALSE(has_budget_here());
    bool has_one = true, has_own = false;
    std::thread([&, handed = budget_here()] {
      const WithBudget within(handed);
      has_one = has_budget_here();
      const WithBudget own(std::make_shared<Budget>(60));
      has_own = has_budget_here();
    }).join();
    CHECK_FALSE(has_one);
    CHECK(has_own);
  }

  TEST_CASE("an effect made within a budget asks for it whoever reads it") {
    Table table;
    table.fill = [](const PositionRange&, DType, std::byte*) {};
    Effect effect = table;
    {
      const WithBudget within(std::make_shared<Budget>(1e-9));
      effect = within_budget(effect);
    }
    std::this_thread::sleep_for(1ms);
    CHECK_THROWS_AS(std::get<Table>(effect).fill({}, DType::f32, nullptr), OutOfTime);
  }

  TEST_CASE("what is held is counted and given back") {
    const auto budget = std::make_shared<Budget>(0, 1000);
    const WithBudget within(budget);
    {
      Held held, other;
      CHECK(held.take(600));
      CHECK_FALSE(other.take(401));
      CHECK(other.take(400));
    }
    Held all;
    CHECK(all.take(1000));
    CHECK_FALSE(all.take(UINT64_MAX));
  }

  TEST_CASE("numbers of which a budget knows are counted in every copy") {
    const auto budget = std::make_shared<Budget>(0, 1000);
    const auto has_left = [&](std::uint64_t bytes) {
      const bool has = budget->take(bytes);
      if (has) budget->give_back(bytes);
      return has;
    };
    {
      const CountedNumbers first(50, 1.0, Counted<double>(budget)), second = first;
      CHECK(second == first);
      CHECK(has_left(200));
      CHECK_FALSE(has_left(201));
      const auto copied = [&] { return first; };
      CHECK_THROWS_WITH_AS(copied(), doctest::Contains("held in memory whole"), FileError);
      CountedNumbers nobody_counts(1000);
      CHECK_THROWS_AS(nobody_counts = first, FileError);
    }
    CHECK(has_left(1000));
  }

  TEST_CASE("one task at a time holds much, and waiting for that is not its own time") {
    const std::uint64_t much = std::uint64_t{100} << 20;
    const auto first = std::make_shared<Budget>(0), second = std::make_shared<Budget>(0.2);
    CHECK(first->take(much));
    CHECK(second->take(1 << 20));
    std::atomic<bool> has_turn = false;
    std::thread waiting([&] {
      CHECK(second->take(much));
      has_turn = true;
      CHECK_NOTHROW(second->ask());
      second->give_back(much);
    });
    std::this_thread::sleep_for(300ms);
    CHECK_FALSE(has_turn);
    first->give_back(much);
    waiting.join();
    CHECK(has_turn);
  }
}
