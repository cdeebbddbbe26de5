// transformers 4.57's classes, from their rows (data/families_older.json): base and part stand at
// the top alone, the scaling in rope_scaling alone, and rope_parameters is not read
// (modeling_rope_utils.py of 4.57.6).
#include "pe/configs/v4_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "pe/scalings/scaling.hpp"

namespace pe {
namespace {

constexpr const char* rope = "rope_scaling";

// One file as a class of transformers 4.57 reads it.
class Older {
 public:
  Older(Reader& reader, Kept<JsonNode> row, const JsonNode* layer)
      : reader_(reader), row_(row), own_(layer ? *layer : row.get()) {}

  void read() {
    read_base();
    read_part();
    read_scaling();
    if (why_.empty())
      tell();
    else
      reader_.tell("hf-v4", "transformers 4.57 does not load such a file: " + why_);
  }

 private:
  struct Taken {
    std::string text, from;  // from: why it is that one
  };

  void refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }
  void want(std::string_view parameter, std::string text, std::string from) {
    want_[std::string(parameter)] = {std::move(text), std::move(from)};
  }

  // The first of the keys that stands at the top, or what the class holds.
  void take_outer(const char* parameter, const std::vector<std::string>& keys,
                  const std::string& held) {
    for (const std::string& key : keys)
      if (const Config::Value* value = reader_.config().number(key))
        return want(parameter, value->text, fmt::format("{} at the top", key));
    if (std::ranges::any_of(keys, [&](const auto& key) { return reader_.config().is_null(key); }) &&
        keys.size() == 1)
      refuse(fmt::format("{} is null", keys.front()));
    want(parameter, held, "its class's own");
  }

  void read_base() {
    take_outer("base", strings_of(own_.find("theta_keys")), text_of(own_.find("theta")));
  }

  void read_part() {
    const std::string held = text_of(row_.find("partial"));
    take_outer("partial-rotary-factor", strings_of(row_.find("partial_keys")),
               held.empty() ? "1" : held);
  }

  // A value inside the object, the file's or the class's own; a null is none.
  std::optional<std::string> inside(const std::string& key) const {
    if (silent_) {
      const JsonNode* held = silent_->find(key);
      return held ? std::optional(held->text) : std::nullopt;
    }
    const Config::Value* value = reader_.config().find(fmt::format("{}.{}", rope, key));
    return value ? std::optional(value->text) : std::nullopt;
  }

  // "": plain; the rule that the object says.
  std::string rule() {
    const Config& config = reader_.config();
    const bool stands = config.find(rope) != nullptr;
    const std::vector<std::string> keys = strings_of(own_.find("rule"));
    const std::string always = text_of(row_.find("always"));
    if (!stands && !config.is_null(rope)) silent_ = row_.find("silent");
    if ((!stands && !silent_) || (keys.empty() && always.empty())) return "";
    if (const JsonNode* exact = row_.find("exact");
        exact && std::to_string(config.keys(rope).size()) != exact->text) {
      refuse(fmt::format("{} must have {} keys", rope, exact->text));
      return "";
    }
    if (!always.empty()) return always;
    for (const std::string& key : keys)
      if (const auto said = inside(key)) return *said;
    if (!row_.find("unnamed")) refuse(fmt::format("{} has no {}", rope, fmt::join(keys, " or ")));
    return "";
  }

  void read_scaling() {
    std::string name = rule();
    if (text_of(row_.find("exact")) == "3" && (name == "su" || name == "yarn")) name = "longrope";
    want("scaling", "none", "no rule of rope_scaling is read");
    if (name.empty() || name == "default" || name == "mrope") return;
    constexpr std::string_view known[] = {"linear", "dynamic", "yarn", "longrope", "llama3"};
    if (std::ranges::find(known, name) == std::end(known))
      return refuse(fmt::format("it has no rule {}", name));
    if (const auto alpha = inside("alpha");
        alpha && name == "dynamic" && reader_.family().find("alpha")) {
      want("scaling", "ntk", "the rule of rope_scaling");
      return want("alpha", *alpha, "rope_scaling.alpha");
    }
    want("scaling", name, "the rule of rope_scaling");
    for (const Parameter& parameter : find_scaling(name).parameters)
      if (parameter.config && parameter.name != std::string_view("original-max-position"))
        if (const auto value = inside(parameter.config); value && reads(name, parameter))
          want(parameter.name, is_nothing(parameter, *value) ? parameter.fallback : *value,
               fmt::format("{}.{}", rope, parameter.config));
    read_length(name);
    for (const char* key : {"factor", name == "llama3" ? "original-max-position" : "factor"})
      if (name != "longrope" && !want_.contains(key))
        refuse(fmt::format("{} {} wants its {}", rope, name, key));
  }

  static bool reads(std::string_view rule, const Parameter& parameter) {
    return rule != "longrope" || !std::string_view(parameter.name).ends_with("-mscale");
  }

  void read_length(const std::string& name) {
    constexpr const char* key = "original_max_position_embeddings";
    const auto within = inside(key);
    const Config::Value* outer = reader_.config().number(key);
    const std::string longest =
        reader_.has("max-position") ? reader_.text("max-position") : std::string();
    if (name == "yarn" || name == "llama3") {
      if (within)
        want("original-max-position", *within, "the key inside rope_scaling alone");
      else if (name == "yarn" && !longest.empty())
        want("original-max-position", longest, "for there is none inside rope_scaling");
    } else if (name == "longrope" && !longest.empty()) {
      want("original-max-position", outer ? outer->text : longest, "the key at the top alone");
      read_magnitude(outer);
    }
  }

  // longrope's factor is of the longest length and the original one at the top, where that stands.
  void read_magnitude(const Config::Value* outer) {
    if (want_.contains("attention-factor")) return;
    const double longest = Decimal(reader_.text("max-position")).value(),
                 original = Decimal(want_["original-max-position"].text).value();
    if (!outer && !want_.contains("factor")) return refuse("longrope wants its factor");
    const double factor = outer ? longest / original : Decimal(want_["factor"].text).value();
    if (outer) want_.erase("factor");
    want("attention-factor",
         fmt::format("{:.17g}",
                     factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original))),
         "of max_position_embeddings and the original length at the top");
  }

  // What the table was read to have, where nobody says.
  double ours(const char* name, double otherwise) const {
    return reader_.has(name) ? Decimal(reader_.text(name)).value() : otherwise;
  }
  bool is_same(const std::string& name, const std::string& theirs) const {
    if (!reader_.has(name)) return false;
    const std::string& text = reader_.text(name);
    const auto is_number = [](const std::string& word) {
      return !word.empty() && word.find_first_not_of("0123456789.eE+-") == std::string::npos;
    };
    return text == theirs ||
           (is_number(text) && is_number(theirs) && Decimal(text).real() == Decimal(theirs).real());
  }

  void settle_part() {
    const double head = ours("dim", 0),
                 turned = std::floor(head * Decimal(want_["partial-rotary-factor"].text).value()),
                 read = reader_.has("rotary-dim")
                            ? ours("rotary-dim", head)
                            : std::floor(head * ours("partial-rotary-factor", 1));
    if (turned == read)
      want_.erase("partial-rotary-factor");
    else if (reader_.has("rotary-dim"))
      reader_.remember("hf-v4", "rotary-dim", "");
  }

  // A magnitude that is computed is the file's where both come to one.
  void settle_magnitude() {
    const auto found = want_.find("attention-factor");
    if (found == want_.end() || reader_.has("attention-factor") ||
        want_["scaling"].text != "longrope" || !reader_.has("original-max-position") ||
        reader_.has("factor") != want_.contains("factor"))
      return;
    const double original = ours("original-max-position", 1),
                 factor = ours("factor", ours("max-position", 1) / original);
    const double read = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
    if (fmt::format("{:.17g}", read) == found->second.text) want_.erase(found);
  }

  void tell() {
    settle_part();
    settle_magnitude();
    std::vector<std::string> differences;
    const bool is_plain = want_["scaling"].text == "none",
               is_other = !is_same("scaling", want_["scaling"].text) &&
                          !(is_plain && !reader_.has("scaling"));
    for (const auto& [name, taken] : want_) {
      if (is_same(name, taken.text) || (name == "scaling" && !is_other)) continue;
      reader_.remember("hf-v4", name, taken.text);
      const bool is_inner = name != "base" && name != "scaling" && name != "partial-rotary-factor";
      if ((!is_other || !is_inner) && (is_older_ || taken.text != "none"))
        differences.push_back(fmt::format("{} {}, {}", name, taken.text, taken.from));
    }
    say(differences);
    forget_others();
  }

  // Of a file in the newer form nobody expects that the older class reads it.
  void say(const std::vector<std::string>& differences) {
    if (differences.empty()) return;
    const std::string taken = fmt::format("{}", fmt::join(differences, "; "));
    if (is_older_)
      reader_.warn(fmt::format("transformers 4.57 takes {} (--dialect hf-v4)", taken));
    else
      reader_.tell("hf-v4", "transformers 4.57 does not read rope_parameters: it takes " + taken);
  }

  // Parameters of a rule that the older class does not read.
  void forget_others() {
    if (!reader_.has("scaling") || reader_.text("scaling") == "none") return;
    for (const Parameter& parameter : find_scaling(reader_.text("scaling")).parameters)
      if (parameter.config && reader_.has(parameter.name) &&
          !want_.contains(std::string(parameter.name)) &&
          parameter.name != std::string_view("partial-rotary-factor"))
        reader_.remember("hf-v4", parameter.name, "");
  }

  Reader& reader_;
  const JsonNode& row_;
  const JsonNode& own_;               // the layer type's, else the row
  const JsonNode* silent_ = nullptr;  // the class's own object, where the file has none
  std::map<std::string, Taken> want_;
  std::string why_;  // it refuses
  const bool is_older_ = reader_.config().keys("rope_parameters").empty();
};

}  // namespace

void read_as_v4(Reader& reader, const LayerType& layer) {
  const Family& family = reader.family();
  if (!family.find("class")) return;
  const JsonNode* row = family.find("v4");
  if (!row)
    return reader.tell("hf-v4",
                       fmt::format("transformers 4.57 has no model_type {}", family.name()));
  if (!row->find("theta_keys"))
    return reader.tell("hf-v4", fmt::format("how transformers 4.57 reads {} was not recorded: it "
                                            "is read as transformers 5 does",
                                            family.name()));
  const JsonNode* layers = row->find("layers");
  Older(reader, *row, layers ? layers->find(layer.type) : nullptr).read();
}

}  // namespace pe
