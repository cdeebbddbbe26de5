// GGUF keys in the words of config.json, each as llama.cpp reads it (its load_hparams, and
// llama-context.cpp for what a graph is given): what differs by architecture stands in the rows of
// data/families_gguf.json.
#include "pe/configs/gguf_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/decimal.hpp"
#include "pe/base/kept.hpp"
#include "pe/configs/family.hpp"

namespace pe {
namespace {

using Type = Config::Type;

constexpr std::string_view window = "sliding_attention", full = "full_attention";

// Sizes that stand below the architecture, and what config.json calls them.
constexpr struct {
  const char *gguf, *json;
} sizes[] = {
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"block_count", "num_hidden_layers"},
    {"context_length", "max_position_embeddings"},
    {"attention.relative_buckets_count", "relative_attention_num_buckets"},
};

double number(const Config::Value& value) { return Decimal(value.text).value(); }

// What a list by layer says of the first layer that has any.
std::string first_of(const Config::Value& value) {
  for (std::size_t start = 0; value.type == Type::list && start <= value.text.size();) {
    const std::size_t comma = std::min(value.text.find(',', start), value.text.size());
    const std::string item = value.text.substr(start, comma - start);
    if (item != "0" && item != "false") return item;
    start = comma + 1;
  }
  return value.text;
}

class Translation {
 public:
  explicit Translation(Kept<Config> file)
      : file_(file), architecture_(file_.find("general.architecture")->text) {
    json_.file = file_.file;
  }

  Config made() {
    for (const auto& [gguf, name] : sizes)
      if (const Config::Value* value = size(gguf)) put(name, Type::number, first_of(*value), gguf);
    if (number_at("attention.max_alibi_bias") != 0)
      put("alibi", Type::boolean, "true", "attention.max_alibi_bias");
    if (const Config::Value* window_size = size("attention.sliding_window"))
      put("windowed", Type::boolean,
          Decimal(first_of(*window_size)).value() > 0 ? "true" : "false");
    if (find("rope.dimension_sections")) put("sectioned", Type::boolean, "true");
    Config::Value& type = json_.values["model_type"];
    type = {Type::string, "gguf/" + architecture_, "general.architecture"};
    family_ = find_family(json_);
    if (!family_) type.text = architecture_ == "t5encoder" ? "t5" : architecture_;
    put_widths();
    if (family_ && family_->find("fixed")) return std::move(json_);
    if (!family_ || family_->encoding == "rope" || family_->encoding == "mrope") put_turns();
    return std::move(json_);
  }

 private:
  const Config::Value* find(std::string_view key) const {
    return file_.find(fmt::format("{}.{}", architecture_, key));
  }

  // A number below the architecture; nullptr where there is none. Throws UsageError naming the key
  // that is of another kind.
  const Config::Value* numeric(std::string_view key) const {
    return file_.number(fmt::format("{}.{}", architecture_, key));
  }

  // The same, or a list of one for each layer.
  const Config::Value* size(std::string_view key) const {
    const Config::Value* value = find(key);
    return value && value->type == Type::list ? value : numeric(key);
  }

  // Its value, 0 where there is none.
  double number_at(std::string_view key) const {
    const Config::Value* value = numeric(key);
    return value ? number(*value) : 0;
  }

  // The channels of a head whose width is not given: 0 where the file does not say.
  double split_width() const {
    const Config::Value *width = json_.find("hidden_size"),
                        *heads = json_.find("num_attention_heads");
    return width && heads ? std::floor(number(*width) / number(*heads)) : 0;
  }

  void put(const std::string& path, Type type, std::string text, std::string_view key = {}) {
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
      json_.values.try_emplace(path.substr(0, dot), Config::Value{Type::object, "an object", {}});
    std::string name;
    if (!key.empty())
      name = key.ends_with(".weight") ? std::string(key) : fmt::format("{}.{}", architecture_, key);
    json_.values[path] = {type, std::move(text), std::move(name)};
  }

  // A key of the windows' own, the whole model's where there is none.
  void put_size(const std::string& path, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
      if (const Config::Value* value = size(key)) {
        put(path, Type::number, first_of(*value), key);
        return;
      }
  }

  std::string rule(std::string_view name) const {
    const JsonNode* windows = family_ ? family_->find("windows") : nullptr;
    return windows ? text_of(windows->find(name)) : "";
  }

  void put_widths() {
    const bool still = family_ && family_->find("still");
    const std::string count = rule("count");
    const bool own = count == "own" || count == "all";
    const auto widths = [&](const std::string& suffix, bool windows, bool counted) {
      if (windows)
        put_size("head_dim" + suffix, {"attention.key_length_swa", "attention.key_length"});
      else
        put_size("head_dim" + suffix, {"attention.key_length"});
      if (counted)
        put_size("rotary_dim" + suffix, {"rope.dimension_count_swa", "rope.dimension_count"});
      else
        put_size("rotary_dim" + suffix, {"rope.dimension_count"});
    };
    widths("", still, count == "all" || (still && own));
    if (rule("half") == "true") halve("rotary_dim", "head_dim");
    if (family_ && family_->encoding == "mrope") put_part();
    if (!rule("base").empty() && !still) widths("_swa", true, own);
    // A window without a width of its own splits the model's as every other layer does.
    if (!rule("base").empty() && !still && !json_.find("head_dim_swa") && split_width() > 0)
      put("head_dim_swa", Type::number, fmt::format("{:.0f}", split_width()));
  }

  // M-RoPE counts the part that turns, not its channels.
  void put_part() {
    const Config::Value *count = json_.find("rotary_dim"), *head = json_.find("head_dim");
    const double channels = head ? number(*head) : split_width();
    if (!count || !(channels > 0)) return;
    const double part = number(*count) / channels;
    json_.values.erase("rotary_dim");
    put("rope_parameters.partial_rotary_factor", Type::number, fmt::format("{:.17g}", part),
        "rope.dimension_count");
  }

  void halve(const char* path, const char* otherwise) {
    const Config::Value* count = json_.find(path) ? json_.find(path) : json_.find(otherwise);
    const double channels = count ? number(*count) : split_width();
    put(path, Type::number, fmt::format("{:.0f}", channels / 2), "rope.dimension_count");
  }

  void put_turns() {
    const bool windows = !rule("base").empty();
    if (windows && !family_->find("still")) {
      const bool none = rule("needs") == "true" && !find("attention.sliding_window");
      put_object("rope_parameters." + std::string(full), false);
      put_object("rope_parameters." + std::string(window), !none);
    } else {
      put_object("rope_parameters", windows);
    }
  }

  // The rotation of one kind of layers.
  void put_object(const std::string& root, bool windows) {
    put_base(root, windows);
    const bool scaled = !windows || rule("scale") == "same";
    std::string type = find("rope.scaling.type") ? find("rope.scaling.type")->text : "linear";
    // "none" stops the whole model's factor, not the one that windows took from the file.
    if (type == "none" && windows && rule("base") != "full") type = "linear";
    if (!scaled || type == "none") type = "default";
    const char* key = find("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
    const Config::Value* given = type == "default" ? nullptr : numeric(key);
    const double factor = given && number(*given) != 0 ? number(*given) : 1;
    if (put_lists(root, windows, type, factor)) return;
    if (type == "linear" && factor == 1) type = "default";
    if (type == "longrope") type = "default";  // its divisors are tensors, and there are none
    if (type == "default" &&
        (find("rope.scaling.attn_factor") || (mixes() && !scaled && rule("mix") != "false"))) {
      put_unstretched(root);
      return;
    }
    put(root + ".rope_type", Type::string, type, "rope.scaling.type");
    if (type == "default") return;
    if (given) put(root + ".factor", Type::number, given->text, key);
    if (type == "yarn") put_yarn(root, factor);
  }

  bool mixes() const {
    const Config::Value* type = find("rope.scaling.type");
    return type && type->text == "yarn";
  }

  // Layers that are not stretched beside some that are: the kernel mixes two angles all the same,
  // and attn_factor multiplies these layers, too. That is yarn of a factor of 1.
  void put_unstretched(const std::string& root) {
    put(root + ".rope_type", Type::string, "yarn", "rope.scaling.type");
    put(root + ".factor", Type::number, "1");
    if (const Config::Value* attention = numeric("rope.scaling.attn_factor"))
      put(root + ".attention_factor", Type::number, attention->text, "rope.scaling.attn_factor");
    put_original(root);
  }

  void put_base(const std::string& root, bool windows) {
    const std::string whose = windows ? rule("base") : "full";
    if (whose != "full" && numeric("rope.freq_base_swa"))
      put(root + ".rope_theta", Type::number, find("rope.freq_base_swa")->text,
          "rope.freq_base_swa");
    else if (whose != "own" && numeric("rope.freq_base"))
      put(root + ".rope_theta", Type::number, find("rope.freq_base")->text, "rope.freq_base");
    if (const Config::Value* sections = find("rope.dimension_sections")) {
      std::string three = sections->text;  // the fourth is a vision tower's, and 0
      if (std::ranges::count(three, ',') == 3) three.resize(three.rfind(','));
      put(root + ".mrope_section", Type::list, three, "rope.dimension_sections");
    }
  }

  // The length that yarn and longrope begin from: llama.cpp takes the whole context in silence.
  void put_original(const std::string& root) {
    for (const char* key : {"rope.scaling.original_context_length", "context_length"})
      if (const Config::Value* length = numeric(key)) {
        put(root + ".original_max_position_embeddings", Type::number, length->text, key);
        return;
      }
  }

  // Divisors of each pair: the converter's for llama3 as one list, longrope's as two.
  bool put_lists(const std::string& root, bool windows, const std::string& type, double factor) {
    const JsonNode* listed = family_ ? family_->find("listed") : nullptr;
    const std::string kind(windows ? window : full);
    if (listed && std::ranges::count(strings_of(listed), kind) == 0) return false;
    const Config::Value *one = file_.find("rope_freqs.weight"),
                        *far = file_.find("rope_factors_long.weight"),
                        *near = file_.find("rope_factors_short.weight");
    if (!one && !(far && near)) return false;
    if (type == "yarn") {  // which no scaling here has: refused where these layers are asked for
      put(root + ".rope_type", Type::string, "yarn with divisors", "rope.scaling.type");
      return true;
    }
    const Config::Value* channels = json_.find(windows ? "rotary_dim_swa" : "rotary_dim");
    const std::size_t pairs = channels ? pairs_of(number(*channels)) : 0;
    const auto put_list = [&](const char* name, const Config::Value& list, const char* tensor) {
      put(root + name, Type::list, times(first(list.text, pairs), factor), tensor);
    };
    put(root + ".rope_type", Type::string, "longrope",
        one ? "rope_freqs.weight" : "rope_factors_long.weight");
    put_list(".long_factor", one ? *one : *far,
             one ? "rope_freqs.weight" : "rope_factors_long.weight");
    put_list(".short_factor", one ? *one : *near,
             one ? "rope_freqs.weight" : "rope_factors_short.weight");
    const Config::Value* attention = numeric("rope.scaling.attn_factor");
    put(root + ".attention_factor", Type::number, attention ? attention->text : "1",
        attention ? "rope.scaling.attn_factor" : "");
    put_original(root);
    return true;
  }

  // 0, all of a list, for a count that is none.
  static std::size_t pairs_of(double channels) {
    return channels > 0 && channels < 1e9 ? static_cast<std::size_t>(channels) / 2 : 0;
  }

  // Of a list that is longer than the pairs of these layers the first count; 0: all.
  static std::string first(const std::string& list, std::size_t pairs) {
    std::size_t end = std::string::npos;
    for (std::size_t k = 0, at = 0; k < pairs && at != std::string::npos; ++k) {
      end = list.find(',', at);
      at = end == std::string::npos ? end : end + 1;
    }
    return pairs == 0 ? list : list.substr(0, end);
  }

  static std::string times(const std::string& list, double factor) {
    if (factor == 1) return list;
    std::string product;
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t comma = std::min(list.find(',', start), list.size());
      product += fmt::format("{}{:.17g}", product.empty() ? "" : ",",
                             Decimal(list.substr(start, comma - start)).value() * factor);
      start = comma + 1;
    }
    return product;
  }

  // The graph's attention factor times what the kernel multiplies by itself: 0.1·ln s + 1 but for
  // attn_factor and yarn_log_multiplier.
  void put_yarn(const std::string& root, double factor) {
    put_original(root);
    if (family_ && family_->find("betas"))
      for (const char* name : {"beta_fast", "beta_slow"}) {
        const std::string key = fmt::format("rope.scaling.yarn_{}", name);
        if (const Config::Value* beta = numeric(key))
          put(fmt::format("{}.{}", root, name), Type::number, beta->text, key);
      }
    if (const JsonNode* ramp = family_ ? family_->find("ramp") : nullptr)
      for (const std::size_t end : {0u, 1u}) {
        const char* name = end == 0 ? ".beta_fast" : ".beta_slow";
        if (!json_.find(root + name)) put(root + name, Type::number, ramp->items[end].text);
      }
    const auto grown = [&](double by) { return factor <= 1 ? 1 : 0.1 * by * std::log(factor) + 1; };
    double attention = grown(1);
    const JsonNode* log = family_ ? family_->find("log") : nullptr;
    const Config::Value *by = numeric("rope.scaling.yarn_log_multiplier"),
                        *times = numeric("rope.scaling.attn_factor");
    const bool counts = log && by && number(*by) != 0;
    if (counts) {
      const double multiplier = number(*by) / Decimal(text_of(log->find("unit"))).value();
      attention = grown(text_of(log->find("both")) == "true" ? multiplier : 1) / grown(multiplier);
    }
    if (times) attention *= number(*times);
    if (counts || times)
      put(root + ".attention_factor", Type::number, fmt::format("{:.17g}", attention),
          counts ? "rope.scaling.yarn_log_multiplier" : "rope.scaling.attn_factor");
  }

  const Config& file_;
  std::string architecture_;
  const Family* family_ = nullptr;
  Config json_;
};

}  // namespace

bool speaks_gguf(const Config& config) { return config.find("general.architecture") != nullptr; }

Config from_gguf(const Config& config) { return Translation(config).made(); }

}  // namespace pe
