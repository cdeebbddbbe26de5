// A parameter schema becomes command-line options; flag beats config beats fallback.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "pe/io/file.hpp"
#include "pe/subject/subject.hpp"

namespace pe::cmd {

/// What the options of one encoding's subcommand say, before any checking.
struct Request {
  SubjectTexts texts;
  std::string fields, threads = "0";
  bool explain = false, strict = false;
  bool of_numbers = true;  // what is asked depends on numbers that training makes
  bool of_fields = false;  // `fields` are the encoding's own: no others of its numbers are wanted
  bool of_dump = false;    // somebody's numbers stand in the place of the encoding's
};

/// The same, checked and completed.
struct Resolved {
  Subject subject;
  Provenance provenance;
  int threads = 0;
};

/// The row's parameters as options, and those that every encoding has: positions, dtype, config.
void add_options(CLI::App& app, Request& request);

/// --positions of this subcommand takes lists, too.
void take_position_lists(CLI::App& app);

/// What --length is where nobody says it: `usual`, or every cell of what has so many.
void tell_usual_length(CLI::App& app, const Encoding& encoding, Index usual);

/// A schema's rows as options of one group, whose texts land in `flags`.
void add_parameters(CLI::App& app, std::span<const Parameter> schema, const char* group,
                    Given& flags);

/// `usual_length` stands in for a missing --length. Warnings (unless `quiet`) and --explain go to
/// stderr.
Resolved resolve(const Request& request, const std::string& tool, const std::string& command,
                 Index usual_length, bool quiet = false);

/// Where fields are written, and how.
struct OutputRequest {
  std::string path = "-", format;
  bool tidy = false, no_sync = false, no_clobber = false;
  const CLI::App* app = nullptr;  // whose options name what is read
};
void add_output_options(CLI::App& app, OutputRequest& request);
/// Throws UsageError where a file that --no-clobber keeps stands in the way, or one that is read.
Output output_of(const OutputRequest& request, int threads);

/// Prints each parameter and where it came from, on stderr.
void explain(const Subject& subject, const Provenance& provenance);

/// "a,b,c" → {a, b, c}.
std::vector<std::string> comma_separated(const std::string& text);

}  // namespace pe::cmd
