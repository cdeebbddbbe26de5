// The configuration that GGUF metadata is, with the rotary factors that lie among the tensors.
#include "pe/configs/gguf_config.hpp"

#include <fmt/format.h>

#include <vector>

#include "pe/io/gguf.hpp"

namespace pe {
namespace {

// rope_freqs, rope_factors_long and rope_factors_short; a head has thousands of channels at most.
constexpr Index longest_list = 1 << 16;
constexpr int most_lists = 8;

}  // namespace

Config read_gguf_config(const std::string& path, const std::shared_ptr<const io::Source>& source) {
  const io::Gguf file = io::parse_gguf(*source);
  Config config{path, {}, {}};
  for (const auto& [key, value] : file.metadata) config.values[key] = {value.type, value.text, {}};
  int lists = 0;
  for (const io::GgufTensor& tensor : file.tensors) {
    if (!tensor.name.starts_with("rope_f") || tensor.type != 0) continue;
    const Stored factors = io::gguf_array(tensor, source);
    if (factors.size() > longest_list || ++lists > most_lists) continue;
    std::vector<double> values(static_cast<std::size_t>(factors.size()));
    factors.read(0, factors.size(), values.data());
    std::string items;
    for (const double value : values)
      items += fmt::format("{}{:.60g}", items.empty() ? "" : ",", value);
    config.values[tensor.name] = {Config::Type::list, items, {}};
  }
  return config;
}

}  // namespace pe
