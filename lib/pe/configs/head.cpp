// The width of a head, by the family's rule: the first of its alternatives that has a value.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"

namespace pe {
namespace {

// A number of the config: the file's, or what the class holds for it.
struct Number {
  Index value = 0;
  std::string path;  // "": the class's own
};

// One alternative: "a", "a+b", "a/b" or "2*a/b".
struct Rule {
  std::vector<std::string> keys;
  char sign = 0;
  Index times = 1;
};

Rule rule_of(std::string_view text) {
  Rule rule;
  if (text.starts_with("2*")) {
    rule.times = 2;
    text.remove_prefix(2);
  }
  const std::size_t cut = text.find_first_of("+/");
  rule.keys.emplace_back(text.substr(0, cut));
  if (cut == std::string_view::npos) return rule;
  rule.sign = text[cut];
  rule.keys.emplace_back(text.substr(cut + 1));
  return rule;
}

// "per_layer_config.05.": what the file says of the first layer of this kind alone, or "". Where it
// does not list its layers, an entry is of the kind whose width differs.
std::string overrides_of(const Config& config, const LayerType& layer) {
  if (layer.type.empty() || !config.find("per_layer_config")) return "";
  std::vector<std::string> kinds;
  if (const Config::Value* list = config.find("layer_types"))
    for (std::size_t start = 0; start <= list->text.size();) {
      const std::size_t comma = std::min(list->text.find(',', start), list->text.size());
      kinds.push_back(list->text.substr(start, comma - start));
      start = comma + 1;
    }
  for (const std::string& key : config.keys("per_layer_config")) {
    std::size_t index = 0;
    std::from_chars(key.data(), key.data() + key.size(), index);
    const bool is_own = kinds.empty() ? layer.own && layer.own->find("width")
                                      : index < kinds.size() && kinds[index] == layer.type;
    if (is_own) return "per_layer_config." + key + ".";
  }
  return "";
}

class Widths {
 public:
  Widths(Reader& reader, Kept<LayerType> layer)
      : reader_(reader), layer_(layer), overrides_(overrides_of(reader.config(), layer)) {}

  /// The family's alternatives; where layers have keys of their own, these are not the class's.
  std::vector<std::string> alternatives() const {
    const Family& family = reader_.family();
    std::vector<std::string> all = strings_of(family.find("width"));
    if (layer_.own && !reader_.config().find("per_layer_config")) {
      const auto own = strings_of(layer_.own->find("width"));
      all.insert(all.begin(), own.begin(), own.end());
    }
    if (says_none()) split_first(all);
    return all;
  }

  Number number(const std::string& key) {
    std::vector<std::string> paths = reader_.spellings(key);
    if (!overrides_.empty()) paths.insert(paths.begin(), overrides_ + key);
    Number found;
    found.value = reader_.count(paths, found.path);
    if (found.value == 0 && std::ranges::any_of(paths, [&](const std::string& path) {
          return reader_.config().is_null(path);
        }))
      return found;
    for (const JsonNode* row : {layer_.own, &reader_.family().row})
      if (const JsonNode* holds = row ? row->find("holds") : nullptr; holds && found.value == 0)
        if (const JsonNode* held = holds->find(key)) found.value = Decimal(held->text).integer();
    return found;
  }

 private:
  // A head_dim of null is none: transformers' classes then split hidden_size, whatever they hold,
  // but for those in whose record null is as good as silence.
  bool says_none() const {
    const Family& family = reader_.family();
    if (family.find("null_head")) return false;
    std::vector<std::string> names;
    if (family.find("class")) names = reader_.spellings("head_dim");
    for (const std::string& width : strings_of(family.find("width"))) {
      const auto spelled = reader_.spellings(width);
      if (std::ranges::find(spelled, "head_dim") != spelled.end())
        names.insert(names.end(), spelled.begin(), spelled.end());
    }
    return std::ranges::any_of(
               names, [&](const std::string& name) { return reader_.config().is_null(name); }) &&
           std::ranges::none_of(
               names, [&](const std::string& name) { return reader_.config().find(name); });
  }

  // The family's own quotient goes first, or, where it has none, that of every class.
  static void split_first(std::vector<std::string>& all) {
    const auto quotient = std::ranges::find_if(all, [](const std::string& text) {
      return text.find('/') != std::string::npos && !text.starts_with("2*");
    });
    if (quotient == all.end())
      all.insert(all.begin(), "hidden_size/num_attention_heads");
    else
      std::rotate(all.begin(), quotient, quotient + 1);
  }

  Reader& reader_;
  const LayerType& layer_;
  std::string overrides_;
};

// Another key for the width that says otherwise is warned about.
void take_stated(Reader& reader, const std::string& key, const Number& stated,
                 const std::vector<std::string>& alternatives, const std::string& beside) {
  if (stated.path.empty()) {
    reader.set_default("dim", std::to_string(stated.value));
    return;
  }
  const bool latent = key == "qk_rope_head_dim";
  if (latent) reader.know("head_dim");
  std::vector<std::string> paths{stated.path};
  for (const std::string& other : alternatives)
    if (const Rule rule = rule_of(other); rule.sign == 0 && other != key)
      paths.push_back(other);
    else if (rule.sign == '+')
      for (const std::string& part : rule.keys) reader.know(part);
  reader.take("dim", Config::Type::number, paths,
              latent ? "the part of a latent head that turns" : beside);
}

// head_dim beside the head that the model's width would make, where the class makes it so if it is
// not told otherwise. Mistral's later models all tell: told, and no cause for a warning.
std::string beside_stated(const Reader& reader, Widths& widths, const Rule& quotient,
                          const Number& stated) {
  const Number width = widths.number(quotient.keys[0]), heads = widths.number(quotient.keys[1]);
  if (stated.path.empty() || width.path.empty() || heads.path.empty() ||
      stated.value * heads.value == width.value * quotient.times)
    return "";
  const Config& config = reader.config();
  return fmt::format("{} {} / {} {} would be {:g}", config.name(width.path), width.value,
                     config.name(heads.path), heads.value,
                     static_cast<double>(width.value) / static_cast<double>(heads.value));
}

bool take_quotient(Reader& reader, Widths& widths, const Rule& rule) {
  const Config& config = reader.config();
  const Number width = widths.number(rule.keys[0]), heads = widths.number(rule.keys[1]);
  if (width.value == 0 || heads.value == 0) return false;
  const auto name = [&](const Number& number, const std::string& key) {
    return number.path.empty() ? key : config.name(number.path);
  };
  if (rule.sign == '/' && width.value % heads.value != 0 && !reader.family().find("uneven"))
    throw UsageError(fmt::format("{}: {} {} does not split into {} {} heads", config.file,
                                 name(width, rule.keys[0]), width.value, name(heads, rule.keys[1]),
                                 heads.value));
  const Index value =
      rule.sign == '+' ? width.value + heads.value : rule.times * width.value / heads.value;
  if (width.path.empty() && heads.path.empty())
    reader.set_default("dim", std::to_string(value));
  else
    reader.set("dim", std::to_string(value),
               fmt::format("config {}{} {} {}", rule.times == 2 ? "2 · " : "",
                           name(width, rule.keys[0]), rule.sign, name(heads, rule.keys[1])),
               "there is no head_dim");
  return true;
}

// Whether the class has a width of its own, which no quotient makes.
bool holds_width(const Family& family) {
  const JsonNode* holds = family.find("holds");
  return holds && holds->find("head_dim");
}

}  // namespace

void read_head(Reader& reader, const LayerType& layer) {
  Widths widths(reader, layer);
  const auto alternatives = widths.alternatives();
  for (const std::string& text : alternatives) {
    const Rule rule = rule_of(text);
    if (rule.sign != 0) {
      if (take_quotient(reader, widths, rule)) return;
      continue;
    }
    const Number stated = widths.number(text);
    if (stated.value == 0) continue;
    std::string beside;
    for (const std::string& other : alternatives)
      if (const Rule quotient = rule_of(other); quotient.sign == '/' && text == "head_dim" &&
                                                beside.empty() && !holds_width(reader.family()))
        beside = beside_stated(reader, widths, quotient, stated);
    take_stated(reader, text, stated, alternatives, beside);
    return;
  }
  const Number width = widths.number("hidden_size");
  throw UsageError(fmt::format("{}: key {} is missing, and so is head_dim; give --dim",
                               reader.config().file,
                               width.value > 0 ? "num_attention_heads" : "hidden_size"));
}

void widen_head(Reader& reader, const LayerType& layer) {
  const JsonNode* whole = layer.find(reader.family(), "whole_head");
  if (!whole || !reader.has("scaling") || reader.text("scaling") != "proportional") return;
  const JsonMember& key = whole->members.front();
  std::string path;
  Index width = reader.count({key.name}, path);
  if (width == 0) width = Decimal(key.value.text).integer();
  const std::string turning = reader.text("dim"), rule = "a proportional rope is of the whole head";
  const std::string origin =
      path.empty() ? fmt::format("default of {}", reader.family().name()) : "config " + path;
  reader.set("dim", std::to_string(width), origin, rule);
  const double share = static_cast<double>(Decimal(turning).integer()) / static_cast<double>(width);
  reader.set("partial-rotary-factor", fmt::format("{}", share),
             fmt::format("{} of {} channels", turning, width), rule);
}

}  // namespace pe
