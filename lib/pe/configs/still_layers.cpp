// Kinds of layers and lists of bases that say which layers turn.
#include "pe/configs/still_layers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe {
namespace {

// Whether the class leaves layers of this kind as they are: some turn where a key is null.
bool is_still(const Config& config, const JsonNode& still, std::string_view kind) {
  const JsonNode* unless = still.find(kind);
  return unless && (unless->text.empty() || !config.is_null(unless->text));
}

}  // namespace

std::string turning_layer(Reader& reader, std::string_view asked) {
  const JsonNode* still = reader.family().find("still");
  if (!still) return std::string(asked);
  const Config& config = reader.config();
  for (const JsonMember& kind : still->members) reader.know(kind.value.text);
  const auto kinds = config.items("layer_types");
  const auto stands = [&](const std::string& kind) { return is_still(config, *still, kind); };
  if (!kinds.empty() && std::ranges::all_of(kinds, stands))
    throw UsageError(fmt::format("{}: no layer turns: the class of {} leaves {} layers as they are",
                                 config.file, reader.family().name(), kinds.front()));
  if (asked.empty()) return "";
  if (stands(std::string(asked)))
    throw UsageError(fmt::format("{}: {} layers have no position encoding", config.file, asked));
  const auto usual = strings_of(reader.family().find("kinds"));
  const bool is_kind = std::ranges::count(kinds.empty() ? usual : kinds, asked) > 0;
  return is_kind ? "" : std::string(asked);
}

void read_layer_bases(Reader& reader) {
  const std::string rates = text_of(reader.family().find("rates"));
  constexpr const char* key = "layer_rope_theta";
  const auto list = reader.config().items(key);
  if (rates.empty() || list.empty()) return;
  reader.know(key);
  std::vector<std::string> bases;
  for (const std::string& item : list) {
    if (item.empty() || item.find_first_not_of("0123456789.eE+-") != std::string::npos)
      reader.refuse(key, "a list of numbers");
    const Real base = Decimal(item).real();
    const auto is_same = [&](const std::string& other) { return Decimal(other).real() == base; };
    if (base != 0 && std::ranges::none_of(bases, is_same)) bases.push_back(item);
  }
  if (bases.empty())
    throw UsageError(fmt::format("{}: no layer turns: {} is 0 for all", reader.config().file,
                                 reader.config().name(key)));
  if (rates != "bases") return;
  reader.set("base", bases.front(), fmt::format("config {}", reader.config().name(key)),
             "a layer's own base goes before the one for all");
  if (bases.size() > 1)
    reader.warn(fmt::format("layers turn by several bases ({}): {} is taken, --base takes another",
                            fmt::join(bases, ", "), bases.front()));
}

}  // namespace pe
