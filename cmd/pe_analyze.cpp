// pe-analyze: one subcommand for each quantity, over one for each encoding; measure, write.
#include "analysis.hpp"
#include "published.hpp"
#include "tool.hpp"

namespace {

using namespace pe;
using namespace pe::cmd;

void add(CLI::App& app, const Encoding& encoding, Analysis& analysis, const std::string& command) {
  analysis.request.texts.encoding = &encoding;
  add_analysis_options(app, analysis);
  app.callback([&analysis, command] { carry_out(analysis, command); });
}

void add_bare(CLI::App& app, Analysis& analysis, const std::string& command) {
  add_bare_options(app, analysis);
  app.callback([&analysis, command] { carry_out(analysis, command); });
}

}  // namespace

int main(int argc, char** argv) {
  Analysis analysis;
  Published published;
  const Tool tool{
      .name = "pe-analyze",
      .summary = "pe-analyze measures curves of position encodings, and what they show.",
      .footer =
          "EXAMPLES\n  pe-analyze spectrum rope --model llama-3.1-8b\n"
          "  pe-analyze spectrum rope --versus 'rope --scaling ntk --factor 8' | "
          "scripts/pe-plot\n\n"
          "EXIT STATUS\n  0 written; 1 a published number is no longer what it was judged to "
          "be; 2 bad usage, bad input or a failed write\n",
      .word = "quantity",
      .encoding_at = 1};
  return run_tool(tool, argc, argv, [&](CLI::App& app, const CommandLine& line, Outcome& outcome) {
    for (const Quantity* quantity : all_quantities()) {
      const auto of_one = [&, quantity](CLI::App& sub, const Encoding& encoding) {
        analysis.quantity = quantity;
        add(sub, encoding, analysis, line.text());
      };
      const auto of_all = [&, quantity](CLI::App& sub) {
        analysis.quantity = quantity;
        add_bare(sub, analysis, line.text());
      };
      add_over_encodings(app, line, quantity->name, quantity->summary, of_one,
                         quantity->bare ? of_all : std::function<void(CLI::App&)>{});
    }
    add_published(
        *app.add_subcommand("published", "numbers of papers and notes, recomputed and judged"),
        published, outcome, line.text());
  });
}
