// The options of pe-analyze, of one encoding and of all.
#include <fmt/format.h>

#include "analysis.hpp"
#include "examples.hpp"
#include "shared_options.hpp"
#include "time_limit.hpp"
#include "tool.hpp"

namespace pe::cmd {
namespace {

void add_columns_option(CLI::App& app, Analysis& analysis) {
  app.add_option("--fields", analysis.request.fields, "columns to write, in this order")
      ->type_name("NAME,...");
}

void add_versus_option(CLI::App& app, Analysis& analysis) {
  app.add_option("--versus", analysis.versus,
                 "another subject on the same axis, an encoding and its options in quotes; once "
                 "for each. The first column then names the subject")
      ->type_name("'ENCODING ...'")
      ->allow_extra_args(false);
}

constexpr const char* footer =
    "DEFINITION\n  {1}\n  ({2})\n\nCOLUMNS\n  {6}\n\nEXAMPLES\n  pe-analyze {0}{3}\n  pe-analyze "
    "{0}{4} -o "
    "{0}.h5\n\nACCURACY\n  {5}\n\nEXIT STATUS\n  0 written; 2 bad usage, bad input or a failed "
    "write\n";

std::string behind_blank(std::string_view words) {
  return words.empty() ? "" : " " + std::string(words);
}

// A line for each view.
std::string columns_of(const Quantity& quantity) {
  std::string lines(quantity.columns);
  for (std::size_t bar = lines.find(" | "); bar != std::string::npos; bar = lines.find(" | ", bar))
    lines.replace(bar, 3, "\n  ");
  return lines;
}

void add_analysis_options(CLI::App& app, Analysis& analysis) {
  const Quantity& quantity = *analysis.quantity;
  const Encoding& encoding = *analysis.request.texts.encoding;
  check_applies(quantity, encoding);
  add_options(app, analysis.request);
  add_parameters(app, own_options(quantity, encoding), "Of the quantity", analysis.options);
  describe_shared(app, quantity, encoding);
  CLI::Option* dtype = app.get_option("--dtype");
  dtype->description("element type that the encoding is stored in before it is analysed");
  dtype->default_str("f64");
  tell_usual_length(app, encoding, quantity.usual_length);
  if (quantity.several_lengths) {
    app.remove_option(app.get_option("--length"));
    app.add_option("--length", analysis.lengths, "lengths, one row each")->type_name("N,...");
  }
  add_versus_option(app, analysis);
  add_columns_option(app, analysis);
  if (quantity.files) {
    app.add_option("--file", analysis.files,
                   "somebody's dump instead of the encoding's own values; once for each file")
        ->type_name("FILE[:TENSOR]")
        ->allow_extra_args(false);
    app.add_option("--shape", analysis.shape, "of a raw file, whose type --dtype says")
        ->type_name("N,...");
    app.add_option("--file-layout", analysis.file_layout,
                   "how the arrays are laid out (default: recognised)")
        ->type_name("NAME");
  }
  add_timeout(app, analysis.timeout, "it");
  add_output_options(app, analysis.output);
  const std::string own = quantity.example.starts_with(std::string(encoding.name) + " ")
                              ? std::string(quantity.example)
                              : drawn(encoding);
  app.footer(fmt::format(footer, quantity.name, quantity.definition, quantity.source,
                         behind_blank(quantity.example), behind_blank(own), quantity.accuracy,
                         columns_of(quantity)));
}

void add_bare_options(CLI::App& app, Analysis& analysis) {
  const Quantity& quantity = *analysis.quantity;
  Request& request = analysis.request;
  app.require_subcommand(0, 1);
  add_parameters(app, {quantity.parameters.data(), quantity.parameters.size()}, "Of the quantity",
                 analysis.options);
  app.add_option("--length", request.texts.length, "positions 0 to N-1")
      ->type_name("N")
      ->default_str(std::to_string(quantity.usual_length));
  app.add_option("--dtype", request.texts.dtype,
                 "element type that the encodings are stored in before they are analysed")
      ->type_name("{f64,f32,f16,bf16}")
      ->default_str("f64");
  app.add_option("--threads", request.threads, "threads to compute with; 0: one for each processor")
      ->type_name("N")
      ->capture_default_str();
  add_versus_option(app, analysis);
  add_columns_option(app, analysis);
  add_timeout(app, analysis.timeout, "it");
  add_output_options(app, analysis.output);
  app.footer(fmt::format(footer, quantity.name, quantity.definition, quantity.source,
                         behind_blank(quantity.example), "", quantity.accuracy,
                         columns_of(quantity)));
}

// Encodings that it has no meaning for are understood, to be told so, and not offered.
void hide_meaningless(CLI::App& app, const Quantity& quantity) {
  for (const Encoding* encoding : all_encodings())
    if (!applies(quantity, *encoding)) app.get_subcommand(std::string(encoding->name))->group("");
}

}  // namespace

void add_quantities(CLI::App& app, const CommandLine& line, Analysis& analysis,
                    const std::function<void()>& then) {
  for (const Quantity* quantity : all_quantities()) {
    const auto of_one = [&analysis, quantity, then](CLI::App& sub, const Encoding& encoding) {
      analysis.quantity = quantity;
      analysis.request.texts.encoding = &encoding;
      add_analysis_options(sub, analysis);
      sub.callback(then);
    };
    const auto of_all = [&analysis, quantity, then](CLI::App& sub) {
      analysis.quantity = quantity;
      add_bare_options(sub, analysis);
      sub.callback(then);
    };
    add_over_encodings(app, line, quantity->name, quantity->summary, of_one,
                       quantity->bare ? of_all : std::function<void(CLI::App&)>{});
    if (line.asks_for(0, quantity->name))
      hide_meaningless(*app.get_subcommand(std::string(quantity->name)), *quantity);
  }
}

}  // namespace pe::cmd
