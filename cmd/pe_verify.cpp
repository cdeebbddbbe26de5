// pe-verify: single laws, `check` for all that an encoding promises or for a dump, `identify`,
// `run`, `merge`, `compare`, `serve`, `dialects` and `list`.
#include "examples.hpp"
#include "tool.hpp"
#include "tools.hpp"
#include "verify_commands.hpp"

namespace {

using namespace pe;
using namespace pe::cmd;

struct Commands {
  CheckCommand check;
  RunCommand run;
  MergeCommand merge;
  CompareCommand compare;
  IdentifyCommand identify;
  Request dialects;
  ServeCommand serve;

  /// The JSON of whatever report there is goes there, too.
  void keep(std::string& report) {
    check.report.kept = run.report.kept = merge.report.kept = compare.kept = identify.kept =
        &report;
  }
};

// Help names the encodings that the law has a meaning for.
void hide_silent(CLI::App& app, const Property& law) {
  for (const Encoding* encoding : all_encodings())
    if (!silence(law, *encoding).empty())
      app.get_subcommand(std::string(encoding->name))->group("");
}

int carry_out_words(const std::vector<std::string>& words, std::string& report);

void add_commands(CLI::App& app, const CommandLine& line, Outcome& outcome, Commands& commands) {
  const auto check_of = [&](const Property* law) {
    return [&, law](CLI::App& sub, const Encoding& encoding) {
      add_check(sub, encoding, law, commands.check, outcome, line.text());
    };
  };
  add_over_encodings(app, line, "check",
                     "every law that the encoding promises; with --file, somebody's dump against "
                     "the truth, and what is wrong with it",
                     check_of(nullptr));
  add_run(*app.add_subcommand("run", "the checks of a manifest, one report"), commands.run, outcome,
          line.text());
  add_merge(*app.add_subcommand("merge", "the reports of a run's shards as one"), commands.merge,
            outcome, line.text());
  add_compare(*app.add_subcommand("compare", "two dumps value by value, no encoding named"),
              commands.compare, outcome, line.text());
  add_identify(*app.add_subcommand(
                   "identify", "which encoding, layout, base, scaling and arithmetic made a dump"),
               commands.identify, outcome, line.text());
  add_serve(*app.add_subcommand("serve", "checks and other commands, asked for line by line"),
            commands.serve, outcome, carry_out_words);
  for (const Property& law : all_properties()) {
    add_over_encodings(app, line, law.name, law.statement, check_of(&law));
    if (line.asks_for(0, law.name) && !line.has_word(1))
      hide_silent(*app.get_subcommand(std::string(law.name)), law);
  }
  add_over_encodings(app, line, "dialects",
                     "where, and by how much, each dialect parts from the exact values",
                     [&](CLI::App& sub, const Encoding& encoding) {
                       add_dialects(sub, encoding, commands.dialects, line.text());
                     });
}

Tool verifier() {
  return {
      .name = "pe-verify",
      .summary =
          "pe-verify checks the laws of position encodings on numbers, and somebody's dump against "
          "the truth.",
      .footer =
          "EXAMPLES\n  pe-verify check rope --model llama-3.1-8b\n"
          "  pe-gen rope --model llama-3.1-8b --length 131072 -o cache.npz\n"
          "  pe-verify check rope --model llama-3.1-8b --file cache.npz\n"
          "  pe-verify linear-shift sinusoidal --length 100 --dim 512\n\n"
          "EXIT STATUS\n  0 every law judged holds, every dump is as it should be; 1 one fails, or "
          "is not; 2 nothing could be told: bad usage,\n"
          "  bad input, I/O\n",
      .word = Sort::law,
      .encoding_at = 1,
      .timeout = usual_timeout};
}

int carry_out_words(const std::vector<std::string>& words, std::string& report) {
  Commands commands;
  commands.keep(report);
  return run_words(verifier(), words,
                   [&](CLI::App& app, const CommandLine& line, Outcome& outcome) {
                     add_commands(app, line, outcome, commands);
                   });
}

}  // namespace

int pe::cmd::pe_verify(int argc, char** argv) {
  Commands commands;
  return run_tool(verifier(), argc, argv,
                  [&](CLI::App& app, const CommandLine& line, Outcome& outcome) {
                    add_commands(app, line, outcome, commands);
                  });
}
