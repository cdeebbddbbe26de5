// The subcommands of pe-verify: what their options say, and how each is added.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "pe/verify/manifest.hpp"
#include "pe/verify/report.hpp"
#include "time_limit.hpp"
#include "tool.hpp"

namespace pe::cmd {

/// Where a result goes beside stdout.
struct ReportOptions {
  std::vector<std::string> paths;
  std::string annotations;
  bool no_clobber = false;
  std::string* kept = nullptr;  // takes the JSON, too, where a request is served
};

/// How long one check may take, in seconds; 0: as long as it likes.
inline constexpr const char* usual_timeout = "300";

struct CheckCommand {
  CheckRequest asked;
  std::string shape, accept = "drift", timeout = usual_timeout;
  ReportOptions report;
};
/// `law` is null for `check`, which also takes a dump.
void add_check(CLI::App& app, const Encoding& encoding, const Property* law, CheckCommand& check,
               Outcome& outcome, const std::string& command);

struct RunCommand {
  std::string manifest, jobs = "0", timeout = usual_timeout;
  std::optional<std::string> shard = {};
  bool schema = false;
  ReportOptions report;
};
void add_run(CLI::App& app, RunCommand& run, Outcome& outcome, const std::string& command);

/// The checks of the manifest, and its text. Throws UsageError where it cannot be read.
std::vector<ManifestCheck> checks_of(const RunCommand& run, std::string& text);
/// The check carried out within its time; whatever goes wrong is in its error.
Check carried_out(const ManifestCheck& check, const RunCommand& run, const std::string& command);
/// The whole manifest as one of the ranks; the exit code of all of its checks.
int run_together(const RunCommand& run, const std::string& command);

struct MergeCommand {
  std::vector<std::string> files;
  ReportOptions report;
};
void add_merge(CLI::App& app, MergeCommand& merge, Outcome& outcome, const std::string& command);

/// Prints a line for each check and writes the reports; the exit code.
int deliver_whole(const Report& whole, const ReportOptions& options);

/// How wide the column of names is in a run's lines, of checks of either sort.
template <typename Checks>
std::size_t name_width(const Checks& checks) {
  std::size_t wide = 0;
  for (const auto& check : checks) wide = std::max(wide, check.name.size());
  return std::min<std::size_t>(wide, 32);
}

/// What the entry of a manifest asks for; relative paths start from the folder of `manifest`.
CheckRequest request_of(const ManifestCheck& check, const std::string& manifest);

struct CompareCommand {
  std::string a, b, kind, ulps, atol, rtol, bound, shape, dtype, report, timeout = usual_timeout;
  std::vector<std::string> before;
  bool common_rows = false, no_clobber = false;
  std::string* kept = nullptr;  // as of ReportOptions
};
void add_compare(CLI::App& app, CompareCommand& compare, Outcome& outcome,
                 const std::string& command);

struct IdentifyCommand {
  std::string shape, dtype, layout, report, timeout = usual_timeout;
  std::vector<std::string> first, files, before;  // first: without an option
  bool no_clobber = false;
  std::string* kept = nullptr;  // as of ReportOptions
};
void add_identify(CLI::App& app, IdentifyCommand& identify, Outcome& outcome,
                  const std::string& command);

struct ServeCommand {
  std::string timeout = usual_timeout;
};
/// Carries out the words of a command: its exit code, and the JSON of its report where it has one.
using CarryOutWords =
    std::function<int(const std::vector<std::string>& words, std::string& report)>;
void add_serve(CLI::App& app, ServeCommand& serve, Outcome& outcome,
               const CarryOutWords& carry_out);

void add_dialects(CLI::App& app, const Encoding& encoding, Request& request,
                  const std::string& command);

/// Colour only on a terminal, and not under NO_COLOR.
bool wants_color();

void add_report_options(CLI::App& app, ReportOptions& options);
/// Refuses what cannot be written, before the work.
void check_report_options(const ReportOptions& options);
/// Writes the files; the annotations go to stdout. A report on stdout ("-") replaces the text: see
/// `takes_stdout`.
void deliver(const Report& report, const ReportOptions& options);
bool takes_stdout(const ReportOptions& options);

}  // namespace pe::cmd
