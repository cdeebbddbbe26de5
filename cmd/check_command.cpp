// pe-verify check and the single laws.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "dumps.hpp"
#include "examples.hpp"
#include "no_clobber.hpp"
#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/model/number.hpp"
#include "pe/verify/manifest.hpp"
#include "pe/verify/report.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

void add_dump_options(CLI::App& app, CheckCommand& check, bool one_law) {
  const char* group = "Dump";
  const auto several = [&](const char* name, std::vector<std::string>& into, const char* help) {
    app.add_option(name, into, help)
        ->type_name("FILE[:TENSOR]")
        ->allow_extra_args(false)
        ->group(group);
  };
  several("--file", check.asked.files,
          one_law ? "somebody's dump, on which the law is measured; once for each file"
                  : "somebody's dump instead of the laws; once for each file");
  if (!one_law)
    several("--before", check.asked.before,
            "vectors before the encoding was applied; --file then holds them afterwards");
  app.add_option("--shape", check.shape, "of a raw file, whose type --dtype says")
      ->type_name("N,...")
      ->group(group);
  app.add_option("--file-layout", check.asked.file_layout,
                 "how the arrays are laid out (default: recognised)")
      ->type_name("NAME")
      ->group(group);
  if (one_law) return;
  app.add_option("--axes", check.asked.axes,
                 "order of the vectors' axes: letters b h s d, such as bhsd, bshd, shd (default: "
                 "positions along the axis that has as many as --length or --positions says)")
      ->type_name("LETTERS")
      ->group(group);
  app.add_flag("--laws", check.asked.laws, "note the promised laws as the dump has them, too")
      ->group(group);
  app.add_option("--accept", check.accept, "the worst tier that passes")
      ->type_name("{exact,drift,storage}")
      ->capture_default_str()
      ->group(group);
}

constexpr const char* law_footer =
    "{0}\nACCURACY\n  {1}\n  Values are judged as they are stored in --dtype; every bound is "
    "derived from one rounding to it, for a\n"
    "  dump also from what float32 arithmetic does to its values and angles.\n\nEXIT STATUS\n  0 "
    "every law judged holds; 1 one fails; 2 nothing could be told: bad usage, bad input, I/O\n";

constexpr const char* check_footer =
    "EXAMPLES\n  pe-verify check {0}\n  pe-verify check {0} --dtype f16 --report report.json\n"
    "  pe-gen {0} -o dump.npz\n  pe-verify check {0} --file dump.npz\n\nACCURACY\n  {1}\n"
    "  Values are judged as they are stored in --dtype; every bound is derived from one rounding "
    "to it. A dump is exact where every\n"
    "  value is the correctly rounded one, drift where it stays within the bound of a known "
    "arithmetic, storage where it was\n"
    "  rounded to a shorter type before it was written, and wrong otherwise, with the smallest "
    "cause that explains it.\n\n"
    "EXIT STATUS\n  0 every law judged holds, or the dump's tier is accepted; 1 one fails, or it "
    "is not; 2 nothing could be told: bad usage,\n"
    "  bad input, I/O\n";

// A report tells of a failure, too; whoever reads stderr hears of it all the same.
Check carry_out_or_report(const CheckCommand& command, const std::string& line) {
  try {
    return carry_out(command.asked, line, false);
  } catch (const std::exception& error) {
    Check untold;
    untold.name = command.asked.name;
    untold.files = command.asked.files;
    untold.error = error.what();
    untold.accept = command.asked.accept;
    untold.provenance.encoding = command.asked.request.texts.encoding->name;
    if (!command.report.paths.empty() || !command.report.annotations.empty() || command.report.kept)
      deliver({"pe-verify", std::string(version()), line, {untold}}, command.report);
    throw;
  }
}

}  // namespace

bool wants_color() {
  const char *no_color = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
         !(term && std::string_view(term) == "dumb");
}

void add_report_options(CLI::App& app, ReportOptions& options) {
  app.add_option(
         "--report", options.paths,
         "write the report, too: .json, .xml (JUnit), .md, .csv or .h5; - is JSON on stdout "
         "instead of the text")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_no_clobber(app, options.no_clobber);
  app.add_option("--annotations", options.annotations,
                 "lines that GitHub's runner shows beside the files")
      ->type_name("{github}");
}

void check_report_options(const ReportOptions& options) {
  for (const std::string& path : options.paths) check_report_path(path);
  if (options.no_clobber) keep_what_is_there(options.paths, "--report");
  if (!options.annotations.empty() && options.annotations != "github")
    throw UsageError(fmt::format("--annotations must be github, got '{}'", options.annotations));
}

bool takes_stdout(const ReportOptions& options) {
  return std::ranges::find(options.paths, "-") != options.paths.end();
}

void deliver(const Report& report, const ReportOptions& options) {
  for (const std::string& path : options.paths)
    if (path == "-")
      print(to_json(report));
    else
      write_report(report, path);
  if (options.kept) *options.kept = to_json(report);
  if (!options.annotations.empty() && !takes_stdout(options)) print(to_annotations(report));
}

void add_check(CLI::App& app, const Encoding& encoding, const Property* law, CheckCommand& check,
               Outcome& outcome, const std::string& command) {
  CheckRequest& asked = check.asked;
  asked.request.texts.encoding = &encoding;
  asked.law = law;
  asked.name = fmt::format("{} {}", law ? law->name : "check", encoding.name);
  add_options(app, asked.request);
  tell_usual_length(app, encoding, usual_check_length);
  if (!law) take_position_lists(app);
  app.get_option("--explain")
      ->description(
          "tell where each bound comes from, what was looked at and what it would have seen; and "
          "on "
          "stderr each value and where it came from");
  app.add_option("--offsets", asked.offsets,
                 "offsets k that the laws of two positions are tried at")
      ->type_name("K,...");
  if (encoding.kind == Kind::table)
    app.add_option("--embeddings", asked.embeddings,
                   "token embeddings [token, dim] for collision-free (default: 64 drawn from a "
                   "normal distribution)")
        ->type_name("FILE[:TENSOR]");
  add_dump_options(app, check, law != nullptr);
  add_timeout(app, check.timeout, "one check");
  add_report_options(app, check.report);
  app.footer(law ? std::string()
                 : fmt::format(fmt::runtime(check_footer), encoding.name, encoding.accuracy));
  if (law)
    app.footer([law, &encoding] {
      return fmt::format(fmt::runtime(law_footer), law_examples(*law, encoding), encoding.accuracy);
    });
  app.callback([&app, &check, &outcome, command] {
    check_report_options(check.report);
    for (const auto* read : {&check.asked.files, &check.asked.before})
      keep_what_is_read(check.report.paths, "--report", *read);
    check.asked.shape = parse_shape(check.shape);
    check.asked.accept = parse_tier(check.accept);
    if (!check.asked.law && check.asked.files.empty() && app.get_option("--accept")->count() > 0)
      throw UsageError("--accept has no meaning without --file");
    const TimeLimit within(check.timeout);
    outlast_readers();
    const Check done = carry_out_or_report(check, command);
    outcome.exit_code = done.exit_code();
    if (!takes_stdout(check.report))
      print(to_text(done, wants_color(), check.asked.request.explain));
    deliver({"pe-verify", std::string(version()), command, {done}}, check.report);
    if (check.asked.files.empty() && dump_waits())
      say("warning: a dump waits on standard input and was not read: these are the laws of the "
          "table that is meant, and --file - judges the dump");
  });
}

}  // namespace pe::cmd
