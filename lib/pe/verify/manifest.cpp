// Reading a manifest key by key.
#include "pe/verify/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pe/base/error.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/model/naming.hpp"
#include "pe/verify/manifest_values.hpp"

namespace pe {
namespace {

constexpr char schema_text[] =
#include "manifest_schema.inc"
    ;

using Type = JsonNode::Type;

constexpr Choice<Tier> tiers[] = {{"exact", Tier::exact},
                                  {"drift", Tier::drift},
                                  {"storage", Tier::storage},
                                  {"wrong", Tier::wrong}};
constexpr auto accepted_tiers = std::span(tiers).first<3>();
constexpr Choice<bool> verdicts[] = {{"pass", true}, {"fail", false}};

struct Key {
  const char* name;
  void (*read)(const ManifestSpot&, const JsonNode&, ManifestCheck&);
};

template <std::string ManifestCheck::*member>
void read_text(const ManifestSpot& place, std::string_view key, const JsonNode& node,
               ManifestCheck& check) {
  check.*member = text_of(place, key, node);
  if ((check.*member).empty()) place.refuse(fmt::format("{} is empty", key));
}

// The parameter that a key names, in any encoding; "": none.
std::string parameter_named(std::string_view key) {
  for (const Encoding* encoding : all_encodings())
    if (const std::string name = parameter_called(schema_of(*encoding), key); !name.empty())
      return name;
  return "";
}

// What people write into a check that has no key of its own.
std::string beside_the_keys(const std::string& key, const JsonNode& node) {
  if (const std::string name = parameter_named(key); !name.empty())
    return fmt::format("it is a parameter: \"parameters\": {{\"{}\": {}}}", name,
                       node.type == Type::number ? node.text : "…");
  for (const std::string_view word : {"law", "laws", "property", "properties"})
    if (key == word) return "all laws that the encoding promises are looked at";
  for (const std::string_view word : {"atol", "rtol", "tol", "tolerance", "eps", "ulps"})
    if (key == word) return "bounds are derived, and accept names the worst tier that passes";
  for (const std::string_view word :
       {"options", "args", "arguments", "params", "settings", "kwargs"})
    if (key == word) return "did you mean parameters?";
  for (const std::string_view word : {"timeout", "time_limit", "jobs"})
    if (key == word)
      return fmt::format("it is said once for all: pe-verify run --{}",
                         key == "jobs" ? "jobs" : "timeout");
  return "";
}

DType dtype_of(const ManifestSpot& place, const JsonNode& node) {
  const std::string text = text_of(place, "dtype", node);
  try {
    return parse_dtype(text);
  } catch (const UsageError& error) {
    place.refuse(error.what());
  }
}

Expected expected_of(const ManifestSpot& place, const JsonNode& node) {
  if (node.type != Type::object)
    place.refuse(fmt::format("expect must be an object, got {}", node.what()));
  if (node.members.empty()) place.refuse("expect is empty: it names a verdict, a tier or a cause");
  Expected expected;
  for (const auto& [key, value] : node.members) {
    if (key == "verdict")
      expected.passes = choice_of<bool>(place, "expect.verdict", value, verdicts);
    else if (key == "tier")
      expected.tier = choice_of<Tier>(place, "expect.tier", value, tiers);
    else if (key == "cause")
      expected.causes = texts_of(place, "expect.cause", value);
    else
      ManifestSpot{place.file, place.check + ", expect"}.refuse_key(key,
                                                                    {"verdict", "tier", "cause"});
  }
  std::vector<std::string> names;
  for (const CauseRow& cause : all_causes()) names.emplace_back(cause.name);
  for (const std::string& cause : expected.causes) {
    if (cause.empty()) place.refuse("expect.cause is empty");
    if (names.empty() || std::ranges::find(names, cause) != names.end()) continue;
    const std::string near = nearest(cause, names);
    place.refuse(fmt::format("expect.cause '{}' is no cause{}", cause,
                             near.empty() ? ": pe-verify list causes names them"
                                          : fmt::format(": did you mean {}?", near)));
  }
  return expected;
}

constexpr Key keys[] = {
    {"name", [](const ManifestSpot& p, const JsonNode& n,
                ManifestCheck& c) { read_text<&ManifestCheck::name>(p, "name", n, c); }},
    {"encoding",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       read_text<&ManifestCheck::encoding>(p, "encoding", n, c);
     }},
    {"model", [](const ManifestSpot& p, const JsonNode& n,
                 ManifestCheck& c) { read_text<&ManifestCheck::model>(p, "model", n, c); }},
    {"config",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       if (n.type == Type::object)
         p.refuse("config must be the name of a file, got an object; single keys are parameters");
       read_text<&ManifestCheck::config>(p, "config", n, c);
       c.config = beside(p.file, c.config);
     }},
    {"layer_type",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       read_text<&ManifestCheck::layer_type>(p, "layer_type", n, c);
     }},
    {"part", [](const ManifestSpot& p, const JsonNode& n,
                ManifestCheck& c) { read_text<&ManifestCheck::part>(p, "part", n, c); }},
    {"parameters",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       if (n.type != Type::object)
         p.refuse(fmt::format("parameters must be an object, got {}", n.what()));
       for (const auto& [name, node] : n.members) c.parameters[name] = parameter_of(p, name, node);
     }},
    {"length", [](const ManifestSpot& p, const JsonNode& n,
                  ManifestCheck& c) { c.length = std::to_string(whole_of(p, "length", n, 1)); }},
    {"positions",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       if (n.type == Type::list)
         p.refuse("positions must be a string such as \"0:16\" or \"0,5,9\", got a list");
       read_text<&ManifestCheck::positions>(p, "positions", n, c);
     }},
    {"dtype", [](const ManifestSpot& p, const JsonNode& n,
                 ManifestCheck& c) { c.dtype = name_of(dtype_of(p, n)); }},
    {"shape",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       if (n.type != Type::list || n.items.empty())
         p.refuse(fmt::format("shape must be a list of whole numbers, got {}", n.what()));
       for (const JsonNode& item : n.items) c.shape.push_back(whole_of(p, "shape", item, 0));
     }},
    {"file",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       for (const std::string& spec : texts_of(p, "file", n))
         c.files.push_back(beside(p.file, spec));
     }},
    {"before",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       for (const std::string& spec : texts_of(p, "before", n))
         c.before.push_back(beside(p.file, spec));
     }},
    {"file_layout",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       read_text<&ManifestCheck::file_layout>(p, "file_layout", n, c);
     }},
    {"axes", [](const ManifestSpot& p, const JsonNode& n,
                ManifestCheck& c) { read_text<&ManifestCheck::axes>(p, "axes", n, c); }},
    {"dialect", [](const ManifestSpot& p, const JsonNode& n,
                   ManifestCheck& c) { read_text<&ManifestCheck::dialect>(p, "dialect", n, c); }},
    {"accept",
     [](const ManifestSpot& p, const JsonNode& n, ManifestCheck& c) {
       c.accept = choice_of<Tier>(p, "accept", n, accepted_tiers);
     }},
    {"expect", [](const ManifestSpot& p, const JsonNode& n,
                  ManifestCheck& c) { c.expected = expected_of(p, n); }},
};

ManifestCheck check_of(ManifestSpot place, const JsonNode& node, std::size_t number) {
  place.check = fmt::format("check {}", number);
  if (node.type != Type::object)
    place.refuse(fmt::format("an object was expected, got {}", node.what()));
  if (const JsonNode* name = node.find("name");
      name && name->type == Type::string && !name->text.empty())
    place.check += fmt::format(" ({})", name->text);
  ManifestCheck check;
  for (const auto& [name, value] : node.members) {
    const auto key = std::ranges::find(keys, std::string_view(name), &Key::name);
    if (key == std::end(keys)) {
      std::vector<std::string> known;
      for (const Key& row : keys) known.emplace_back(row.name);
      if (const std::string says = beside_the_keys(name, value); !says.empty())
        place.refuse(fmt::format("unknown key '{}': {}", name, says));
      place.refuse_key(name, known);
    }
    key->read(place, value, check);
  }
  if (check.encoding.empty() && check.model.empty() && check.config.empty())
    place.refuse("it needs an encoding, a model or a config");
  if (!check.before.empty() && check.files.empty())
    place.refuse("before needs file: the vectors afterwards");
  if (check.files.empty() && node.find("accept"))
    place.refuse("accept needs file: the dump whose tier it is");
  if (check.name.empty()) check.name = fmt::format("check {}", number);
  return check;
}

constexpr std::string_view whole_form = "{\"schema_version\": 1, \"checks\": […]}";

}  // namespace

std::string parameter_called(const std::vector<Parameter>& schema, std::string_view key) {
  for (const Parameter& parameter : schema) {
    if (key == parameter.name) return std::string(key);
    for (const std::string& path : words(parameter.config ? parameter.config : ""))
      if (path.substr(path.rfind('.') + 1) == key) return std::string(parameter.name);
  }
  return "";
}

bool is_check_key(std::string_view name) {
  return std::ranges::find(keys, name, &Key::name) != std::end(keys);
}

std::string beside(const std::string& manifest, const std::string& spec) {
  const std::filesystem::path folder = std::filesystem::path(manifest).parent_path();
  return std::filesystem::path(spec).is_absolute() ? spec : (folder / spec).string();
}

Tier parse_tier(std::string_view name) {
  for (const auto& [word, tier] : accepted_tiers)
    if (word == name) return tier;
  std::vector<Named> names;
  for (const auto& [word, tier] : accepted_tiers) names.push_back({std::string(word)});
  const std::string near = did_you_mean(name, names);
  throw UsageError(fmt::format("--accept must be one of exact, drift, storage, got '{}'{}{}", name,
                               near.empty() ? "" : ": ", near));
}

std::vector<ManifestCheck> parse_manifest(const std::string& text, const std::string& file) {
  const JsonNode root = parse_json(text, file);
  const ManifestSpot place{file, ""};
  if (root.type != Type::object)
    place.refuse(fmt::format("an object was expected, got {}: write {}", root.what(), whole_form));
  if (root.find("model_type") && !root.find("checks"))
    place.refuse(
        "it is a model's config, and a manifest belongs there: pe-verify check --config FILE looks "
        "at its laws, with --file DUMP at a dump");
  for (const auto& [key, node] : root.members)
    if (key != "schema_version" && key != "checks" && key != "$schema")
      place.refuse_key(key, {"schema_version", "checks", "$schema"});
  const JsonNode *version = root.find("schema_version"), *list = root.find("checks");
  if (!version || version->type != Type::number || version->text != "1")
    place.refuse(
        version ? fmt::format(
                      "schema_version must be 1, got {}",
                      version->type == Type::number ? version->text : std::string(version->what()))
                : fmt::format("schema_version must be 1, and is missing: write {} (pe-verify run "
                              "--schema prints all that a manifest may hold)",
                              whole_form));
  if (!list || list->type != Type::list || list->items.empty())
    place.refuse(
        fmt::format("checks must be a list of at least one check{}",
                    list && list->type != Type::list ? ", got " + std::string(list->what()) : ""));
  std::vector<ManifestCheck> checks;
  for (const JsonNode& node : list->items)
    checks.push_back(check_of(place, node, checks.size() + 1));
  const std::vector<Index> lines = lines_of_checks(text);
  if (lines.size() == checks.size())
    for (std::size_t i = 0; i < checks.size(); ++i) checks[i].line = lines[i];
  std::vector<std::string> names;
  for (const ManifestCheck& check : checks) names.push_back(check.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    place.refuse(fmt::format("two checks have the name '{}'", *twice));
  return checks;
}

ManifestCheck parse_manifest_check(const JsonNode& entry, const std::string& file) {
  return check_of({file, ""}, entry, 1);
}

std::vector<ManifestCheck> read_manifest(const std::string& path) {
  return parse_manifest(read_json_text(path), path == "-" ? "standard input" : path);
}

std::string_view manifest_schema() { return schema_text; }

}  // namespace pe
