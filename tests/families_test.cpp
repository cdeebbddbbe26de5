// Families: configurations of every model type of transformers against the tables that its own
// classes made of them, and the rows by hand.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

// FNV-1a, 64 bits, of the little-endian bytes: what the recorder keeps of a table.
std::string hash_of(const std::vector<float>& table) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const float number : table)
    for (int byte = 0; byte < 4; ++byte)
      value = (value ^ (std::bit_cast<std::uint32_t>(number) >> (8 * byte) & 0xFF)) * 0x100000001B3;
  return fmt::format("{:016x}", value);
}

std::vector<float> field(const pe::Effect& effect, const std::string& name) {
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
bool is_near(float ours, const std::string& theirs) {
  const auto bits = std::bit_cast<std::uint32_t>(ours);
  const auto other = static_cast<std::uint32_t>(std::stoul(theirs, nullptr, 16));
  return bits - other + 1 <= 2;
}

std::string difference(const pe::Effect& effect, const pe::JsonNode& truth) {
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

Judged judge(const pe::Config& config, const std::string& layer, const pe::JsonNode& truth) {
  try {
    const pe::Encoding& rope = pe::find_encoding("rope");
    const pe::Reading reading = pe::read_model(config, &rope, layer);
    const pe::Effect effect =
        rope.make(pe::complete(pe::schema_of(rope), {}, reading.given, pe::read_array), 1);
    const std::string why = difference(effect, truth);
    if (why.empty()) return {};
    return {reading.warnings.empty() ? Outcome::silent : Outcome::warned, why};
  } catch (const std::exception& error) {
    return {Outcome::refused, error.what()};
  }
}

std::vector<std::string> warnings_of(const std::string& text) {
  return pe::read_model(pe::parse_config(text, "config.json"), nullptr, "").warnings;
}

bool any_says(const std::vector<std::string>& warnings, std::string_view part) {
  for (const std::string& warning : warnings)
    if (warning.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("families");

// DeepSeek-V4's class reads a nested object without a partial factor by the order in which its
// layers are asked: five of the tables below, each with a warning.
TEST_CASE("every model type of transformers reads its config as its own class does") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/families.txt");
  std::map<Outcome, int> count;
  int configurations = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "families.txt");
    const pe::Config config = pe::parse_config(line.substr(tab + 1), "config.json");
    ++configurations;
    for (const pe::JsonMember& is : header.find("is")->members) {
      const std::string& layer = is.name;
      const Judged judged = judge(config, layer, is.value);
      ++count[judged.outcome];
      INFO(config.find("model_type")->text << ", " << header.find("case")->text << " " << layer);
      INFO(judged.why);
      INFO(line.substr(tab + 1, 400));
      CHECK((
          judged.outcome == Outcome::right ||
          (judged.outcome == Outcome::warned && config.find("model_type")->text == "deepseek_v4")));
    }
  }
  MESSAGE(configurations << " configurations: " << count[Outcome::right] << " tables right, "
                         << count[Outcome::silent] << " silently wrong, " << count[Outcome::warned]
                         << " wrong with a warning, " << count[Outcome::refused] << " refused");
  CHECK(configurations > 5000);
  CHECK(count[Outcome::right] > 6000);
}

TEST_CASE("older configs are read as transformers 4.57 read them, and the difference is said") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/older.txt");
  int right = 0, unlike = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "older.txt");
    const pe::Config config = pe::parse_config(line.substr(tab + 1), "config.json");
    INFO(line.substr(tab + 1, 400) << header.find("case")->text);
    const pe::Encoding& rope = pe::find_encoding("rope");
    const pe::Reading reading = pe::read_model(config, &rope, "");
    const pe::JsonNode& truth = header.find("is")->members.front().value;
    const auto why = [&](const pe::Given& given) {
      try {
        return difference(
            rope.make(pe::complete(pe::schema_of(rope), {}, given, pe::read_array), 1), truth);
      } catch (const std::exception& error) {
        return std::string(error.what());
      }
    };
    pe::Given older = reading.given;
    for (const auto& [name, value] : reading.older) older[name] = value;
    CHECK(why(older) == "");
    ++right;
    if (!why(reading.given).empty()) {
      ++unlike;
      CHECK(!reading.warnings.empty());
    }
  }
  MESSAGE(right << " configurations, " << unlike << " of which transformers 5 reads otherwise");
  CHECK(unlike > 100);
}

TEST_CASE("a key of positions that nobody reads is named, and so is a type in no row") {
  CHECK(any_says(warnings_of(R"({"model_type":"gemma4_text","rope_theta":5.0})"),
                 "rope_theta is not read"));
  CHECK(any_says(
      warnings_of(R"({"model_type":"cohere2_moe","rope_scaling":{"type":"linear","factor":2.0}})"),
      "rope_scaling is not read"));
  CHECK(any_says(warnings_of(R"({"model_type":"llama","head_dim":8,"partial_rotary_factor":0.5})"),
                 "partial_rotary_factor 0.5 is not read"));
  CHECK(any_says(
      warnings_of(
          R"({"model_type":"phi3","rope_scaling":{"type":"longrope","original_max_position_embeddings":7}})"),
      "original_max_position_embeddings 7 is not read"));
  CHECK(any_says(warnings_of(R"({"model_type":"mellum","partial_rotary_factor":0.5})"),
                 "partial_rotary_factor is not read"));
  CHECK(any_says(warnings_of(R"({"model_type":"llama9","head_dim":8,"rope_theta":3.0})"),
                 "in no row"));
}

// DebertaV2's DisentangledSelfAttention: max_relative_positions below 1 is max_position_embeddings,
// position_buckets below 1 is none; both defaults are -1.
TEST_CASE("DeBERTa's buckets end where max_relative_positions says") {
  const auto given = [](const std::string& keys) {
    return pe::read_model(
               pe::parse_config("{\"model_type\":\"deberta-v2\"," + keys + "}", "config.json"),
               nullptr, "")
        .given;
  };
  const auto text = [](const pe::Given& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? "" : found->second.text;
  };
  const pe::Given stated =
      given(R"("position_buckets":16,"max_relative_positions":64,"max_position_embeddings":128)");
  CHECK(text(stated, "max-relative-positions") == "64");
  CHECK(text(stated, "position-buckets") == "16");
  const pe::Given below =
      given(R"("position_buckets":-1,"max_relative_positions":-1,"max_position_embeddings":128)");
  CHECK(text(below, "max-relative-positions") == "128");
  CHECK(text(below, "position-buckets") == "0");
  CHECK(text(given(R"("max_position_embeddings":128)"), "position-buckets") == "0");
}

TEST_CASE("a part is found where its composite has it, with what the composite gives it") {
  const auto dim = [](const std::string& text) {
    return pe::read_model(pe::parse_config(text, "config.json"), &pe::find_encoding("rope"), "")
        .given.find("dim")
        ->second.text;
  };
  CHECK(dim(R"({"model_type":"t5gemma","decoder":{"head_dim":48}})") == "48");
  CHECK(
      dim(R"({"model_type":"colpali","vlm_config":{"model_type":"paligemma","text_config":{"head_dim":24}}})") ==
      "24");
  CHECK(dim(R"({"model_type":"mistral3"})") == "128");
  // null is none, and not what the class holds
  CHECK(
      dim(R"({"model_type":"jetmoe","head_dim":null,"hidden_size":1440,"num_attention_heads":20})") ==
      "72");
  CHECK(
      dim(R"({"model_type":"mistral4","head_dim":null,"hidden_size":256,"num_attention_heads":16})") ==
      "16");
  CHECK(
      dim(R"({"model_type":"dia","decoder_config":{"head_dim":40},"encoder_config":{"head_dim":8}})") ==
      "40");
  CHECK(any_says(warnings_of(R"({"model_type":"gemma3","head_dim":8,"rope_theta":5.0})"),
                 "there is no text_config"));
}

TEST_CASE("pairs turn as the model's own function turns them") {
  const auto pairing = [](const std::string& type) {
    return pe::find_family(pe::parse_config("{\"model_type\":\"" + type + "\"}", ""))->pairing;
  };
  for (const char* type : {"ernie4_5", "ernie4_5_moe", "cohere", "glm4", "helium", "llama4_text",
                           "moonshine", "deepseek_v2", "deepseek_v4", "openai_privacy_filter"})
    CHECK_MESSAGE(pairing(type) == "adjacent", type);
  for (const char* type : {"youtu", "deepseek_v3", "mistral4", "mistral_large4", "axk1", "axk2"})
    CHECK_MESSAGE(pairing(std::string(type) == "mistral_large4" ? "mistral_large4_text" : type) ==
                      "adjacent-to-halves",
                  type);
  for (const char* type : {"llama", "qwen3_moe", "glm4_moe", "gpt_oss", "gpt_neox"})
    CHECK_MESSAGE(pairing(type) == "halves", type);
}

TEST_SUITE_END();
