// pe-verify dialects: where each dialect's turns lie farthest from the exact ones.
#include <fmt/format.h>

#include "check.hpp"
#include "pe/base/error.hpp"
#include "talk.hpp"
#include "verify_commands.hpp"

namespace pe::cmd {
namespace {

std::string dialect_table(const Subject& subject) {
  const auto* exact = std::get_if<Rotation>(&subject.effect);
  if (!exact || !exact->recipe)
    throw UsageError(fmt::format("dialects differ in how they compute rope: {} is not told apart",
                                 subject.encoding->name));
  std::string text =
      "dialect,worst,position,pair,first_over_1e-3,inv_freq_relative,inv_freq_pair,attention_"
      "factor\n";
  for (const Dialect& dialect : all_dialects()) {
    if (!dialect.steps) continue;
    const Effect effect = with_dialect(subject, dialect).effect;
    const auto& rotation = std::get<Rotation>(effect);
    const Parting parting = part(rotation, *exact, subject.span.positions, dialect, 1e-3);
    text += fmt::format("{},{:.3g},{},{},{},{:.3g},{},{:.9g}\n", dialect.name, parting.worst,
                        parting.position, parting.pair,
                        parting.first < 0 ? "" : std::to_string(parting.first), parting.frequency,
                        parting.frequency_pair, rotation.magnitude);
  }
  return text;
}

}  // namespace

void add_dialects(CLI::App& app, const Encoding& encoding, Request& request,
                  const std::string& command) {
  request.texts.encoding = &encoding;
  add_options(app, request);
  tell_usual_length(app, encoding, usual_check_length);
  app.footer(
      "EXAMPLES\n  pe-verify dialects rope --model llama-3.1-8b --length 8192\n\n"
      "  One row for each dialect: the largest difference of a cosine or sine from the exact "
      "value, and where; the first position off by\n"
      "  more than 0.001; the largest relative difference of a frequency, and of which "
      "pair.\n\nEXIT STATUS\n  0 printed; 2 bad usage or input\n");
  app.callback([&request, command] {
    print(dialect_table(resolve(request, "pe-verify", command, usual_check_length).subject));
  });
}

}  // namespace pe::cmd
