// A manifest: many checks in one file, each what `pe-verify check` is told on its command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/io/json_tree.hpp"
#include "pe/model/parameter.hpp"
#include "pe/verify/check.hpp"

namespace pe {

struct ManifestCheck {
  std::string name;
  std::string encoding, model, config, layer_type, part, length, positions, dtype, dialect,
      file_layout, axes;
  Given parameters;                // names as on the command line, a flag's opposite among them
  std::vector<std::string> files;  // FILE[:TENSOR]; none: the laws are checked
  std::vector<std::string> before;
  std::vector<Index> shape;  // of a raw file
  Tier accept = Tier::drift;
  std::optional<Expected> expected;
  Index line = 0;  // of the manifest, where it begins
};

/// `file` is the manifest's name in messages, and its folder the one that relative paths start
/// from. Throws FileError naming the check and the key, with the nearest known one where it is
/// unknown.
std::vector<ManifestCheck> parse_manifest(const std::string& text, const std::string& file);
std::vector<ManifestCheck> read_manifest(const std::string& path);

/// One entry of its list alone; `file` as above.
ManifestCheck parse_manifest_check(const JsonNode& entry, const std::string& file);

/// Whether an entry has a key of that name.
bool is_check_key(std::string_view name);

/// The parameter of that name, or that a config calls so: base for "rope_theta"; "" for none.
std::string parameter_called(const std::vector<Parameter>& schema, std::string_view key);

/// "FILE[:TENSOR]" as the manifest's folder sees it.
std::string beside(const std::string& manifest, const std::string& spec);

/// The tier of that name; throws UsageError with the choices.
Tier parse_tier(std::string_view name);

/// The schema of the format, as JSON Schema: data/manifest.schema.json.
std::string_view manifest_schema();

}  // namespace pe
