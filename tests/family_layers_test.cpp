// What of a model turns: which of its layers, which channels of a head, by which coordinate.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "pe/apply/encode.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

pe::Reading read(const std::string& json, const char* encoding = "rope", const char* layer = "") {
  return pe::read_model(pe::parse_config(json, "config.json"), &pe::find_encoding(encoding), layer);
}

// Nobody names the encoding: the config decides.
pe::Reading decided(const std::string& json) {
  return pe::read_model(pe::parse_config(json, "config.json"), nullptr, "");
}

std::string given(const pe::Reading& reading, std::string_view name) {
  const auto found = reading.given.find(name);
  return found == reading.given.end() ? "" : found->second.text;
}

pe::Rotation rotation_of(const pe::Reading& reading, const pe::Given& flags = {},
                         Index length = 1) {
  const pe::Encoding& encoding = *reading.encoding;
  return std::get<pe::Rotation>(encoding.make(
      pe::complete(pe::schema_of(encoding), flags, reading.given, pe::read_array), length));
}

pe::Content unit_vector(Index width, Index channel) {
  pe::Content unit{"q", "sd", 1, 1, 1, width, {}};
  unit.values.assign(static_cast<std::size_t>(width), 0.0);
  unit.values[static_cast<std::size_t>(channel)] = 1;
  return unit;
}

// float32 angles of coordinates up to 7 and their cosines, times an attention factor of 1.2 at
// most.
constexpr double bound = 0x1p-17;

// The picture of 3 x 5 that starts at 3 has its last cell at height 5 and width 7, the largest yet.
const pe::Given picture{{"segments", {"text:3,image:3x5", "flag --segments"}}};
constexpr Index place = 3 + 2 * 5 + 4;

std::string difference(const pe::Rotation& rotation, const pe::JsonNode& truth) {
  const Index width = std::stoll(truth.find("width")->text);
  if (width > rotation.dim) return fmt::format("{} channels, not {}", rotation.dim, width);
  std::map<Index, std::map<Index, double>> all;
  for (const pe::JsonNode& cell : truth.find("turns")->items)
    all[std::stoll(cell.items[0].text)][std::stoll(cell.items[1].text)] =
        std::stod(cell.items[2].text);
  for (const auto& [from, cells] : all) {
    const pe::Content turned =
        pe::turn(unit_vector(rotation.dim, from), rotation, pe::PositionRange{place, 1, 1, 0});
    for (Index k = 0; k < width; ++k) {
      const auto cell = cells.find(k);
      const double theirs = cell == cells.end() ? 0 : cell->second, ours = turned.row(0, 0, 0)[k];
      if (!(std::fabs(ours - theirs) <= bound))
        return fmt::format("channel {} makes {} in channel {}, not {}", from, ours, k, theirs);
    }
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("time, height and width turn as every model's own function turns them, scaled or not") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/axes.txt");
  std::map<std::string, int> rules;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode truth = pe::parse_json(line.substr(0, tab), "axes.txt");
    INFO(line.substr(tab + 1));
    const pe::Reading reading = read(line.substr(tab + 1), "mrope");
    CHECK(difference(rotation_of(reading, picture, place + 1), truth) == "");
    ++rules[given(reading, "scaling")];
  }
  for (const char* rule : {"linear", "dynamic", "yarn", "llama3"}) CHECK(rules[rule] >= 60);
}

TEST_CASE(
    "a rule that scales by the length sees the largest coordinate, not the number of tokens") {
  const std::string json =
      R"({"model_type":"qwen2_vl_text","head_dim":128,"max_position_embeddings":16,"rope_parameters":{"rope_type":"dynamic","factor":4.0}})";
  const pe::Given frames{{"segments", {"video:4x2x2", "flag --segments"}}};
  const auto second = [&](const pe::Given& flags, Index length) {
    return rotation_of(read(json, "mrope"), flags, length).waves->frequencies()[1];
  };
  // 16 tokens of a video reach 4; 16 and 17 of text 16 and 17.
  CHECK(second(frames, 16) == second({}, 1));
  const pe::Given text{{"segments", {"text:40", "flag --segments"}}};
  CHECK(second(text, 16) == second({}, 1));
  CHECK(second(text, 17) < second({}, 1));
}

TEST_CASE(
    "sections of a config that interleave are cut where the pairs end, those of a flag are not") {
  const auto sections = [](const char* json, const pe::Given& flags) {
    return rotation_of(read(json, "mrope"), flags).parts.size();
  };
  constexpr const char* narrow =
      R"({"model_type":"qwen3_5_text","head_dim":64})";  // 11, 11, 10 of 8
  CHECK(sections(narrow, {}) == 3);
  CHECK_THROWS_WITH_AS(sections(narrow, {{"sections", {"11,11,10", "flag --sections"}}}),
                       "--sections must be three numbers that add to 8 pairs, got 11,11,10",
                       pe::UsageError);
  CHECK(given(read(R"({"model_type":"qwen3_omni_moe_text","head_dim":128})", "mrope"),
              "sections") == "24,20,20");
}

TEST_CASE("layers that do not turn are told by kind, by base and by switch") {
  CHECK_THROWS_WITH_AS(read(R"({"model_type":"cohere2"})", "rope", "full_attention"),
                       "config.json: full_attention layers have no position encoding",
                       pe::UsageError);
  CHECK(given(read(R"({"model_type":"cohere2","rope_theta":77})", "rope", "sliding_attention"),
              "base") == "77");
  CHECK_THROWS_WITH_AS(
      read(R"({"model_type":"exaone4","layer_types":["full_attention","full_attention"]})"),
      "config.json: no layer turns: the class of exaone4 leaves full_attention layers as they are",
      pe::UsageError);
  // A kind that the file's own list names is one, though all are alike.
  CHECK(given(read(R"({"model_type":"smollm3","rope_theta":77,"layer_types":["full_attention"]})",
                   "rope", "full_attention"),
              "base") == "77");
  // Exaone 4's smaller model: no window, and all layers turn.
  CHECK(
      given(
          read(
              R"({"model_type":"exaone4","sliding_window":null,"layer_types":["full_attention"],"rope_theta":1000000})"),
          "base") == "1000000");
  CHECK_THROWS_AS(decided(R"({"model_type":"granitemoehybrid"})"), pe::UsageError);
  CHECK_THROWS_AS(decided(R"({"model_type":"granitemoehybrid","position_embedding_type":"nope"})"),
                  pe::UsageError);
  CHECK(
      given(
          read(
              R"({"model_type":"granitemoehybrid","position_embedding_type":"rope","rope_theta":77})"),
          "base") == "77");
  CHECK_THROWS_AS(decided(R"({"model_type":"zamba2"})"), pe::UsageError);
  CHECK(given(read(R"({"model_type":"granite_swa","layer_rope_theta":[0,500000,500000.0]})"),
              "base") == "500000");
  const pe::Reading two = read(R"({"model_type":"granite_swa","layer_rope_theta":[10000,500000]})");
  REQUIRE(two.warnings.size() == 1);
  CHECK(two.warnings[0].find("several bases (10000, 500000): 10000 is taken") != std::string::npos);
  CHECK_THROWS_WITH_AS(read(R"({"model_type":"granite_swa","layer_rope_theta":[0,0]})"),
                       "config.json: no layer turns: layer_rope_theta is 0 for all",
                       pe::UsageError);
  CHECK_THROWS_AS(read(R"({"model_type":"granite_swa","layer_rope_theta":["a"]})"), pe::UsageError);
  // A switch alone: the base stays the model's.
  CHECK(
      given(
          read(
              R"({"model_type":"muse_glimmer_text","layer_rope_theta":[0,1],"rope_parameters":{"rope_type":"default","rope_theta":77.0}})"),
          "base") == "77.0");
}

TEST_CASE("layers are called as the file calls them, too") {
  constexpr const char* json = R"({"model_type":"deepseek_v4"})";
  CHECK(given(read(json, "rope", "sliding_attention"), "base") == "10000.0");
  for (const char* compressed : {"heavily_compressed_attention", "compressed_sparse_attention"})
    CHECK(given(read(json, "rope", compressed), "base") == "160000.0");
  for (const char* still : {"jamba", "nemotron_h", "zamba", "kimi_linear"})
    CHECK_THROWS_WITH_AS(
        read(fmt::format(R"({{"model_type":"{}"}})", still)),
        fmt::format("config.json: model_type {} has no position encoding: its attention does not "
                    "turn",
                    still)
            .c_str(),
        pe::UsageError);
}

TEST_CASE("what is asked for by name and the config denies is made, with a doubt") {
  const auto doubts = [](const char* json, const char* asked) {
    const pe::Reading reading = read(json, asked);
    return reading.warnings.empty() ? std::string() : reading.warnings.front();
  };
  CHECK(doubts(R"({"model_type":"zamba2"})", "rope") ==
        "config.json: model_type zamba2 has no position encoding: use_mem_rope is not true; this "
        "is what it would turn or add otherwise");
  CHECK(doubts(R"({"model_type":"zamba2","use_mem_rope":true})", "rope").empty());
  CHECK(doubts(R"({"model_type":"falcon","alibi":true})", "rope") ==
        "config.json: model_type falcon has alibi here (alibi=true), not rope");
  CHECK(doubts(R"({"model_type":"falcon"})", "rope").empty());
  CHECK(doubts(R"({"model_type":"esm"})", "rope") ==
        "config.json: model_type esm has learned here (position_embedding_type!=rotary), not rope");
  CHECK(doubts(R"({"model_type":"esm","position_embedding_type":"rotary"})", "rope").empty());
  CHECK_THROWS_WITH_AS(decided(R"({"model_type":"zamba2"})"),
                       "config.json: model_type zamba2 has no position encoding: use_mem_rope is "
                       "not true",
                       pe::UsageError);
}

TEST_CASE("nanochat turns backward, and its table does not") {
  const pe::Reading reading = read(R"({"model_type":"nanochat"})");
  CHECK(given(reading, "direction") == "backward");
  const pe::Rotation rotation = rotation_of(reading);
  const pe::Content turned =
      pe::turn(unit_vector(rotation.dim, 0), rotation, pe::PositionRange{1, 1, 1, 0});
  CHECK(turned.row(0, 0, 0)[0] == doctest::Approx(std::cos(1.0)));
  CHECK(turned.row(0, 0, 0)[rotation.dim / 2] == doctest::Approx(-std::sin(1.0)));
}

TEST_CASE("a head whose last channels turn keeps its first") {
  const pe::Rotation rotation =
      rotation_of(read(R"({"model_type":"deepseek_v4"})", "rope", "main"));
  REQUIRE(rotation.dim == 512);
  REQUIRE(rotation.pairs == 32);
  const auto moved = [&](Index channel) {
    return pe::turn(unit_vector(512, channel), rotation, pe::PositionRange{3, 1, 1, 0})
               .row(0, 0, 0)[channel] != 1;
  };
  CHECK(!moved(0));
  CHECK(!moved(447));
  CHECK(moved(448));
  CHECK(moved(449));
}

TEST_SUITE_END();
