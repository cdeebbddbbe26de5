// pe-verify identify: a dump, and nothing said of it.
#include <fmt/format.h>

#include "dumps.hpp"
#include "no_clobber.hpp"
#include "pe/base/error.hpp"
#include "pe/io/atomic_file.hpp"
#include "pe/io/dump.hpp"
#include "pe/verify/identify_report.hpp"
#include "progress.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

int run_identify(const IdentifyCommand& asked, const std::string& command) {
  if (!asked.report.empty() && asked.report != "-" && !asked.report.ends_with(".json"))
    throw UsageError(fmt::format("--report of identify writes .json, got '{}'", asked.report));
  if (asked.no_clobber) keep_what_is_there({asked.report}, "--report");
  const TimeLimit within(asked.timeout);
  std::vector<std::string> files = asked.first;
  files.insert(files.end(), asked.files.begin(), asked.files.end());
  keep_what_is_read({asked.report}, "--report", files);
  keep_what_is_read({asked.report}, "--report", asked.before);
  if (files.empty())
    throw UsageError(
        "identify needs FILE, or - for standard input (see pe-verify identify --help)");
  refuse_names(files, "pe-verify check {0} looks at its laws, pe-gen {0} -o dump.npz makes a file");
  Progress progress(fmt::format("identify {}", fmt::join(files, ", ")));
  const std::optional<std::string> dtype =
      asked.dtype.empty() ? std::nullopt : std::optional(asked.dtype);
  const Identification found = [&] {
    try {
      return identify(open_dump(files, asked.before, dtype, parse_shape(asked.shape), progress),
                      asked.layout);
    } catch (const UsageError&) {
      refuse_checkpoint(files);
      throw;
    }
  }();
  if (!found.encoding) refuse_checkpoint(files);
  const std::string json =
      asked.report.empty() && !asked.kept ? "" : to_json(found, files, command);
  if (asked.kept) *asked.kept = json;
  if (asked.report == "-")
    print(json);
  else
    print(to_text(found, wants_color()));
  if (!asked.report.empty() && asked.report != "-") {
    io::Destination file(asked.report);
    file.write(json.data(), json.size());
    file.commit();
  }
  return found.encoding ? 0 : 1;
}

}  // namespace

void add_identify(CLI::App& app, IdentifyCommand& identify, Outcome& outcome,
                  const std::string& command) {
  app.add_option("FILE", identify.first,
                 "a dump: one file, or its parts, as sines beside cosines, keys beside queries")
      ->type_name("FILE[:TENSOR]");
  const auto several = [&](const char* name, std::vector<std::string>& into, const char* help) {
    app.add_option(name, into, help)->type_name("FILE[:TENSOR]")->allow_extra_args(false);
  };
  several("--file", identify.files, "one of the files, as check has it");
  several("--before", identify.before,
          "vectors before the encoding was applied; FILE then holds them afterwards");
  app.add_option("--shape", identify.shape, "of a raw file, whose type --dtype says")
      ->type_name("N,...");
  app.add_option("--dtype", identify.dtype, "what raw files, text or unsigned 16-bit integers hold")
      ->type_name("{f64,f32,f16,bf16}");
  app.add_option("--file-layout", identify.layout,
                 "how the arrays are laid out (default: recognised)")
      ->type_name("NAME");
  add_timeout(app, identify.timeout, "it");
  app.add_option("--report", identify.report,
                 "write what was found, too: .json; - is JSON on stdout instead of the text")
      ->type_name("FILE");
  add_no_clobber(app, identify.no_clobber);
  app.footer(
      "EXAMPLES\n  pe-gen rope --length 64 --dialect vllm -o cache.npy\n"
      "  pe-verify identify cache.npy\n"
      "  pe-apply rope --random 1,4,16,64 -o vectors.npz\n"
      "  pe-verify identify vectors.npz:q_out --before vectors.npz:q --report found.json\n\n"
      "ACCURACY\n  What is named was made again and held against every value, within the bound of "
      "a known arithmetic or by a fault with a\n"
      "  name. What the numbers cannot tell apart stands beside it.\n\n"
      "EXIT STATUS\n  0 identified; 1 of no encoding known here; 2 could not be read\n");
  app.callback([&identify, &outcome, command] {
    outcome.exit_code = unread;  // where nobody takes a report
    outlast_readers();
    outcome.exit_code = run_identify(identify, command);
  });
}

}  // namespace pe::cmd
