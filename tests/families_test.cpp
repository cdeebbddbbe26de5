// Families: configurations of every model type of transformers against the tables that its own
// classes made of them, and the rows by hand.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "family_judge.hpp"
#include "pe/base/error.hpp"

namespace {

using namespace pe_test;

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
      const Judged judged = judge(config, layer, is.value, pe::text_of(header.find("part")));
      ++count[judged.outcome];
      INFO(config.find("model_type")->text << ", " << header.find("case")->text << " " << layer);
      INFO(judged.why);
      INFO(line.substr(tab + 1, 400));
      CHECK(judged.outcome == Outcome::right);
    }
  }
  MESSAGE(configurations << " configurations: " << count[Outcome::right] << " tables right, "
                         << count[Outcome::silent] << " silently wrong, " << count[Outcome::warned]
                         << " wrong with a warning, " << count[Outcome::refused] << " refused");
  CHECK(configurations > 5000);
  CHECK(count[Outcome::right] > 6000);
}

TEST_CASE("older configs are read as transformers 4.57 read them, and the difference is said") {
  const char* other = std::getenv("PE_OLDER_FILES");  // of scripts/record/older.py --files
  std::ifstream file(other ? other : PE_SOURCE_DIR "/data/parity/older.txt");
  int right = 0, unlike = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "older.txt");
    const pe::Config config = pe::parse_config(line.substr(tab + 1), "config.json");
    for (const pe::JsonMember& is : header.find("is")->members) {
      INFO(is.name << " " << header.find("case")->text << " " << line.substr(tab + 1, 600));
      const pe::Encoding& rope = pe::find_encoding("rope");
      const auto why = [&](const pe::Given& given) {
        try {
          return difference(
              rope.make(pe::complete(pe::schema_of(rope), {}, given, pe::read_array), 1), is.value);
        } catch (const std::exception& error) {
          return std::string(error.what());
        }
      };
      pe::Reading reading;
      REQUIRE_NOTHROW(reading = pe::read_model(config, &rope, is.name));
      pe::Given older = reading.given;
      if (const auto v4 = reading.others.find("hf-v4"); v4 != reading.others.end()) {
        for (const auto& [name, value] : v4->second.given)
          if (value.text.empty())
            older.erase(name);
          else
            older[name] = value;
        CHECK(!any_says(v4->second.told, "does not load"));
      }
      CHECK(why(older) == "");
      ++right;
      if (!why(reading.given).empty()) {
        ++unlike;
        CHECK((!reading.warnings.empty() || config.find("rope_parameters") != nullptr));
      }
    }
  }
  MESSAGE(right << " tables, " << unlike << " of which transformers 5 reads otherwise");
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

TEST_CASE("Kimi K2 is read as DeepSeek-V3, whose class its checkpoints name") {
  const auto values = [](const std::string& type, const std::string& keys) {
    std::string all;
    for (const auto& [name, value] :
         pe::read_model(
             pe::parse_config("{\"model_type\":\"" + type + "\"" + keys + "}", "config.json"),
             nullptr, "")
             .given)
      all += name + "=" + value.text + " ";
    return all;
  };
  for (
      const char* keys :
      {"", R"(,"rope_theta":50000.0,"max_position_embeddings":131072)",
       R"(,"max_position_embeddings":262144,"rope_theta":50000.0,"rope_scaling":{"type":"yarn","factor":64.0,"beta_fast":32.0,"beta_slow":1.0,"mscale":1.0,"mscale_all_dim":1.0,"original_max_position_embeddings":4096})",
       R"(,"rope_interleave":false)"})
    CHECK(values("kimi_k2", keys) == values("deepseek_v3", keys));
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
