// The configuration that GGUF metadata is, with the rotary factors that lie among the tensors.
#include "pe/configs/gguf_config.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "pe/io/gguf.hpp"

namespace pe {
namespace {

constexpr Index longest_list = 1 << 16;

}  // namespace

bool is_gguf(std::istream& file) {
  char magic[4] = {};
  file.read(magic, sizeof magic);
  const bool is = file.gcount() == sizeof magic && std::memcmp(magic, "GGUF", sizeof magic) == 0;
  file.clear();
  file.seekg(0);
  return is;
}

Config read_gguf_config(const std::string& path) {
  const auto source = std::make_shared<const io::Source>(path);
  const io::Gguf file = io::parse_gguf(*source);
  Config config{path, {}, {}};
  for (const auto& [key, value] : file.metadata) config.values[key] = {value.type, value.text, {}};
  for (const io::GgufTensor& tensor : file.tensors) {
    if (!tensor.name.starts_with("rope_f") || tensor.type != 0) continue;
    const Stored factors = io::gguf_array(tensor, source);
    if (factors.size() > longest_list) continue;
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
