// GGUF: what llama.cpp's graphs turn pairs by, against what the metadata is read as here.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/reading.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;
using pe::JsonNode;

constexpr Index places[] = {1, 777, 8191};

// A file's metadata as read_gguf_config gives it.
pe::Config metadata(const JsonNode& record) {
  using Type = pe::Config::Type;
  pe::Config config{"least.gguf", {}, {}};
  config.values["general.architecture"] = {Type::string, record.find("architecture")->text, {}};
  for (const pe::JsonMember& key : record.find("keys")->members) {
    const std::string& text = key.value.text;
    const bool is_number = text.find_first_not_of("0123456789.e+-") == std::string::npos;
    config.values[key.name] = {text.find(',') != std::string::npos ? Type::list
                               : is_number                         ? Type::number
                                                                   : Type::string,
                               text,
                               {}};
  }
  for (const pe::JsonMember& list : record.find("lists")->members) {
    std::string items;
    for (const JsonNode& item : list.value.items) items += (items.empty() ? "" : ",") + item.text;
    config.values[list.name] = {Type::list, items, {}};
  }
  return config;
}

// The reading of one kind of layers; of all, where the file tells none apart.
pe::Reading reading_of(const pe::Config& config, const std::string& layer) {
  try {
    return pe::read_model(config, nullptr, layer);
  } catch (const pe::UsageError& error) {
    if (std::string(error.what()).find("alike") == std::string::npos) throw;
    return pe::read_model(config, nullptr, "");
  }
}

// Cosines, then sines, of a row.
std::vector<double> row_of(const pe::Effect& effect, Index place, bool by_ggml) {
  const pe::PositionRange at{place, 1, 1, 0};
  std::vector<double> row;
  const auto fields = by_ggml ? pe::spell(effect, pe::span_of(at), pe::DType::f32, {"cache"},
                                          pe::find_dialect("ggml"))
                              : pe::spell(effect, pe::span_of(at), pe::DType::f64, {"cos", "sin"},
                                          pe::find_dialect("exact"));
  for (const pe::Field& field : fields) {
    const pe::Array made = pe::collect(field, 1);
    for (const Index side : {0, 1})
      for (Index i = by_ggml ? side : 0; i < made.size(); i += by_ggml ? 2 : 1)
        if (by_ggml || side == 0) row.push_back(made.at(i));
  }
  return row;
}

std::vector<double> recorded(const JsonNode& layer, std::size_t place) {
  std::vector<double> row;
  for (const char* side : {"cos", "sin"})
    for (const JsonNode& bits : layer.find(side)->items[place].items)
      row.push_back(static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(bits.text, nullptr, 16)))));
  return row;
}

// What is wrong with the reading of one kind of layers, or "".
std::string difference(const pe::Reading& reading, const JsonNode& layer, bool divided) {
  const std::string mode = layer.find("mode")->text;
  const pe::Encoding& encoding = *reading.encoding;
  pe::Given given = reading.given;
  if (encoding.name == "mrope") given["segments"] = {"text:8192", "test"};
  if (encoding.name != (mode == "8" || mode == "40" ? "mrope" : "rope"))
    return std::string(encoding.name);
  const auto pairing = reading.given.find("pairing");
  const bool adjacent = pairing != reading.given.end() && pairing->second.text == "adjacent";
  if (adjacent != (mode == "0")) return "pairing";
  const bool by_ggml = mode == "0" || mode == "2";
  // The recorder's context was 256, which tells longrope's lists apart.
  const pe::Effect effect = encoding.make(
      pe::complete(pe::schema_of(encoding), {}, given, pe::read_array), by_ggml ? 256 : 8192);
  for (std::size_t k = 0; k < std::size(places); ++k) {
    const auto ours = row_of(effect, places[k], by_ggml), theirs = recorded(layer, k);
    if (ours.size() != theirs.size())
      return fmt::format("{} numbers, not {}", ours.size(), theirs.size());
    // Steps as ggml's leave two float32 numbers, and a rounding of the angle where divisors of a
    // pair are multiplied here and divided by there; exact ones leave ggml's own: a power
    // multiplied on from pair to pair.
    const double angle = static_cast<double>(places[k]),
                 steps = by_ggml ? divided ? 1 : 0 : static_cast<double>(ours.size()) / 2,
                 bound = 0x1p-22 + angle * 0x1p-23 * steps;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (!(std::fabs(ours[i] - theirs[i]) <= bound))
        return fmt::format("number {} at {}: {:.9g}, not {:.9g}", i, places[k], ours[i], theirs[i]);
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("GGUF files turn as llama.cpp turns them, whatever the architecture") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/gguf.txt");
  std::map<std::string, int> count;
  int tables = 0, refusals = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const JsonNode record = pe::parse_json(line, "gguf.txt");
    ++count[record.find("architecture")->text];
    const pe::Config config = metadata(record);
    for (const pe::JsonMember& layer : record.find("layers")->members) {
      INFO(line.substr(0, 500));
      INFO(layer.name);
      ++tables;
      std::string why;
      try {
        why = difference(reading_of(config, layer.name), layer.value,
                         !record.find("lists")->members.empty());
      } catch (const std::exception& error) {
        why = error.what();
      }
      // Divisors beside yarn, and sections that begin again, have no encoding here.
      const bool refused = why.find("yarn with divisors") != std::string::npos ||
                           why.find("--sections must be") != std::string::npos;
      refusals += refused ? 1 : 0;
      if (!refused) CHECK(why == "");
    }
  }
  MESSAGE(tables << " tables of " << count.size() << " architectures, " << refusals << " refused");
  CHECK(refusals < 30);
  CHECK(count.size() > 90);
  CHECK(tables > 1500);
}

TEST_SUITE_END();
