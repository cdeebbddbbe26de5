// pe-verify merge: the reports of all shards of a run, as the report of the whole.
#include <fmt/format.h>

#include <algorithm>

#include "no_clobber.hpp"
#include "other_files.hpp"
#include "pe/base/error.hpp"
#include "pe/verify/report_read.hpp"
#include "pe/verify/shard.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

int run_merge(const MergeCommand& merge, const std::string& command) {
  check_report_options(merge.report);
  keep_what_is_read(merge.report.paths, "--report", merge.files);
  std::vector<ShardReport> shards;
  for (const std::string& file : merge.files)
    shards.push_back({file, read_wanted(file, "report", [&] { return read_report(file); })});
  return deliver_whole(merged(shards, command), merge.report);
}

}  // namespace

int deliver_whole(const Report& whole, const ReportOptions& options) {
  if (!takes_stdout(options)) {
    const std::size_t wide = name_width(whole.checks);
    for (const Check& check : whole.checks) print(to_line(check, wide, wants_color()));
    print(summary_of(whole));
  }
  deliver(whole, options);
  return whole.exit_code();
}

void add_merge(CLI::App& app, MergeCommand& merge, Outcome& outcome, const std::string& command) {
  app.add_option("REPORT", merge.files, "the JSON report of each shard, in any order")
      ->type_name("FILE")
      ->required();
  add_report_options(app, merge.report);
  app.footer(
      "EXAMPLES\n"
      "  echo '{\"schema_version\": 1, \"checks\": [{\"encoding\": \"rope\"}, {\"encoding\": "
      "\"t5\"}]}' >manifest.json\n"
      "  pe-verify run manifest.json --shard 1/2 --report 1.json\n"
      "  pe-verify run manifest.json --shard 2/2 --report 2.json\n"
      "  pe-verify merge 1.json 2.json --report report.xml\n\n"
      "  A shard that is missing or there twice, one of another manifest or of another number of "
      "shards, and a report that does not\n"
      "  agree with itself are named, and nothing is told.\n\n"
      "EXIT STATUS\n  as of run over the whole manifest: 0 every check passed; 1 one failed; 2 "
      "none failed, and one could not be told,\n"
      "  or the reports are not those of one whole run\n");
  app.callback([&merge, &outcome, command] {
    outcome.exit_code = unread;  // where nobody takes a report
    outlast_readers();
    outcome.exit_code = run_merge(merge, command);
  });
}

}  // namespace pe::cmd
