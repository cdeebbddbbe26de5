// What relative encodings leave to other keys of a config.
#include <fmt/format.h>

#include <algorithm>

#include "pe/configs/reader.hpp"

namespace pe {
namespace {

using Type = Config::Type;

// What a key below 1 leaves to another: max_relative_positions to max_position_embeddings, and
// position_buckets to none, which clips offsets (DebertaV2's DisentangledSelfAttention).
void read_reach(Reader& reader) {
  const Config& config = reader.config();
  const auto is_below_one = [](const std::string& text) { return Decimal(text).value() < 1; };
  const bool told = reader.take("max-relative-positions", Type::number, {"max_relative_positions"});
  if (const Config::Value* longest = config.number("max_position_embeddings");
      longest && (!told || is_below_one(reader.text("max-relative-positions"))))
    reader.set("max-relative-positions", longest->text,
               "config " + config.name("max_position_embeddings"),
               told ? "max_relative_positions is below 1" : "there is no max_relative_positions");
  else if (told && is_below_one(reader.text("max-relative-positions")))
    reader.set_default("max-relative-positions", "512");
  if (reader.has("position-buckets") && is_below_one(reader.text("position-buckets")))
    reader.set("position-buckets", "0", "config " + config.name("position_buckets"),
               "below 1: offsets are clipped");
}

}  // namespace

// Heads split the model's width.
void read_relative(Reader& reader, const Encoding& encoding) {
  const Config& config = reader.config();
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(encoding.parameters,
                               [&](const Parameter& row) { return row.name == name; });
  };
  if (has("max-relative-positions")) read_reach(reader);
  if (!has("head-dim") || reader.has("head-dim")) return;
  std::string width_key, heads_key;
  const Index width = reader.count({"hidden_size", "d_model"}, width_key),
              heads = reader.count({"num_attention_heads", "n_head"}, heads_key);
  if (width > 0 && heads > 0 && width % heads == 0)
    reader.set("head-dim", std::to_string(width / heads),
               fmt::format("config {} / {}", config.name(width_key), config.name(heads_key)));
}

}  // namespace pe
