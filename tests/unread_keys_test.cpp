// What a config's reading names: a type by another word for it, a text part by another key, and
// keys of positions that nobody reads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/model/parameter.hpp"

namespace {

using namespace pe;

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A config of sizes in every spelling, with a key of positions that no class has.
std::string surplus_of(const std::string& type, const std::string& part) {
  const std::string sizes = R"("hidden_size": 512, "n_embd": 512, "d_model": 512,
      "num_attention_heads": 8, "n_head": 8, "n_heads": 8, "num_heads": 8, "embed_dim": 512,
      "max_position_embeddings": 1024, "image_size": 224, "patch_size": 16, "rope_surplus": 3)";
  if (part.empty()) return fmt::format(R"({{"model_type": "{}", {}}})", type, sizes);
  return fmt::format(R"({{"model_type": "{}", "{}": {{{}}}}})", type, part, sizes);
}

std::vector<std::pair<std::string, std::string>> all_types() {  // and the part that speaks
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"families_elsewhere.json", "families_tables.json"}) {
    const JsonNode file = parse_json(text_in(fmt::format("{}/data/{}", PE_SOURCE_DIR, name)), name);
    for (const JsonNode& row : file.find("rows")->items)
      for (const std::string& type : words(row.find("types")->text)) all.emplace_back(type, "");
  }
  const JsonNode own = parse_json(text_in(PE_SOURCE_DIR "/data/families.json"), "families.json");
  for (const JsonMember& type : own.find("types")->members) {
    const JsonNode* part = type.value.find("part");
    all.emplace_back(type.name, part ? part->text : "");
  }
  return all;
}

// The one reading of a config, with its warnings.
Reading reading_of(const char* config, const char* encoding = nullptr) {
  return read_model(parse_config(config, "c.json"), encoding ? &find_encoding(encoding) : nullptr,
                    "");
}

bool warns_of(const Reading& reading, std::string_view words) {
  return std::ranges::any_of(reading.warnings, [&](const std::string& warning) {
    return warning.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("a class's name stands for the model_type that a file lacks, and that is said") {
  const Reading reading = reading_of(R"({"architectures": ["MiniCPM3ForCausalLM"],
      "hidden_size": 2560, "num_attention_heads": 40, "qk_rope_head_dim": 32,
      "qk_nope_head_dim": 64})");
  CHECK(reading.family->name() == "minicpm3");
  CHECK(warns_of(reading, "MiniCPM3ForCausalLM is read as minicpm3"));
  CHECK(reading_of(R"({"architectures": ["Qwen2VLForConditionalGeneration"], "hidden_size": 1024,
                       "num_attention_heads": 8})")
            .encoding->name == "mrope");
  const Reading renamed = reading_of(R"({"model_type": "my_glm", "architectures":
      ["Glm4ForCausalLM"], "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128})");
  CHECK(renamed.given.at("pairing").text == "adjacent");
  CHECK(warns_of(renamed, "my_glm is in no row of the catalogue"));
  CHECK(reading_of(R"({"model_type": "my_own", "text_config": {"architectures":
      ["Glm4ForCausalLM"], "hidden_size": 4096, "num_attention_heads": 32}})")
            .given.at("pairing")
            .text == "adjacent");
  CHECK(reading_of(R"({"architectures": ["T5ForConditionalGeneration"], "num_heads": 8})")
            .encoding->name == "t5");
}

TEST_CASE("the text part is found under the names that models' own code has for it") {
  for (const char* key : {"llm_cfg", "lm_config", "text_model_config", "language_model",
                          "transformer_layer_config", "model"}) {
    const std::string config = fmt::format(R"({{"model_type": "unheard_of", "hidden_size": 64, "{}":
            {{"model_type": "qwen2", "hidden_size": 1024, "num_attention_heads": 8,
             "rope_theta": 1000000.0}}}})",
                                           key);
    CAPTURE(config);
    CHECK(reading_of(config.c_str()).given.at("dim").text == "128");
  }
  // Qwen3-ASR's own code keeps its text a level down, where transformers' class looks elsewhere.
  const Reading asr = reading_of(R"({"model_type": "qwen3_asr", "thinker_config": {"text_config":
      {"model_type": "qwen3", "hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128,
       "rope_theta": 1000000}}})");
  CHECK(asr.given.at("base").text == "1000000");
  CHECK(warns_of(asr, "thinker_config.text_config is read"));
}

TEST_CASE("a key of positions is named wherever it stands unread") {
  const char* llama = R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, )";
  for (const auto& [text, name] : {
           std::pair{R"("attn_config": {"rope_ratio": 2}})", "attn_config.rope_ratio"},
           {R"("training_seqlen": 4096})", "training_seqlen"},
           {R"("use_logn_attn": true})", "use_logn_attn"},
           {R"("scaling_factor": 4})", "scaling_factor"},
           {R"("yarn_factor": 4})", "yarn_factor"},
           {R"("xpos_base": 512})", "xpos_base"},
       }) {
    const std::string config = std::string(llama) + text;
    CAPTURE(config);
    CHECK(warns_of(reading_of(config.c_str()), fmt::format("{} is not read", name)));
  }
  CHECK(warns_of(reading_of(R"({"model_type": "unheard_of", "rope_ratio": 4, "text_config":
      {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}})"),
                 "rope_ratio is not read: text_config is"));
  CHECK(warns_of(reading_of(R"({"model_type": "bert", "hidden_size": 64, "rope_theta": 500})"),
                 "rope_theta is not read"));
  CHECK(warns_of(reading_of(R"({"model_type": "bert", "hidden_size": 64, "block_positions": 2})"),
                 "block_positions is not read"));
}

TEST_CASE("a key of positions that no class has is named, whatever the type") {
  int named = 0, refused = 0;
  std::string silent;
  for (const auto& [type, part] : all_types()) {
    try {
      const Reading reading = reading_of(surplus_of(type, part).c_str());
      if (warns_of(reading, "rope_surplus is not read"))
        ++named;
      else
        silent += type + " ";
    } catch (const UsageError&) {
      ++refused;  // what it is, or what it lacks
    }
  }
  MESSAGE(named, " named, ", refused, " refused");
  CHECK(silent == "");
  CHECK(named > 700);
}

TEST_SUITE_END();
