// pe-verify: single laws, `check` for all that an encoding promises or for a dump, `identify`,
// `run`, `compare`, `dialects` and `list`.
#include <fmt/format.h>

#include "list.hpp"
#include "main.hpp"
#include "options.hpp"
#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "verify_commands.hpp"

namespace {

constexpr pe::Index usual_length = 1024;

// `dialects`: one line for each, where its turns lie farthest from the exact ones.
std::string dialect_table(const pe::Subject& subject) {
  const auto* exact = std::get_if<pe::Rotation>(&subject.effect);
  if (!exact || !exact->recipe)
    throw pe::UsageError(fmt::format(
        "dialects differ in how they compute rope: {} is not told apart", subject.encoding->name));
  std::string text =
      "dialect,worst,position,pair,first_over_1e-3,inv_freq_relative,inv_freq_pair,attention_"
      "factor\n";
  for (const pe::Dialect& dialect : pe::all_dialects()) {
    if (!dialect.steps) continue;
    const pe::Effect effect = with_dialect(subject, dialect).effect;
    const auto& rotation = std::get<pe::Rotation>(effect);
    const pe::Parting parting = pe::part(rotation, *exact, subject.span.positions, dialect, 1e-3);
    text += fmt::format("{},{:.3g},{},{},{},{:.3g},{},{:.9g}\n", dialect.name, parting.worst,
                        parting.position, parting.pair,
                        parting.first < 0 ? "" : std::to_string(parting.first), parting.frequency,
                        parting.frequency_pair, rotation.magnitude);
  }
  return text;
}

void add_dialects(CLI::App& app, const pe::Encoding& encoding, pe::cmd::Request& request,
                  const std::string& command) {
  request.texts.encoding = &encoding;
  pe::cmd::add_options(app, request);
  app.footer(
      "EXAMPLES\n  pe-verify dialects rope --model llama-3.1-8b --length 131072\n\n"
      "  One row for each dialect: the largest difference of a cosine or sine from the exact "
      "value, and where; the first position off by\n"
      "  more than 0.001; the largest relative difference of a frequency, and of which "
      "pair.\n\nEXIT STATUS\n  0 printed; 2 bad usage or input\n");
  app.callback([&request, command] {
    pe::cmd::print(
        dialect_table(pe::cmd::resolve(request, "pe-verify", command, usual_length).subject));
  });
}

}  // namespace

int main(int argc, char** argv) {
  return pe::cmd::guarded("pe-verify", [&] {
    const std::string command = pe::cmd::command_line(argc, argv);
    std::vector<std::string> line = pe::cmd::with_encoding(argc, argv, 1);
    std::vector<char*> words;
    for (std::string& word : line) words.push_back(word.data());
    argc = static_cast<int>(words.size());
    argv = words.data();
    pe::cmd::Outcome outcome;
    pe::cmd::CheckCommand check;
    pe::cmd::RunCommand run;
    pe::cmd::CompareCommand compare;
    pe::cmd::IdentifyCommand identify;
    pe::cmd::Request request;
    CLI::App app(
        "pe-verify checks the laws of position encodings on numbers, and somebody's dump against "
        "the truth.",
        "pe-verify");
    app.set_version_flag("--version", fmt::format("pe-verify {}", pe::version()));
    app.require_subcommand(1);
    app.footer(
        "EXAMPLES\n  pe-verify check rope --config config.json\n  pe-verify check rope --config "
        "config.json --file cos.npy --file sin.npy\n"
        "  pe-verify linear-shift sinusoidal --length 100 --dim 512\n\n"
        "EXIT STATUS\n  0 every law judged holds, every dump is as it should be; 1 one fails, or "
        "is not; 2 nothing could be told: bad usage,\n"
        "  bad input, I/O\n");
    const auto add_law = [&](std::string_view name, std::string_view statement,
                             const pe::Property* law) {
      CLI::App* sub = app.add_subcommand(std::string(name), std::string(statement));
      if (!pe::cmd::asked_for(argc, argv, 0, name)) return;
      sub->require_subcommand(1);
      for (const pe::Encoding* encoding : pe::all_encodings()) {
        CLI::App* row =
            sub->add_subcommand(std::string(encoding->name), std::string(encoding->summary));
        if (pe::cmd::asked_for(argc, argv, 1, encoding->name))
          pe::cmd::add_check(*row, *encoding, law, check, outcome, command);
      }
      pe::cmd::check_word(*sub, argc, argv, 1, "encoding");
    };
    add_law("check",
            "every law that the encoding promises; with --file, somebody's dump against the truth, "
            "and what is wrong with it",
            nullptr);
    pe::cmd::add_run(*app.add_subcommand("run", "the checks of a manifest, one report"), run,
                     outcome, command);
    pe::cmd::add_compare(
        *app.add_subcommand("compare", "two dumps value by value, no encoding named"), compare,
        outcome);
    pe::cmd::add_identify(
        *app.add_subcommand("identify",
                            "which encoding, layout, base, scaling and arithmetic made a dump"),
        identify, outcome, command);
    for (const pe::Property& law : pe::all_properties()) add_law(law.name, law.statement, &law);
    CLI::App* dialects = app.add_subcommand(
        "dialects", "where, and by how much, each dialect parts from the exact values");
    if (pe::cmd::asked_for(argc, argv, 0, "dialects")) {
      dialects->require_subcommand(1);
      for (const pe::Encoding* encoding : pe::all_encodings()) {
        CLI::App* row =
            dialects->add_subcommand(std::string(encoding->name), std::string(encoding->summary));
        if (pe::cmd::asked_for(argc, argv, 1, encoding->name))
          add_dialects(*row, *encoding, request, command);
      }
      pe::cmd::check_word(*dialects, argc, argv, 1, "encoding");
    }
    pe::cmd::List list;
    pe::cmd::add_list(app, list);
    pe::cmd::check_word(app, argc, argv, 0, "law");
    return pe::cmd::run(app, argc, argv, outcome);
  });
}
