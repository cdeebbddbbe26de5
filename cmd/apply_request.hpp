// What pe-apply is asked for: tensors from files or drawn, and what is said of the positions of
// their rows.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "options.hpp"
#include "pe/apply/places.hpp"

namespace pe::cmd {

/// What the options of one encoding's subcommand say, before any checking.
struct Apply {
  Request request;
  std::map<std::string, std::string> files;  // q, k, v, x
  std::string axes, random, kv_heads, seed = "0", scale, combine = "add", offset, key_positions;
  std::optional<bool> causal;
  bool allow_nonfinite = false;
  OutputRequest output;
};

/// The options of the encoding's subcommand, and its footer.
void add_apply_options(CLI::App& app, const Encoding& encoding, Apply& apply);

/// Reads or draws the tensors. Throws UsageError for shapes, names and combinations that make no
/// sense.
Contents contents_of(const Apply& apply, Kind kind, std::uint64_t seed);

/// As the options say, else from the tensors' lengths.
Places places_of(const Apply& apply, const Contents& contents);

}  // namespace pe::cmd
