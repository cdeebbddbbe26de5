// The report of a run, on disk while the run goes on.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "pe/base/version.hpp"
#include "pe/verify/manifest.hpp"
#include "pe/verify/report.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {

/// The report as far as it goes. It is written again as checks get done, whole each time, so that
/// whatever ends the run loses what was under way alone; but writing takes a twentieth of the time
/// at most.
class GrowingReport {
 public:
  using Clock = std::chrono::steady_clock;

  GrowingReport(const std::vector<ManifestCheck>& checks, const std::optional<Shard>& shard,
                const RunCommand& run, const std::string& command)
      : report_{"pe-verify", std::string(version()), command, {}, shard}, files_(run.report) {
    std::erase(files_.paths, "-");
    files_.annotations.clear();
    for (const ManifestCheck& check : checks) {
      Check waiting;
      waiting.name = check.name;
      waiting.files = check.files;
      waiting.accept = check.accept;
      waiting.expected = check.expected;
      waiting.manifest = run.manifest == "-" ? "" : run.manifest;
      waiting.line = check.line;
      waiting.provenance.encoding = check.encoding;
      waiting.error = "it was not done yet when this report was written: the run did not end";
      report_.checks.push_back(std::move(waiting));
    }
  }

  void put(std::size_t i, Check check) {
    report_.checks[i] = std::move(check);
    is_behind_ = true;
  }
  /// When it is to be written again; never, where it says all there is to say.
  Clock::time_point next() const {
    return is_behind_ && !files_.paths.empty() ? next_ : Clock::time_point::max();
  }
  void write() {
    const Clock::time_point start = Clock::now();
    deliver(report_, files_);
    is_behind_ = false;
    next_ = Clock::now() + 20 * (Clock::now() - start);
  }
  const Report& report() const { return report_; }

 private:
  Report report_;
  ReportOptions files_;
  bool is_behind_ = false;
  Clock::time_point next_ = Clock::now();
};

}  // namespace pe::cmd
