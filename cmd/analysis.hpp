// What pe-analyze is asked for: a quantity, of one subject or of several side by side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "options.hpp"
#include "pe/analyze/quantity.hpp"

namespace pe::cmd {

/// How long an analysis may take, in seconds; 0: as long as it likes.
inline constexpr const char* usual_analysis_timeout = "600";

/// What the options of one quantity's and one encoding's subcommand say, before any checking.
struct Analysis {
  const Quantity* quantity = nullptr;
  Request request;
  Given options;        // the quantity's own
  std::string lengths;  // --length, where the quantity takes several
  std::vector<std::string> versus, files;
  std::string shape, file_layout;
  std::string timeout = usual_analysis_timeout;
  OutputRequest output;
};

/// A subcommand for each quantity over one for each encoding, and for some one without. The one
/// that is asked for fills `analysis`, and `then` is called when all is parsed. Throws UsageError
/// where the quantity has no meaning for the encoding.
void add_quantities(CLI::App& app, const CommandLine& line, Analysis& analysis,
                    const std::function<void()>& then);

/// Every subject measured, side by side; `provenance` becomes that of the first. Of all encodings
/// at once, those that refuse are left out, and a note says why.
Sheet measured(const Analysis& analysis, const std::string& command, Provenance& provenance);

/// The same, written; what it shows goes to stderr, a sentence each.
void carry_out(const Analysis& analysis, const std::string& command);

}  // namespace pe::cmd
