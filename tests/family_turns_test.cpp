// Turns: unit vectors as each model's own function turns them, against what the library makes of
// the same configuration.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "pe/apply/encode.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

// The recorded cells of one vector: {channel: value}; the others are zero.
using Cells = std::map<Index, double>;

std::map<Index, Cells> cells_of(const pe::JsonNode& truth) {
  std::map<Index, Cells> all;
  for (const pe::JsonNode& cell : truth.find("turns")->items)
    all[std::stoll(cell.items[0].text)][std::stoll(cell.items[1].text)] =
        std::stod(cell.items[2].text);
  return all;
}

pe::Rotation rotation_of(const pe::Reading& reading) {
  const pe::Encoding& rope = pe::find_encoding("rope");
  return std::get<pe::Rotation>(
      rope.make(pe::complete(pe::schema_of(rope), {}, reading.given, pe::read_array), 1));
}

// float32 angles of position 3 are off by 3·2^-24·(1 + x ≤ 20) at most, cos and sin by as much and
// a rounding of 2^-25; frequencies that a power made are within 2 ulp.
constexpr double bound = 0x1p-18;

std::string difference(const pe::Rotation& rotation, const pe::JsonNode& truth) {
  // Of a head that turns in part the model's function may be handed that part alone.
  const Index width = std::stoll(truth.find("width")->text);
  if (width > rotation.dim) return fmt::format("{} channels, not {}", rotation.dim, width);
  const pe::PositionRange three{3, 1, 1, 0};
  for (const auto& [from, cells] : cells_of(truth)) {
    pe::Content unit{"q", "sd", 1, 1, 1, rotation.dim, {}};
    unit.values.assign(static_cast<std::size_t>(rotation.dim), 0.0);
    unit.values[static_cast<std::size_t>(from)] = 1;
    const pe::Content turned = pe::turn(unit, rotation, three);
    for (Index k = 0; k < width; ++k) {
      const auto cell = cells.find(k);
      const double theirs = cell == cells.end() ? 0 : cell->second, ours = turned.row(0, 0, 0)[k];
      if (std::fabs(ours - theirs) > bound)
        return fmt::format("channel {} makes {} in channel {}, not {}", from, ours, k, theirs);
    }
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("unit vectors turn as every model's own function turns them") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/turns.txt");
  std::set<std::string> types;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "turns.txt");
    const pe::Config config = pe::parse_config(line.substr(tab + 1), "config.json");
    const pe::Reading reading =
        pe::read_model(config, &pe::find_encoding("rope"), header.find("layer")->text);
    INFO(line.substr(tab + 1, 400));
    CHECK(difference(rotation_of(reading), *header.find("is")) == "");
    types.insert(config.find("model_type")->text);
  }
  CHECK(types.size() >= 198);
}

TEST_SUITE_END();
