// Seconds as people write them, and the alarm behind them.
#include "time_limit.hpp"

#include "leaving.hpp"
#include "pe/model/number.hpp"

namespace pe::cmd {
namespace {

double seconds_of(const std::string& timeout) {
  const TypedValue value{.name = "timeout", .text = timeout};
  return checked_number(value, timeout, {.lowest = "0", .highest = "1000000000"}).value();
}

}  // namespace

void add_timeout(CLI::App& app, std::string& timeout, const char* of_what) {
  app.add_option("--timeout", timeout,
                 std::string("how long ") + of_what +
                     " may take before it could not tell; 0: without an end")
      ->type_name("SECONDS")
      ->capture_default_str();
}

std::shared_ptr<Budget> budget_of(const std::string& timeout) {
  return std::make_shared<Budget>(seconds_of(timeout));
}

TimeLimit::TimeLimit(const std::string& timeout)
    : within_(budget_of(timeout)), is_armed_(leave_late(seconds_of(timeout))) {}

TimeLimit::~TimeLimit() {
  if (is_armed_) never_leave_late();
}

}  // namespace pe::cmd
