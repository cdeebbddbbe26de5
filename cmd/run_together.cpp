// pe-verify run by several processes: each takes the next check that none has.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/real_caches.hpp"
#include "pe/base/version.hpp"
#include "pe/verify/report_read.hpp"
#include "pe/verify/shard.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {

int run_together(const RunCommand& run, const std::string& command) {
  if (run.shard || run.jobs != RunCommand{}.jobs)
    throw UsageError(
        "--jobs and --shard are for one process: of several each takes the next check, and mpirun "
        "-n says how many there are");
  Ranks& all = ranks();
  Shard shard{.number = all.number() + 1, .of = all.count()};
  std::string text;
  const std::vector<ManifestCheck> checks = checks_of(run, text);
  shard.manifest = digest_of(text);
  shard.checks = static_cast<Index>(checks.size());
  Report own{"pe-verify", std::string(version()), command, {}, shard};
  const RealCaches caches;
  all.begin_count();
  for (std::size_t i; (i = all.take()) < checks.size();) {
    own.shard->numbers.push_back(static_cast<Index>(i) + 1);
    own.checks.push_back(carried_out(checks[i], run, command));
  }
  std::vector<ShardReport> reports;
  for (const std::string& told : all.from_all(to_json(own))) {
    std::string process = fmt::format("process {}", reports.size());
    Report report = parse_report(told, process);
    reports.push_back({std::move(process), std::move(report)});
  }
  const Report whole = merged(reports, command);
  return all.is_first() ? deliver_whole(whole, run.report) : whole.exit_code();
}

}  // namespace pe::cmd
