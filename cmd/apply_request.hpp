// What pe-apply is asked for: tensors from files or drawn, and the positions that their rows have.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "options.hpp"
#include "pe/apply/apply.hpp"

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

/// Which positions the rows of q and of k have, and why.
struct Places {
  PositionRange queries, keys;
  std::string queries_from, keys_from;
};

/// The parameter that an option name belongs to, as its name, alias or opposite; null when there is
/// none.
const Parameter* owner(const std::vector<Parameter>& schema, std::string_view option);

/// The first of `names` that is there, or null.
const Content* find(const Contents& contents, std::initializer_list<const char*> names);

/// Reads or draws the tensors. Throws UsageError for shapes, names and combinations that make no
/// sense.
Contents contents_of(const Apply& apply, Kind kind, std::uint64_t seed);

/// From the options, else from the tensors' lengths: both begin at 0, or with more keys than
/// queries end together.
Places places_of(const Apply& apply, const Contents& contents);

/// The length of a sequence that has these positions, or for relative encodings these offsets.
Index length_of(const Places& places, Kind kind);

/// What the shapes say about parameters that nobody gave.
Given implied_by(const std::vector<Parameter>& schema, const Contents& contents);

}  // namespace pe::cmd
