// pe-analyze: one subcommand for each quantity, over one for each encoding; measure, write.
#include "analysis.hpp"
#include "published.hpp"
#include "tool.hpp"
#include "tools.hpp"

int pe::cmd::pe_analyze(int argc, char** argv) {
  Analysis analysis;
  Published published;
  const Tool tool{
      .name = "pe-analyze",
      .summary = "pe-analyze measures curves of position encodings, and what they show.",
      .footer =
          "EXAMPLES\n  pe-analyze spectrum rope --model llama-3.1-8b\n"
          "  pe-analyze spectrum rope --versus 'rope --scaling ntk --factor 8' | "
          "pe-plot -o spectrum.png\n\n"
          "EXIT STATUS\n  0 written; 1 a published number is no longer what it was judged to "
          "be; 2 bad usage, bad input or a failed write\n",
      .word = Sort::quantity,
      .encoding_at = 1,
      .timeout = usual_analysis_timeout};
  return run_tool(tool, argc, argv, [&](CLI::App& app, const CommandLine& line, Outcome& outcome) {
    add_quantities(app, line, analysis, [&] { carry_out(analysis, line.text()); });
    add_published(
        *app.add_subcommand("published", "numbers of papers and notes, recomputed and judged"),
        published, outcome, line.text());
  });
}
