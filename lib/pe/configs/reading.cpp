// From a config to an encoding and its parameters.
#include "pe/configs/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "pe/base/error.hpp"
#include "pe/configs/gguf_keys.hpp"
#include "pe/configs/layer_lists.hpp"
#include "pe/configs/layer_types.hpp"
#include "pe/configs/part.hpp"
#include "pe/configs/reader.hpp"
#include "pe/configs/sizes.hpp"
#include "pe/scalings/scaling.hpp"

namespace pe {

void read_keys(Reader& reader, const Encoding& encoding, const Family& family) {
  using Type = Config::Type;
  for (const Parameter& parameter : encoding.parameters) {
    if (reader.has(parameter.name)) continue;
    std::vector<std::string> paths;
    if (const JsonNode* keys = family.find("keys"))
      if (const JsonNode* own = keys->find(parameter.name)) paths.push_back(own->text);
    if (parameter.config)
      for (const std::string& key : words(parameter.config)) paths.push_back(key);
    using Of = Parameter::Type;
    // A choice may be spelled as a list of words: ["p2c", "c2p"].
    const bool listed =
        parameter.type == Of::choice && std::ranges::any_of(paths, [&](const std::string& path) {
          return reader.config().find(path) && reader.config().find(path)->type == Type::list;
        });
    const Type type = listed                          ? Type::list
                      : parameter.type == Of::flag    ? Type::boolean
                      : parameter.type >= Of::choice  ? Type::string
                      : parameter.type == Of::numbers ? Type::list
                                                      : Type::number;
    reader.take(parameter.name, type, paths);
  }
}

namespace {

using Type = Config::Type;

// How a config without a known model_type is read: by the keys that speak of positions, in every
// spelling that is about.
const Family& by_keys(std::string_view encoding) {
  static const auto family = [](std::string name, const char* row) {
    return Family{.encoding = std::move(name), .row = parse_json(row, "")};
  };
  static const Family t5 = family("t5", "{}"), alibi = family("alibi", "{}"),
                      rope = family("rope",
                                    R"({"width": ["head_dim", "hidden_size/num_attention_heads"],
      "also": {"hidden_size": ["n_embd", "d_model", "dim"], "num_attention_heads": ["n_head", "n_heads", "num_heads"],
               "max_position_embeddings": ["n_positions", "max_sequence_length", "seq_length", "max_seq_len"]},
      "theta_keys": ["rope_theta", "rotary_emb_base"], "alpha": true, "plain": "partial",
      "partial_keys": ["partial_rotary_factor", "rotary_pct", "rotary_dim/head_dim"]})");
  return encoding == "t5" ? t5 : encoding == "alibi" ? alibi : rope;
}

// What people take for a config: a manifest, and what lies beside the config of a snapshot.
void refuse_others(const Config& config) {
  namespace fs = std::filesystem;
  const fs::path path = config.file, beside = path.parent_path() / "config.json";
  std::error_code error;
  if (config.find("schema_version") && config.find("checks"))
    throw UsageError(
        fmt::format("{0} is a manifest, not a model's config: pe-verify run {0} runs "
                    "its checks",
                    config.file));
  if (path.extension() == ".json" && path.filename() != "config.json" &&
      fs::is_regular_file(path, error) && fs::is_regular_file(beside, error))
    throw UsageError(
        fmt::format("{}: there is no model_type, as the config beside it has: did you "
                    "mean {}?",
                    config.file, beside.string()));
}

const Family& guess(const Config& config, const Encoding* asked, Reading& reading) {
  const Config::Value* type = config.find("model_type");
  const auto speaks = [&](std::string_view keys) {
    return std::ranges::any_of(words(keys),
                               [&](const std::string& key) { return config.find(key) != nullptr; });
  };
  const auto is_true = [&](std::string_view key) {
    const Config::Value* value = config.find(key);
    return value && value->text == "true";
  };
  const Family* family = nullptr;
  if (speaks("relative_attention_num_buckets"))
    family = &by_keys("t5");
  else if (is_true("alibi") || is_true("use_alibi") || is_true("attn_config.alibi"))
    family = &by_keys("alibi");
  else if (speaks("rope_theta rope_scaling rope_parameters rotary_emb_base rotary_pct rotary_dim "
                  "partial_rotary_factor head_dim") ||
           (asked && asked->scalable))
    family = &by_keys("rope");
  if (!family && asked) return by_keys("alibi");  // plain keys of whatever was asked for
  if (!family && !type) refuse_others(config);
  if (!family)
    throw UsageError(fmt::format(
        "{}: {}, and no other key tells which encoding the model has: name one (pe-gen list "
        "encodings)",
        config.file,
        type ? fmt::format("key model_type is {}, which is in no row of the catalogue", type->text)
             : std::string("there is no model_type")));
  if (type)
    reading.warnings.push_back(fmt::format(
        "{}: model_type {} is in no row of the catalogue: its keys are read as {} spells them",
        config.file, type->text, family->encoding == "rope" ? "Llama" : family->encoding));
  return *family;
}

// What the class of a table, a bias or a bucket holds where the file is silent.
void fill_defaults(Reader& reader, const Encoding& encoding) {
  const JsonNode* values = reader.family().find("values");
  if (!values) return;
  for (const JsonMember& value : values->members)
    if (!reader.has(value.name) &&
        std::ranges::any_of(encoding.parameters,
                            [&](const Parameter& row) { return row.name == value.name; }))
      reader.set_default(value.name, value.value.text);
}

// Of two parts that differ the first is read, and a warning says so.
void doubt_parts(Reading& reading, const Config& config, const Encoding* asked) {
  const auto values = [](const Reading& of) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, value] : of.given)
      if (name != "bidirectional") all.emplace_back(name, value.text);  // the row's note tells
    return all;
  };
  for (const std::string& part : parts_of(config)) {
    if (part == reading.family->part) continue;
    const Reading other = read_model(config, asked, "", part);
    if (other.encoding == reading.encoding && values(other) == values(reading)) continue;
    reading.warnings.push_back(
        fmt::format("{}: parts differ ({}): {} is taken, --part takes another", config.file,
                    fmt::join(parts_of(config), ", "), reading.family->part));
    return;
  }
}

// The row of the padding token that a class clears, wherever its positions start (XGLM).
void doubt_cleared_row(Reader& reader) {
  const Config::Value* pad = reader.config().find("pad_token_id");
  if (!reader.family().find("zero") || !reader.has("offset") || !pad || pad->type != Type::number)
    return;
  const Real row = Decimal(pad->text).real(), first = Decimal(reader.text("offset")).real();
  if (row >= first)
    reader.warn(
        fmt::format("the class of {} clears row {} of its table (pad_token_id): position {} "
                    "is zeros there, and is not here",
                    reader.family().name(), pad->text, (row - first).str(20)));
}

void read_other(Reader& reader, Reading& reading, std::string_view layer_type) {
  const Encoding& encoding = *reading.encoding;
  const Family& family = reader.family();
  LayerType layer;
  if (const JsonNode* layers = family.find("layers"); layers && family.encoding == encoding.name) {
    reading.layer_types = layer_types_of(reader.config(), family);
    reading.layer_type = choose_layer(reading, reader.config(), layer_type);
    layer = {reading.layer_type, layers->find(reading.layer_type)};
  }
  read_sizes(reader, encoding, layer);
  read_keys(reader, encoding, family);
  if (encoding.kind == Kind::relative) read_relative(reader, encoding);
  fill_defaults(reader, encoding);
  doubt_cleared_row(reader);
  doubt_other_keys(reader);
}

// Warnings that are alike but for the key that they name, of which a file may have thousands: the
// first few, and how many more there are.
void limit(std::vector<std::string>& warnings, const std::string& file) {
  constexpr std::size_t most = 5;
  const auto said_of = [](const std::string& warning) {
    return warning.substr(std::min(warning.find(" is not read"), warning.size()));
  };
  std::map<std::string, std::size_t> counts;
  for (const std::string& warning : warnings)
    if (const std::string said = said_of(warning); !said.empty()) ++counts[said];
  std::map<std::string, std::size_t> told;
  std::vector<std::string> few;
  for (std::string& warning : warnings) {
    const std::string said = said_of(warning);
    const std::size_t number = said.empty() ? 0 : ++told[said];
    if (number > most + 1 || (number == most + 1 && counts[said] > most + 1)) {
      if (number == most + 1)
        few.push_back(
            fmt::format("{}: {} more keys, of which each{}", file, counts[said] - most, said));
      continue;
    }
    few.push_back(std::move(warning));
  }
  warnings = std::move(few);
}

}  // namespace

Reading read_model(const Config& file, const Encoding* asked, std::string_view layer_type,
                   std::string_view part_asked) {
  Reading reading;
  std::string part(part_asked);
  Config whole = speaks_gguf(file) ? from_gguf(file) : file;
  if (std::string named = name_type(whole); !named.empty()) reading.warnings.push_back(named);
  const Config spoken = speaking_part(whole, reading, part);
  const Family* known = find_family(spoken, asked, part);
  const Config config = known && known->find("layer_lists") ? unlist_layers(spoken) : spoken;
  if (!part.empty() && !known) refuse_part(config, part);
  if (const JsonNode* why = known ? known->find("refuse") : nullptr)
    throw UsageError(fmt::format("{}: model_type {} {}", config.file,
                                 config.find("model_type")->text, why->text));
  const Family& family = known ? *known : guess(config, asked, reading);
  reading.family = known;
  reading.encoding = asked ? asked : &find_encoding(family.encoding);
  const bool rotary = reading.encoding->kind == Kind::rotation && (family.find("width") || !known);
  const bool of_text = rotary && family.encoding == "mrope" && asked && asked->name == "rope";
  if (known && asked && asked->name != family.encoding && !of_text)
    reading.warnings.push_back(fmt::format("{}: model_type {} has {}, not {}", config.file,
                                           config.find("model_type")->text, family.encoding,
                                           asked->name));
  if (const std::string doubt = known && asked && asked->name == known->encoding
                                    ? doubt_family(config, *known, part)
                                    : "";
      !doubt.empty())
    reading.warnings.push_back(fmt::format("{}: {}", config.file, doubt));
  Reader reader(config, rotary && !family.find("width") ? by_keys("rope") : family, reading);
  if (rotary)
    read_rotation(reader, reading, layer_type);
  else
    read_other(reader, reading, layer_type);
  doubt_outer_keys(reader, whole);
  if (known && part.empty() && !family.part.empty()) doubt_parts(reading, config, asked);
  limit(reading.warnings, config.file);
  return reading;
}

}  // namespace pe
