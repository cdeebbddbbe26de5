// The width of a head, by the family's rule.
#include <fmt/format.h>

#include "pe/base/error.hpp"
#include "pe/configs/reader.hpp"

namespace pe {
namespace {

const std::vector<std::string> widths{"hidden_size", "n_embd", "d_model", "dim"},
    heads{"num_attention_heads", "n_head", "n_heads", "num_heads"};

}  // namespace

void read_head(Reader& reader, const Family& family, const LayerType* layer) {
  const Config& config = reader.config();
  std::string width_key, heads_key;
  const Index width = reader.count(widths, width_key), count = reader.count(heads, heads_key);
  if (family.head == "latent" && reader.count("qk_rope_head_dim") > 0) {
    reader.take("dim", Config::Type::number, {"qk_rope_head_dim"},
                "the part of a latent head that turns");
    reader.know("head_dim");
    return;
  }
  std::vector<std::string> paths;
  for (const std::string_view keys : {layer ? layer->keys : std::string_view{}, family.keys})
    for (const std::string& key : alternatives(entry_of(keys, "dim"))) paths.push_back(key);
  paths.emplace_back("head_dim");
  std::string key;
  const Index stated = reader.count(paths, key);
  const bool splits = width > 0 && count > 0 && width % count == 0;
  if (stated > 0) {
    if (family.head == "split" && width > 0 && count > 0 && stated * count != width)
      reader.refuse(
          key, splits ? fmt::format("{}, which is {} {} / {} {}", width / count,
                                    config.name(width_key), width, config.name(heads_key), count)
                      : fmt::format("a divisor of {} {} for {} {}", config.name(width_key), width,
                                    config.name(heads_key), count));
    if (family.head == "loose" && width > 0 && count > 0 && stated * count != width)
      reader.warn(fmt::format(
          "{} is {}, where {} {} / {} {} would be {}: {} is used, as the model's class does",
          config.name(key), stated, config.name(width_key), width, config.name(heads_key), count,
          fmt::format("{:g}", static_cast<double>(width) / static_cast<double>(count)), key));
    reader.take("dim", Config::Type::number, {key});
    return;
  }
  if (!entry_of(layer ? layer->defaults : "", "dim").empty() ||
      !entry_of(family.defaults, "dim").empty())
    return;
  if (width == 0 || count == 0)
    throw UsageError(fmt::format("{}: key {} is missing, and so is head_dim; give --dim",
                                 config.file, width > 0 ? "num_attention_heads" : "hidden_size"));
  if (!splits)
    throw UsageError(fmt::format("{}: {} {} does not split into {} {} heads", config.file,
                                 config.name(width_key), width, config.name(heads_key), count));
  reader.set("dim", std::to_string(width / count),
             fmt::format("config {} / {}", config.name(width_key), config.name(heads_key)),
             "there is no head_dim");
}

}  // namespace pe
