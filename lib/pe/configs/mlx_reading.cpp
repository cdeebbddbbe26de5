// mlx-lm's classes, from their rows: base, channels, pairs and scaling, each by keys of its own.
#include "pe/configs/mlx_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

using Type = Config::Type;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr std::string_view recorded =
#include "families_mlx.inc"  // written by CMake from data/families_mlx.json
    ;
#pragma GCC diagnostic pop

const JsonNode* row_of(const Config& config, const std::string& layer_type) {
  static const JsonNode all = parse_json(std::string(recorded), "families_mlx.json");
  const Config::Value* type = config.find("model_type");
  if (!type) return nullptr;
  for (const JsonNode& row : all.find("rows")->items) {
    if (std::ranges::count(words(text_of(row.find("types"))), type->text) == 0) continue;
    const JsonNode* layers = row.find("layers");
    const JsonNode* own = layers ? layers->find(layer_type) : nullptr;
    return own ? own : &row;
  }
  return nullptr;
}

// One file as a class of mlx-lm reads it.
class Class {
 public:
  Class(Reader& reader, Kept<JsonNode> row, Kept<std::string> layer_type)
      : reader_(reader), row_(row), layer_(layer_type) {}

  void read() {
    find_object();
    if (const std::string silent = text_of(row_.find("silent"));
        !silent.empty() && !stands("rope_parameters") && !stands("rope_scaling") &&
        !(silent == "null" && reader_.config().is_null("rope_scaling")))
      return refuse("its class wants an object of the rotary keys, or has one of its own");
    read_base();
    read_channels();
    read_pairing();
    if (!refused_) read_scaling();
    tell();
  }

 private:
  // "@" is the layer's type.
  std::string at(std::string path) const {
    if (const auto mark = path.find('@'); mark != std::string::npos) path.replace(mark, 1, layer_);
    return path;
  }
  const Config::Value* number(const std::string& path) const {
    return reader_.config().number(at(path));
  }
  std::optional<std::string> inside(const char* key) const {
    const Config::Value* value = reader_.config().find(object_ + "." + key);
    return value ? std::optional(value->text) : std::nullopt;
  }

  bool stands(const std::string& object) const { return !reader_.config().keys(object).empty(); }

  // The first object that the class looks at and the file has; what holds one for each layer type
  // is none itself.
  void find_object() {
    constexpr const char* layered = "rope_parameters.@";
    const bool is_layered = !layer_.empty() && stands(at(layered));
    for (const JsonMember& root : row_.find("rules")->members) {
      if (is_layered ? root.name != layered : !stands(at(root.name))) continue;
      object_ = at(root.name);
      rules_ = root.value.text;
      return;
    }
  }

  void read_base() {
    const JsonNode* without = row_.find("without");  // where there is no rope_parameters at all
    const JsonNode& row = without && !stands("rope_parameters") ? *without : row_;
    for (const std::string& key : strings_of(row.find("theta_keys")))
      if (const Config::Value* value = number(key)) {
        want_["base"] = value->text;
        return;
      }
    if (const JsonNode* own = row.find("theta"))
      want_["base"] = own->text;
    else
      refuse(
          fmt::format("its class wants {}", fmt::join(strings_of(row.find("theta_keys")), " or ")));
  }

  // "a" or "a/b": 0 where the file does not say.
  double count(const std::string& key) const {
    const auto slash = key.find('/');
    const Config::Value* above = number(key.substr(0, slash));
    if (!above) return 0;
    if (slash == std::string::npos) return Decimal(above->text).value();
    const Config::Value* below = number(key.substr(slash + 1));
    return below ? Decimal(above->text).value() / Decimal(below->text).value() : 0;
  }

  void read_channels() {
    if (const JsonNode* own = row_.find("channels")) want_["rotary-dim"] = own->text;
    for (const std::string& key : strings_of(row_.find("width")))
      if (const double width = count(key); width >= 1 && width < 1e9 && !want_.contains("dim"))
        want_["dim"] = fmt::format("{}", static_cast<Index>(width));
    if (const JsonNode* own = row_.find("head"); own && !want_.contains("dim"))
      want_["dim"] = own->text;
    if (const auto keys = strings_of(row_.find("width")); !keys.empty() && !want_.contains("dim"))
      return refuse(fmt::format("its class wants {}", fmt::join(keys, " or ")));
    read_part();
    if (!want_.contains("dim") || !want_.contains("partial-rotary-factor")) return;
    const double turned =
        Decimal(want_["dim"]).value() * Decimal(want_["partial-rotary-factor"]).value();
    if (!(turned >= 0 && turned < 1e9) || static_cast<Index>(turned) % 2 != 0)
      refuse("an odd number of channels would turn");
  }

  void read_part() {
    for (const std::string& key : strings_of(row_.find("partial_keys"))) {
      const Config::Value* part = number(key);
      if (!part) continue;
      want_.erase("rotary-dim");
      want_[key == "rotary_dim" ? "rotary-dim" : "partial-rotary-factor"] = part->text;
      return;
    }
    if (const JsonNode* own = row_.find("partial")) want_["partial-rotary-factor"] = own->text;
  }

  // A class whose every object grows the base by alpha grows it by 1 without one.
  bool grows_by_alpha() const {
    return std::ranges::any_of(row_.find("rules")->members, [](const JsonMember& root) {
      return root.value.text.find("=alpha") != std::string::npos;
    });
  }

  void read_pairing() {
    bool is_adjacent = text_of(row_.find("pairing")) == "adjacent";
    if (const JsonNode* key = row_.find("pairing_key"))
      if (const Config::Value* value = reader_.config().find(key->text))
        is_adjacent = value->text == "true";
    want_["pairing"] = is_adjacent ? "adjacent" : "halves";
  }

  // "rule=as:type=as:rope_type=as" of the rule that the object says, by the keys that it has.
  std::string rule() {
    const auto older = inside("type"), newer = inside("rope_type");
    std::string said = older ? *older : newer.value_or("default");
    if (!older && !newer && rules_.find("linear=linear") == std::string::npos) said = "linear";
    if (said == "deepseek_yarn" || said == "telechat3-yarn") said = "yarn";
    if (said == "default") return "plain";
    for (const std::string& word : words(rules_)) {
      if (!word.starts_with(said + "=")) continue;
      const std::string other = older && newer ? "::" : older ? ":type=" : ":rope_type=";
      const auto alone = word.find(other);
      const auto from = alone != std::string::npos ? alone + other.size() : said.size() + 1;
      return word.substr(from, word.find(':', from) - from);
    }
    return "";
  }

  void take(const char* parameter, const char* key, const char* fallback = "") {
    const bool is_list =
        key == std::string_view("short_factor") || key == std::string_view("long_factor");
    const std::string path = object_ + "." + key;
    if (const Config::Value* value = is_list ? reader_.config().find(path) : number(path))
      want_[parameter] = value->text;
    else if (*fallback)
      want_[parameter] = fallback;
  }

  void read_scaling() {
    std::string name = !object_.empty() ? rule() : grows_by_alpha() ? "alpha" : "plain";
    if (name.empty()) {
      refuse(fmt::format("its class refuses this {}", object_));
      return;
    }
    const bool top = name.ends_with("-top");
    if (top) name.resize(name.size() - 4);
    if (name == "plain" || name == "mrope") return;
    if (name == "mscales")
      for (const char* key : {"short_factor", "long_factor", "short_mscale", "long_mscale"})
        if (reader_.config().keys(object_ + "." + key).empty() && !inside(key))
          return refuse(fmt::format("its class wants {}", key));
    const bool wants_factor =
        name == "linear" || name == "dynamic" || name == "yarn" || name == "llama3";
    for (const char* key :
         {wants_factor ? "factor" : "", name == "alpha" && !object_.empty() ? "alpha" : ""})
      if (*key && !inside(key)) return refuse(fmt::format("its class wants {}", key));
    if (name == "alpha") return grow_base();
    want_["scaling"] = name == "mscales" ? "longrope" : name;
    if (name != "longrope" && name != "mscales")
      take("factor", "factor", name == "proportional" ? "1" : "");
    if (name == "llama3") {
      take("low-freq-factor", "low_freq_factor", "1");
      take("high-freq-factor", "high_freq_factor", "4");
      take("original-max-position", "original_max_position_embeddings", "8192");
    } else if (name == "yarn") {
      take("original-max-position", "original_max_position_embeddings", "4096");
      take("beta-fast", "beta_fast", "32");
      take("beta-slow", "beta_slow", "1");
      take("mscale", "mscale");
      take("mscale-all-dim", "mscale_all_dim");
    } else if (name == "longrope" || name == "mscales") {
      want_["pairing"] = "halves";  // SuScaledRoPE knows no other
      take("short-factor", "short_factor");
      take("long-factor", "long_factor");
      const Config::Value* outer = number("original_max_position_embeddings");
      if ((top || name == "mscales") && outer)
        want_["original-max-position"] = outer->text;
      else
        take("original-max-position", "original_max_position_embeddings", "4096");
      if (name == "mscales") take("long-mscale", "long_mscale");
    } else if (name == "proportional") {
      take("partial-rotary-factor", "partial_rotary_factor", "1");
    }
  }

  // DynamicNTKAlphaRoPE: periods are powers of the grown base by the C library, which are those of
  // a proportional ladder that is whole.
  void grow_base() {
    if (!want_.contains("base") || !want_.contains("dim")) return;
    const Config::Value* said = object_.empty() ? nullptr : number(object_ + ".alpha");
    const double alpha = said ? Decimal(said->text).value() : 1,
                 dim = Decimal(want_["dim"]).value(), base = Decimal(want_["base"]).value();
    const double grown = base * std::pow(alpha, dim / (dim - 2));
    if (!std::isfinite(grown)) return refuse("its base grows beyond all bounds");
    want_["base"] = fmt::format("{:.17g}", grown);
    want_["scaling"] = "proportional";
    want_["factor"] = "1";
    want_["partial-rotary-factor"] = "1";
  }

  void refuse(const std::string& why) {
    reader_.tell("mlx", fmt::format("mlx-lm does not load such a file: {}", why));
    refused_ = true;
  }

  // What differs from the reading of transformers; a scaling that is not wanted is none.
  void tell() {
    if (refused_) return;
    const auto is_same = [](const std::string& a, const std::string& b) {
      const auto is_number = [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
      };
      return a == b || (is_number(a) && is_number(b) && Decimal(a).real() == Decimal(b).real());
    };
    std::vector<std::string> known{"base",    "dim",    "rotary-dim", "partial-rotary-factor",
                                   "pairing", "scaling"};
    const std::string before = reader_.has("scaling") ? reader_.text("scaling") : "none";
    for (const std::string& name : {before, want_.contains("scaling") ? want_["scaling"] : "none"})
      if (name != "none")
        for (const Parameter& parameter : find_scaling(name).parameters)
          known.emplace_back(parameter.name);
    for (const std::string& name : known) {
      const bool has = reader_.has(name);
      const auto found = want_.find(name);
      if (found == want_.end()) {
        if (has) reader_.remember("mlx", name, "");
      } else if (!has || !is_same(reader_.text(name), found->second)) {
        if (name == "pairing" && !has && found->second == "halves") continue;
        reader_.remember("mlx", name, found->second);
      }
    }
  }

  Reader& reader_;
  const JsonNode& row_;
  const std::string& layer_;
  std::string object_, rules_;
  std::map<std::string, std::string> want_;
  bool refused_ = false;
};

}  // namespace

void read_as_mlx(Reader& reader, const std::string& layer_type) {
  const JsonNode* row = row_of(reader.config(), layer_type);
  if (!row) {
    if (reader.family().find("class"))
      reader.tell("mlx", fmt::format("how mlx-lm reads {}, if it has it, is not recorded: it is "
                                     "read as transformers reads it",
                                     reader.family().name()));
    return;
  }
  reader.forget("mlx");
  Class(reader, *row, layer_type).read();
}

}  // namespace pe
