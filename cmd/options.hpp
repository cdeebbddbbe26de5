// A parameter schema becomes command-line options; flag beats config beats fallback.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/model/provenance.hpp"
#include "pe/models/reading.hpp"

namespace pe::cmd {

/// What the options of one encoding's subcommand say, before any checking.
struct Request {
  const Encoding* encoding = nullptr;
  Given flags;
  Given implied;  // what other input says (a tensor's shape), where neither flag nor config does
  std::string config, model, layer_type, length, positions, fields,
      dtype = "f32", dialect = "exact", threads = "0";
  bool dtype_given = false, dialect_given = false;
  bool explain = false;
};

/// The same, checked and completed.
struct Subject {
  const Encoding* encoding = nullptr;
  Parameters parameters;
  Span span;
  Index length = 0;          // of the sequence that the effect was made for
  bool whole_length = true;  // positions 0 … length−1, not a run given by hand
  DType dtype = DType::f32;
  int threads = 0;
  Effect effect;
  Provenance provenance;
  const Dialect* dialect = nullptr;
  Given given;      // what config and other input said, before the dialect's own reading
  Reading reading;  // what a config or a model of the catalogue said
};

/// The row's parameters as options, and those that every encoding has: positions, dtype, config.
void add_options(CLI::App& app, Request& request);

/// `usual_length` stands in for a missing --length. Warnings (unless `quiet`) and --explain go to
/// stderr.
Subject resolve(const Request& request, const std::string& tool, const std::string& command,
                Index usual_length, bool quiet = false);

/// The parameters as the dialect reads them: where it differs, its reading stands instead of the
/// config's; a flag beats both. `load` reads a tensor.
Parameters parameters_in(const Request& request, Given given, const Dialect& dialect,
                         const std::function<Array(const std::string&)>& load = read_array);

/// The encoding that --config or --model means.
const Encoding& encoding_of(const std::string& config, const std::string& model,
                            const std::string& layer_type);

/// The words of the command line, with the encoding that --config or --model means put in where
/// word `depth` names none.
std::vector<std::string> with_encoding(int argc, char** argv, std::size_t depth);

/// Prints each parameter and where it came from, on stderr.
void explain(const Subject& subject);

/// The command line as it was given, quoted where a shell needs it.
std::string command_line(int argc, char** argv);

/// "a,b,c" → {a, b, c}.
std::vector<std::string> comma_separated(const std::string& text);

/// A whole number option of ours, with its bounds.
Index whole_number(const std::string& option, const std::string& text, const std::string& lowest,
                   const std::string& highest);

}  // namespace pe::cmd
