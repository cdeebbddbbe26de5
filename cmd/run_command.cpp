// pe-verify run: the checks of a manifest, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dumps.hpp"
#include "growing_report.hpp"
#include "no_clobber.hpp"
#include "other_files.hpp"
#include "pe/base/error.hpp"
#include "pe/base/ranks.hpp"
#include "pe/base/real_caches.hpp"
#include "pe/base/version.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/manifest.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/shard.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "unknown_word.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

// A parameter of the manifest as the flag that it is on the command line.
void put_flag(Given& flags, const std::vector<Parameter>& schema, const std::string& encoding,
              const std::string& name, GivenValue value, const std::string& manifest) {
  std::vector<std::string> names;
  for (const Parameter& parameter : schema) {
    const bool opposite = parameter.negation && name == parameter.negation;
    names.emplace_back(parameter.name);
    if (name != parameter.name && !opposite && !(parameter.alias && name == parameter.alias))
      continue;
    if (opposite && (value.text == "true" || value.text == "false"))
      value.text = value.text == "true" ? "false" : "true";
    if (parameter.type == Parameter::Type::tensor) value.text = beside(manifest, value.text);
    if (const auto [other, added] = flags.emplace(parameter.name, value);
        !added && other->second.text != value.text)
      throw UsageError(
          fmt::format("parameters.{} contradicts {}", name, other->second.origin.substr(9)));
    return;
  }
  if (is_check_key(name))
    throw UsageError(
        fmt::format("{} has no parameter '{}': in a check it stands beside parameters, not in them",
                    encoding, name));
  const std::string called = parameter_called(schema, name),
                    near = called.empty() ? nearest(name, names) : called;
  throw UsageError(fmt::format("{} has no parameter '{}'{}", encoding, name,
                               near.empty() ? "" : fmt::format(": did you mean {}?", near)));
}

using Clock = GrowingReport::Clock;

// Runs the checks on `jobs` threads and hands over those that are done.
class Work {
 public:
  Work(const std::vector<ManifestCheck>& checks, const RunCommand& run, const std::string& command,
       std::size_t jobs) {
    const auto work = [this, &checks, &run, &command](const std::stop_token& stop) {
      const RealCaches caches;
      for (std::size_t next; !stop.stop_requested() && (next = next_++) < checks.size();)
        put(next, carried_out(checks[next], run, command));
    };
    try {
      for (std::size_t i = 0; i < std::min(jobs, checks.size()); ++i) workers_.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads to be had: those that there are do it
      if (workers_.empty()) work({});
    }
  }

  // Those that were done since the last call, with their places; waits for one until `until`.
  std::vector<std::pair<std::size_t, Check>> take(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, until, [&] { return !done_.empty(); });
    return std::exchange(done_, {});
  }

 private:
  void put(std::size_t i, Check check) {
    const std::scoped_lock lock(mutex_);
    done_.emplace_back(i, std::move(check));
    arrived_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::pair<std::size_t, Check>> done_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::jthread> workers_;  // last, so that they end before what they use
};

// Prints the line of each check as soon as those before it are done.
class Lines {
 public:
  Lines(const std::vector<ManifestCheck>& checks, bool quiet)
      : done_(checks.size()), quiet_(quiet), color_(wants_color()), wide_(name_width(checks)) {}
  void print_done(const Report& report, std::size_t i) {
    done_[i] = true;
    for (; next_ < done_.size() && done_[next_]; ++next_)
      if (!quiet_) print(to_line(report.checks[next_], wide_, color_));
  }

 private:
  std::vector<bool> done_;
  bool quiet_, color_;
  std::size_t wide_, next_ = 0;
};

int run_manifest(const RunCommand& run, const std::string& command) {
  check_report_options(run.report);
  if (ranks().are_several()) return run_together(run, command);
  const Index asked = whole_number("jobs", run.jobs, "0", "1024");
  const std::size_t jobs = asked > 0 ? static_cast<std::size_t>(asked)
                                     : std::max(1u, std::thread::hardware_concurrency());
  std::optional<Shard> shard;
  if (run.shard) shard = parse_shard(*run.shard);
  std::string text;
  std::vector<ManifestCheck> checks = checks_of(run, text);
  if (shard) checks = take_share(checks, text, *shard);
  const bool quiet = takes_stdout(run.report);
  GrowingReport growing(checks, shard, run, command);
  growing.write();  // whatever ends the first check leaves no older report behind
  Lines lines(checks, quiet);
  {
    Progress progress(run.manifest);
    const auto tell = [&](std::size_t left) {
      const double all = static_cast<double>(checks.size());
      progress.begin(fmt::format("{} of {} checks done", checks.size() - left, checks.size()),
                     (all - static_cast<double>(left)) / all,
                     std::min(1.0, (all - static_cast<double>(left) + 1) / all));
    };
    Work work(checks, run, command, jobs);
    for (std::size_t left = checks.size(); left > 0;) {
      tell(left);
      for (auto& [i, check] : work.take(growing.next())) {
        growing.put(i, std::move(check));
        lines.print_done(growing.report(), i);
        --left;
      }
      if (left > 0 && Clock::now() >= growing.next()) growing.write();
    }
  }
  if (!quiet) print(summary_of(growing.report()));
  deliver(growing.report(), run.report);
  return growing.report().exit_code();
}

}  // namespace

Check carried_out(const ManifestCheck& check, const RunCommand& run, const std::string& command) {
  Check done;
  done.name = check.name;
  done.files = check.files;
  done.accept = check.accept;
  try {
    const WithBudget within(budget_of(run.timeout));
    done = carry_out(request_of(check, run.manifest), command, true);
  } catch (const std::bad_alloc&) {
    done.error = out_of_memory;
  } catch (const FileError& error) {  // which another process may have, on another machine
    const std::string process = ranks().name();
    done.error = process.empty() ? error.what() : fmt::format("{}: {}", process, error.what());
  } catch (const std::exception& error) {
    done.error = error.what();
  } catch (...) {
    done.error = "an error without a text";
  }
  if (done.provenance.encoding.empty()) done.provenance.encoding = check.encoding;
  done.expected = check.expected;
  done.manifest = run.manifest == "-" ? "" : run.manifest;
  done.line = check.line;
  return done;
}

std::vector<ManifestCheck> checks_of(const RunCommand& run, std::string& text) {
  const WithBudget within(budget_of(run.timeout));
  std::vector<ManifestCheck> checks = read_wanted(run.manifest, "manifest", [&] {
    text = read_json_text(run.manifest);
    return parse_manifest(text, run.manifest == "-" ? "standard input" : run.manifest);
  });
  keep_what_is_read(run.report.paths, "--report", {run.manifest});
  for (const ManifestCheck& check : checks)
    for (const auto* read : {&check.files, &check.before})
      keep_what_is_read(run.report.paths, "--report", *read);
  return checks;
}

CheckRequest request_of(const ManifestCheck& check, const std::string& manifest) {
  CheckRequest asked;
  asked.name = check.name;
  asked.accept = check.accept;
  asked.files = check.files;
  asked.before = check.before;
  asked.shape = check.shape;
  asked.file_layout = check.file_layout;
  asked.axes = check.axes;
  SubjectTexts& texts = asked.request.texts;
  texts.config = check.config;
  texts.model = check.model;
  texts.layer_type = check.layer_type;
  texts.part = check.part;
  texts.encoding =
      check.encoding.empty() ? reading_of(texts).encoding : &find_encoding(check.encoding);
  texts.length = check.length;
  texts.positions = check.positions;
  if (!check.dtype.empty()) texts.dtype = check.dtype;
  if (!check.dialect.empty()) texts.dialect = check.dialect;
  const std::vector<Parameter> schema = schema_of(*texts.encoding);
  for (const auto& [name, value] : check.parameters)
    put_flag(texts.flags, schema, std::string(texts.encoding->name), name, value, manifest);
  return asked;
}

void add_run(CLI::App& app, RunCommand& run, Outcome& outcome, const std::string& command) {
  app.add_option("manifest", run.manifest,
                 "the manifest; relative paths in it start from its folder")
      ->type_name("MANIFEST.json");
  app.add_option("--jobs", run.jobs, "checks at the same time; 0: one for each processor")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--shard", run.shard,
                 "the I-th of N shares of the checks alone, dealt by their files' bytes; the JSON "
                 "reports of all go to pe-verify merge")
      ->type_name("I/N");
  add_timeout(app, run.timeout, "one check");
  app.add_flag("--schema", run.schema, "print the JSON Schema of manifests");
  add_report_options(app, run.report);
  app.footer(
      "EXAMPLES\n"
      "  echo '{\"schema_version\": 1, \"checks\": [{\"encoding\": \"rope\"}, {\"encoding\": "
      "\"t5\"}]}' >manifest.json\n"
      "  pe-verify run manifest.json --report report.xml\n"
      "  pe-verify run manifest.json --shard 2/2 --report 2.json\n  pe-verify run --schema\n\n"
      "  {\"schema_version\": 1, \"checks\": [\n"
      "    {\"name\": \"cos and sin\", \"model\": \"llama-3.1-8b\", \"length\": 131072,\n"
      "     \"file\": [\"cos.npy\", \"sin.npy\"]},\n"
      "    {\"name\": \"known bug\", \"encoding\": \"rope\", \"parameters\": {\"dim\": 64}, "
      "\"file\": \"dump.npz:cos\",\n"
      "     \"expect\": {\"verdict\": \"fail\", \"cause\": \"wrong-base\"}},\n"
      "    {\"name\": \"laws\", \"encoding\": \"sinusoidal\"}]}\n\n"
      "EXIT STATUS\n  0 every check passed; 1 one failed; 2 none failed, and one could not be "
      "told: bad usage, bad input, I/O\n");
  app.callback([&run, &outcome, command] {
    if (run.schema) return print(std::string(manifest_schema()));
    if (run.manifest.empty())
      throw UsageError("run needs the name of a manifest (see pe-verify run --help)");
    refuse_names({run.manifest}, "pe-verify check {} looks at its laws");
    // What a pipe holds its name does not say.
    std::error_code unknown;
    if (is_dump(run.manifest) && (std::filesystem::is_regular_file(run.manifest, unknown) ||
                                  !std::filesystem::exists(run.manifest, unknown)))
      throw UsageError(fmt::format(
          "'{0}' is a dump, and a manifest belongs there: pe-verify check ENCODING --file {0} "
          "judges it, pe-verify identify {0} tells what it is",
          run.manifest));
    outcome.exit_code = unread;  // where nobody takes a report
    outlast_readers();
    outcome.exit_code = run_manifest(run, command);
  });
}

}  // namespace pe::cmd
