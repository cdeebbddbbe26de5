// Judging the library's reading of a configuration by a recorded table of the real class.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace pe_test {

using pe::Index;

// FNV-1a, 64 bits, of the little-endian bytes: what the recorder keeps of a table.
inline std::string hash_of(const std::vector<float>& table) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const float number : table)
    for (int byte = 0; byte < 4; ++byte)
      value = (value ^ (std::bit_cast<std::uint32_t>(number) >> (8 * byte) & 0xFF)) * 0x100000001B3;
  return fmt::format("{:016x}", value);
}

inline std::vector<float> field(const pe::Effect& effect, const std::string& name) {
  const pe::Array array = pe::collect(pe::spell(effect, pe::span_of(pe::PositionRange{0, 1, 1, 0}),
                                                pe::DType::f32, {name}, pe::find_dialect("hf"))
                                          .front(),
                                      1);
  std::vector<float> values;
  for (Index i = 0; i < array.size(); ++i) values.push_back(static_cast<float>(array.at(i)));
  return values;
}

enum class Outcome { right, silent, warned, refused };

struct Judged {
  Outcome outcome = Outcome::right;
  std::string why = {};
};

// A float32 number more or less: which the dialect's claim leaves open.
inline bool is_near(float ours, const std::string& theirs) {
  const auto bits = std::bit_cast<std::uint32_t>(ours);
  const auto other = static_cast<std::uint32_t>(std::stoul(theirs, nullptr, 16));
  return bits - other + 1 <= 2;
}

inline std::string difference(const pe::Effect& effect, const pe::JsonNode& truth) {
  const std::vector<float> ours = field(effect, "inv_freq");
  if (std::to_string(ours.size()) != truth.items[0].text)
    return fmt::format("{} pairs, not {}", ours.size(), truth.items[0].text);
  const float factor = field(effect, "attention_factor").front();
  if (factor != static_cast<float>(std::stod(truth.items[1].text)))
    return fmt::format("attention factor {}, not {}", factor, truth.items[1].text);
  if (hash_of(ours) == truth.items[2].text) return "";
  for (const auto& [index, bits] : truth.items[3].members)
    if (!is_near(ours[std::stoul(index)], bits.text))
      return fmt::format("frequency {} is {}", index, ours[std::stoul(index)]);
  return "";
}

inline Judged judge(const pe::Config& config, const std::string& layer, const pe::JsonNode& truth,
                    const std::string& part = "") {
  try {
    const pe::Encoding& rope = pe::find_encoding("rope");
    const pe::Reading reading = pe::read_model(config, &rope, layer, part);
    const pe::Effect effect =
        rope.make(pe::complete(pe::schema_of(rope), {}, reading.given, pe::read_array), 1);
    const std::string why = difference(effect, truth);
    if (why.empty()) return {};
    return {reading.warnings.empty() ? Outcome::silent : Outcome::warned, why};
  } catch (const std::exception& error) {
    return {Outcome::refused, error.what()};
  }
}

}  // namespace pe_test
