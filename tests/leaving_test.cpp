// The exit code of a tool is its own, whoever ends the process.
#include <doctest/doctest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "time_limit.hpp"
#include "tool.hpp"

namespace {

// The exit code of a tool whose command `what` does this.
int code_of(const std::function<void(pe::cmd::Outcome&)>& work) {
  std::fflush(nullptr);  // or the child writes it again
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    std::string tool = "tool", what = "what";
    char* words[] = {tool.data(), what.data(), nullptr};
    const int code = pe::cmd::run_tool(
        {.name = "tool", .summary = "for tests", .footer = ""}, 2, words,
        [&](CLI::App& app, const pe::cmd::CommandLine&, pe::cmd::Outcome& outcome) {
          app.add_subcommand("what", "does this")->callback([&] { work(outcome); });
        });
    std::exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_SUITE("leaving") {
  TEST_CASE("with an outcome the exit code is the outcome's") {
    for (const int code : {0, 1, 2})
      CHECK(code_of([&](pe::cmd::Outcome& outcome) { outcome.exit_code = code; }) == code);
  }
  TEST_CASE("whoever calls exit() before there is an outcome leaves with 2") {
    for (const int code : {0, 1, 77}) CHECK(code_of([&](auto&) { std::exit(code); }) == 2);
    CHECK(code_of([](auto&) { std::thread([] { std::exit(0); }).join(); }) == 2);
  }
  TEST_CASE("work that does not ask whether its time is over is ended with 2") {
    const auto is_awaited = [] {
      itimerval left{};
      return getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec > 0;
    };
    CHECK(code_of([](auto&) {
            const pe::cmd::TimeLimit within("0.1");
            for (;;) pause();
          }) == 2);
    CHECK(code_of([&](pe::cmd::Outcome& outcome) {
            {
              const pe::cmd::TimeLimit outer("5");
              { const pe::cmd::TimeLimit inner("0"), another("5"); }
              outcome.exit_code = is_awaited() ? 0 : 1;  // what ends within it leaves it alone
            }
            if (is_awaited()) outcome.exit_code = 1;
          }) == 0);
  }
  TEST_CASE("an exception is 2, one that nobody can catch too") {
    CHECK(code_of([](auto&) { throw std::runtime_error("no"); }) == 2);
    CHECK(code_of([](auto&) { throw 7; }) == 2);
    CHECK(code_of([](auto&) { std::thread([] { throw 7; }).join(); }) == 2);
  }
}

}  // namespace
