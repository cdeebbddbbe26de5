// What --timeout grants: a budget that the work asks, and an alarm for work that does not ask.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "pe/base/budget.hpp"

namespace pe::cmd {

void add_timeout(CLI::App& app, std::string& timeout, const char* of_what);

/// The budget of so many seconds, 0 for no end. Throws UsageError for what is no such number.
std::shared_ptr<Budget> budget_of(const std::string& timeout);

/// The budget is in scope as long as this lives. Work that has not asked for the time when a tenth
/// of it and two seconds have passed beyond its end is ended with the process: exit code 2 and the
/// line that asking would have brought. Of limits in one another the outermost one ends it.
class TimeLimit {
 public:
  explicit TimeLimit(const std::string& timeout);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  WithBudget within_;
  bool is_armed_;
};

}  // namespace pe::cmd
