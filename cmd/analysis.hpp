// What pe-analyze is asked for: a quantity, of one subject or of several side by side.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "pe/analyze/quantity.hpp"

namespace pe::cmd {

/// What the options of one quantity's and one encoding's subcommand say, before any checking.
struct Analysis {
  const Quantity* quantity = nullptr;
  Request request;
  Given options;        // the quantity's own
  std::string lengths;  // --length, where the quantity takes several
  std::vector<std::string> versus, files;
  std::string shape, file_layout;
  std::string certificate;  // where the proof goes; empty: nowhere
  OutputRequest output;
};

/// The options of the subcommand, and its footer. Throws UsageError where the quantity has no
/// meaning for the encoding.
void add_analysis_options(CLI::App& app, Analysis& analysis);

/// The same of the quantity alone, which is then of every encoding that it has a meaning for.
void add_bare_options(CLI::App& app, Analysis& analysis);

/// Every subject measured, side by side; `provenance` becomes that of the first.
Sheet measured(const Analysis& analysis, const std::string& command, Provenance& provenance);

/// The same, written; what it shows goes to stderr, a sentence each.
void carry_out(const Analysis& analysis, const std::string& command);

}  // namespace pe::cmd
