// A parameter schema becomes command-line options; flag beats config beats fallback.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "pe/subject/subject.hpp"

namespace pe::cmd {

/// What the options of one encoding's subcommand say, before any checking.
struct Request {
  SubjectTexts texts;
  std::string fields, threads = "0";
  bool explain = false;
};

/// The same, checked and completed.
struct Resolved {
  Subject subject;
  Provenance provenance;
  int threads = 0;
};

/// The row's parameters as options, and those that every encoding has: positions, dtype, config.
void add_options(CLI::App& app, Request& request);

/// `usual_length` stands in for a missing --length. Warnings (unless `quiet`) and --explain go to
/// stderr.
Resolved resolve(const Request& request, const std::string& tool, const std::string& command,
                 Index usual_length, bool quiet = false);

/// The words of the command line, with the encoding that --config or --model means put in where
/// word `depth` names none.
std::vector<std::string> with_encoding(int argc, char** argv, std::size_t depth);

/// Prints each parameter and where it came from, on stderr.
void explain(const Subject& subject, const Provenance& provenance);

/// The command line as it was given, quoted where a shell needs it.
std::string command_line(int argc, char** argv);

/// "a,b,c" → {a, b, c}.
std::vector<std::string> comma_separated(const std::string& text);

}  // namespace pe::cmd
