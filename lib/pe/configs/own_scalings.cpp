// Scalings as the code beside checkpoints has them, which no class of transformers does.
#include "pe/configs/own_scalings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pe {
namespace {

double number_of(const Reader& reader, std::string_view name) {
  return Decimal(reader.text(name)).value();
}

}  // namespace

void take_grown_less(Reader& reader, const std::string& key) {
  const Config::Value* type = reader.config().find(key);
  if (!type || type->text != telechat3_yarn || !reader.has("factor")) return;
  const double grown = std::log(std::max(1.0, number_of(reader, "factor")));
  reader.set("attention-factor", fmt::format("{:.17g}", 0.07 * grown + 1),
             "config " + reader.config().name(key), "0.07 · ln(factor) + 1");
  reader.remember("mlx", "attention-factor", fmt::format("{:.17g}", 0.1 * grown + 1));
}

void take_open_magnitude(Reader& reader) {
  if (!reader.family().find("open_magnitude") || !reader.has("max-position") ||
      !reader.has("original-max-position"))
    return;
  const double original = number_of(reader, "original-max-position"),
               stretch = number_of(reader, "max-position") / original;
  reader.set("attention-factor",
             fmt::format("{:.17g}", std::sqrt(1 + std::log(stretch) / std::log(original))),
             "config max_position_embeddings", "√(1 + ln(longest / original) / ln(original))");
}

std::string take_stretch(Reader& reader, const JsonNode& stretch) {
  const JsonNode* holds = reader.family().find("holds");
  const auto said = [&](const char* what) -> std::optional<Decimal> {
    const std::string key = text_of(stretch.find(what));
    for (const std::string& path : reader.spellings(key)) {
      reader.know(path);
      if (const Config::Value* value = reader.config().number(path)) return Decimal(value->text);
    }
    const JsonNode* held = holds ? holds->find(key) : nullptr;
    return held ? std::optional(Decimal(held->text)) : std::nullopt;
  };
  const auto set = [&](const char* parameter, const Decimal& value, const char* what) {
    reader.set(parameter, fmt::format("{}", value.value()),
               "config " + text_of(stretch.find(what)));
  };
  const auto length = said("length"), factor = said("factor"), start = said("start");
  const std::string flag = text_of(stretch.find("flag"));
  const Config::Value* asked = flag.empty() ? nullptr : reader.config().find(flag);
  reader.know(flag);
  if (!flag.empty() && (!asked || asked->text != "true")) return "none";
  if (const auto linear = said("linear"); linear && linear->value() != 0) {
    set("factor", *linear, "linear");
    reader.set("scaling", "linear", "config " + text_of(stretch.find("linear")),
               "the class's own rule");
    return "linear";
  }
  if (factor && length && factor->value() != 0) {
    set("factor", *factor, "factor");
    set("original-max-position", *length, "length");
  } else if (start) {
    reader.set("factor", "1", "config " + text_of(stretch.find("start")), "it counts for nothing");
    set("original-max-position", *start, "start");
    reader.set("growth", "doubling", "config " + text_of(stretch.find("start")));
    if (length) set("longest-seen", *length, "length");
  } else {
    return "none";
  }
  reader.set("scaling", "dynamic", "config " + text_of(stretch.find(factor ? "factor" : "start")),
             "the class's own rule");
  return "dynamic";
}

}  // namespace pe
