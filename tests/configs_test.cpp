// Configurations: every model of the catalogue against an expectation written by hand, the key
// forms, what is warned about and refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/io/file.hpp"

namespace {

using pe::Index;

struct Read {
  pe::Reading reading;
  pe::Effect effect;
};

Read read(const pe::Config& config, std::string_view layer = "", Index length = 1) {
  Read read{pe::read_model(config, nullptr, layer), {}};
  const pe::Encoding& encoding = *read.reading.encoding;
  read.effect = encoding.make(
      pe::complete(pe::schema_of(encoding), {}, read.reading.given, pe::read_array), length);
  return read;
}

pe::Config json(const std::string& text) { return pe::parse_config(text, "config.json"); }

const pe::Rotation& rotation(const Read& read) { return std::get<pe::Rotation>(read.effect); }

bool known(std::string_view encoding) {
  return std::ranges::any_of(pe::all_encodings(),
                             [&](const pe::Encoding* row) { return row->name == encoding; });
}

// What a model's frequencies are, in double and in words of its own: the pairs, the base, and what
// becomes of pair j.
struct Expected {
  const char* model;
  const char* layer;
  int pairs;
  double base;
  double magnitude;
  double (*bent)(double plain, int j);
};

double same(double plain, int) { return plain; }

// Llama 3.1's bands for 8192 positions, by wavelength.
template <int factor>
double llama3(double plain, int) {
  const double length = 2 * M_PI / plain;
  if (length < 2048) return plain;
  if (length > 8192) return plain / factor;
  const double smooth = (8192 / length - 1) / 3;
  return (1 - smooth) * plain / factor + smooth * plain;
}

// The published ramp between two pairs.
double ramp(double plain, int j, double low, double high, double factor) {
  const double divided = std::clamp((j - low) / (high - low), 0.0, 1.0);
  return plain / factor * divided + plain * (1 - divided);
}

const double log1 = 1;  // attention factor of an unscaled model
const Expected expected[] = {
    {"llama-2-7b", "", 64, 1e4, log1, same},
    {"llama-3-8b", "", 64, 5e5, log1, same},
    {"llama-4-scout", "", 64, 5e5, log1,  // one band: all that is longer than the original length
     [](double x, int) { return 2 * M_PI / x > 8192 ? x / 16 : x; }},
    {"code-llama-7b", "", 64, 1e6, log1, same},
    {"llama-3.1-8b", "", 64, 5e5, log1, llama3<8>},
    {"llama-3.1-8b-v5", "", 64, 5e5, log1, llama3<8>},
    {"llama-3.1-70b", "", 64, 5e5, log1, llama3<8>},
    {"llama-3.2-1b", "", 32, 5e5, log1, llama3<32>},
    {"llama-3.2-3b", "", 64, 5e5, log1, llama3<32>},
    {"csm-backbone", "", 32, 5e5, log1, llama3<32>},
    {"yarn-llama-2-7b-128k", "", 64, 1e4, 1.3465735902799727,
     [](double x, int j) { return ramp(x, j, 20, 46, 32); }},
    {"qwen2-7b", "", 64, 1e6, log1, same},
    {"qwen2.5-3b", "", 64, 1e6, log1, same},
    {"qwen2.5-7b", "", 64, 1e6, log1, same},
    {"qwen3-0.6b", "", 64, 1e6, log1, same},
    {"qwen3-8b", "", 64, 1e6, log1, same},
    {"qwen3-32b", "", 64, 1e6, log1, same},
    {"qwen3-30b-a3b", "", 64, 1e6, log1, same},
    {"qwen3-30b-a3b-2507", "", 64, 1e7, log1, same},
    {"qwen3-4b-2507", "", 64, 5e6, log1, same},
    {"qwen3-next-80b-a3b", "", 32, 1e7, log1, same},
    {"qwen3-8b-yarn", "", 64, 1e6, 1.138629436111989,
     [](double x, int j) { return ramp(x, j, 23, 40, 4); }},
    {"mistral-7b-v0.1", "", 64, 1e4, log1, same},
    {"mistral-7b-v0.3", "", 64, 1e6, log1, same},
    {"mixtral-8x7b", "", 64, 1e6, log1, same},
    {"mistral-nemo", "", 64, 1e6, log1, same},
    {"mistral-small-24b", "", 64, 1e8, log1, same},
    {"mistral-small-3.1-24b", "", 64, 1e9, log1, same},
    {"ministral-3-3b", "", 64, 1e6, 1, [](double x, int j) { return ramp(x, j, 20, 37, 16); }},
    {"pixtral-text", "", 64, 1e9, log1, same},
    {"phi-4", "", 64, 2.5e5, log1, same},
    {"phi-4-mini", "", 48, 1e4, 1.1902380714238083, same},  // the short list is all ones
    {"deepseek-v2-lite", "", 32, 1e4, 1, [](double x, int j) { return ramp(x, j, 10, 23, 40); }},
    {"deepseek-r1", "", 32, 1e4, 1, [](double x, int j) { return ramp(x, j, 10, 23, 40); }},
    {"deepseek-v3.2", "", 32, 1e4, 1, [](double x, int j) { return ramp(x, j, 10, 23, 40); }},
    {"deepseek-v4", "main", 32, 1e4, log1, same},
    {"deepseek-v4", "compress", 32, 1.6e5, 1,
     [](double x, int j) { return ramp(x, j, 15, 25, 16); }},
    {"kimi-k2", "", 32, 5e4, 1, [](double x, int j) { return ramp(x, j, 19, 20, 32); }},
    {"kimi-k2.5", "", 32, 5e4, 1, [](double x, int j) { return ramp(x, j, 8, 20, 64); }},
    {"gemma-2-9b", "", 128, 1e4, log1, same},
    {"gemma-2-27b", "", 64, 1e4, log1, same},
    {"gemma-3-1b", "full_attention", 128, 1e6, log1, same},
    {"gemma-3-1b", "sliding_attention", 128, 1e4, log1, same},
    {"gemma-3-4b", "full_attention", 128, 1e6, log1, [](double x, int) { return x / 8; }},
    {"gemma-3-4b", "sliding_attention", 128, 1e4, log1, same},
    {"gemma-3-27b", "full_attention", 64, 1e6, log1, [](double x, int) { return x / 8; }},
    {"gemma-3-27b", "sliding_attention", 64, 1e4, log1, same},
    {"gemma-4", "full_attention", 256, 1e6, log1, [](double x, int j) { return j < 64 ? x : 0; }},
    {"gemma-4", "sliding_attention", 128, 1e4, log1, same},
    {"gpt-oss-20b", "", 32, 1.5e5, 1.3465735902799727,
     [](double x, int j) { return ramp(x, j, 8.092779115512402, 17.39802450158856, 32); }},
    {"gpt-oss-120b", "", 32, 1.5e5, 1.3465735902799727,
     [](double x, int j) { return ramp(x, j, 8.092779115512402, 17.39802450158856, 32); }},
    {"glm-4-9b", "", 32, 1e4, log1, same},
    {"glm-4-9b-chat", "", 32, 5e6, log1, same},
    {"glm-4.5", "", 32, 1e6, log1, same},
    {"glm-5.1", "", 32, 1e6, log1, same},
    {"command-r-v01", "", 64, 8e6, log1, same},
    {"aya-23-8b", "", 64, 1e4, log1, same},
    {"pythia-14m", "", 4, 1e4, log1, same},
    {"gpt-neox-20b", "", 12, 1e4, log1, same},
    {"redpajama-3b", "", 40, 1e4, log1, same},
    {"gpt-j-6b", "", 32, 1e4, log1, same},
    {"stablelm-3b", "", 10, 1e4, log1, same},
    {"falcon-7b", "", 32, 1e4, log1, same},
    {"modernbert-base", "full_attention", 32, 1.6e5, log1, same},
    {"modernbert-base", "sliding_attention", 32, 1e4, log1, same},
    {"olmo-3-32b", "full_attention", 64, 5e5, 1.2079441541679836,
     [](double x, int j) { return ramp(x, j, 18, 35, 8); }},
    {"olmo-3-32b", "sliding_attention", 64, 5e5, log1, same},
    {"internlm2.5-7b", "", 64, 1e6, log1, same},
    {"minicpm-2b", "", 32, 1e4, log1, same},
    {"minicpm-2b-128k", "", 32, 1e6, log1, same},
    {"minimax-m2", "", 32, 5e6, log1, same},
    {"smollm3-3b", "", 64, 5e6, log1, same},
    {"granite-3.3-8b", "", 64, 1e7, log1, same},
    {"olmo-2-7b", "", 64, 5e5, log1, same},
    {"exaone-4-32b", "", 64, 1e6, log1, llama3<16>},
    {"seed-oss-36b", "", 64, 1e7, log1, same},
    {"nomic-embed-text-v1.5", "", 32, 1e3, log1, same},
};

std::string refused(const std::string& text) {
  try {
    read(json(text));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

std::string warned(const std::string& text) {
  std::string all;
  for (const std::string& warning : read(json(text)).reading.warnings) all += warning + "\n";
  return all;
}

bool says(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// The smallest GGUF writer that does: metadata, then float32 tensors of one axis.
class Gguf {
 public:
  template <typename T>
  Gguf& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Gguf& text(std::string_view value) {
    put<std::uint64_t>(value.size());
    bytes_ += value;
    return *this;
  }
  Gguf& number(std::string_view key, std::uint32_t value) {
    return ++entries_, text(key).put<std::uint32_t>(4).put(value);
  }
  Gguf& real(std::string_view key, float value) {
    return ++entries_, text(key).put<std::uint32_t>(6).put(value);
  }
  Gguf& word(std::string_view key, std::string_view value) {
    return ++entries_, text(key).put<std::uint32_t>(8).text(value);
  }
  std::string file(const std::vector<float>& factors = {}) {
    std::string file = "GGUF";
    const auto add = [&](auto value) {
      file.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    add(std::uint32_t{3});
    add(std::uint64_t{factors.empty() ? 0u : 1u});
    add(std::uint64_t{entries_});
    if (!factors.empty())
      text("rope_freqs.weight")
          .put<std::uint32_t>(1)
          .put<std::uint64_t>(factors.size())
          .put<std::uint32_t>(0)
          .put<std::uint64_t>(0);
    file += bytes_;
    file.resize((file.size() + 31) / 32 * 32);
    file.append(reinterpret_cast<const char*>(factors.data()), 4 * factors.size());
    return file;
  }

 private:
  std::string bytes_;
  std::uint64_t entries_ = 0;
};

pe::Config gguf(const std::string& bytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "pe_config_test.gguf").string();
  std::ofstream(path, std::ios::binary) << bytes;
  pe::Config config = pe::read_config_file(path);
  std::filesystem::remove(path);
  return config;
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("every rotary model of the catalogue has the frequencies written here by hand") {
  std::set<std::string_view> covered{"phi-3.5-mini",
                                     "phi-3.5-vision"};  // in the golden of longrope
  for (const Expected& row : expected) {
    INFO(row.model << " " << row.layer);
    covered.insert(row.model);
    const Read model = read(pe::read_catalogued(row.model), row.layer);
    CHECK(model.reading.encoding->name == "rope");
    const auto& frequencies = rotation(model).waves->frequencies();
    REQUIRE(frequencies.size() == static_cast<std::size_t>(row.pairs));
    CHECK(std::fabs(rotation(model).magnitude - row.magnitude) < 1e-15);
    for (int j = 0; j < row.pairs; ++j) {
      const double value = row.bent(std::pow(row.base, -static_cast<double>(j) / row.pairs), j);
      CHECK(std::fabs(pe::to_double(frequencies[static_cast<std::size_t>(j)]) - value) <=
            1e-13 * value);
    }
  }
  for (const pe::Model& model : pe::all_models()) {
    const pe::Family* family = pe::find_family(pe::read_catalogued(model.name));
    const pe::Config config = pe::read_catalogued(model.name);
    INFO(model.name);
    CHECK(config.find("_source"));
    CHECK(config.find("_what"));
    if (family) CHECK((family->encoding != "rope" || covered.contains(model.name)));
  }
}

TEST_CASE("every model of the catalogue reads and finds its encoding") {
  const std::map<std::string_view, std::string_view> others{
      {"bert-base", "learned"},
      {"roberta-base", "learned"},
      {"gpt2", "learned"},
      {"bloom-176b", "alibi"},
      {"falcon-rw-1b", "alibi"},
      {"mpt-7b-instruct", "alibi"},
      {"t5-v1.1-xxl", "t5"},
      {"flan-t5-base", "t5"},
      {"deberta-v3-xsmall", "deberta"},
      {"xlnet-chinese-base", "transformer-xl"},
      {"qwen2-vl-7b", "mrope"},
      {"qwen2.5-vl-3b", "mrope"},
      {"qwen2.5-vl-7b", "mrope"},
      {"qwen3.5-27b", "mrope"},
      {"qwen3-vl", "mrope"},
      {"glm-4.1v", "mrope"}};
  for (const pe::Model& model : pe::all_models()) {
    INFO(model.name);
    const auto other = others.find(model.name);
    const std::string_view encoding = other == others.end() ? "rope" : other->second;
    const pe::Config config = pe::read_catalogued(model.name);
    if (!known(encoding)) continue;
    CHECK(read(config).reading.encoding->name == encoding);
  }
  CHECK(std::get<pe::Bias>(read(pe::read_catalogued("bloom-176b")).effect).heads == 112);
  CHECK(std::get<pe::Bias>(read(pe::read_catalogued("mpt-7b-instruct")).effect).heads == 32);
  CHECK(std::get<pe::Table>(read(pe::read_catalogued("gpt2")).effect).rows == 1024);
}

TEST_CASE("models of several axes turn by the frequencies that transformers' classes hold") {
  struct {
    const char* model;
    std::size_t pairs;
    float second;  // inv_freq[1] of the class made from the same file, transformers 5.23
  } rows[] = {
      {"qwen2-vl-7b", 64, 0.8058422207832336F},   {"qwen2.5-vl-3b", 64, 0.8058422207832336F},
      {"qwen2.5-vl-7b", 64, 0.8058422207832336F}, {"qwen3-vl", 64, 0.785830020904541F},
      {"qwen3.5-27b", 32, 0.6042963862419128F},   {"glm-4.1v", 32, 0.7498942017555237F}};
  for (const auto& row : rows) {
    INFO(row.model);
    const Read model = read(pe::read_catalogued(row.model));
    const auto& frequencies = rotation(model).waves->frequencies();
    REQUIRE(frequencies.size() == row.pairs);
    CHECK(static_cast<float>(pe::to_double(frequencies[1])) ==
          doctest::Approx(row.second).epsilon(1e-7));
  }
}

TEST_CASE("no model of the catalogue has a key of positions that its class does not know") {
  for (const pe::Model& model : pe::all_models()) {
    INFO(model.name);
    for (const std::string& warning : read(pe::read_catalogued(model.name)).reading.warnings)
      CHECK(warning.find("no rule here knows it") == std::string::npos);
  }
  CHECK(read(pe::read_catalogued("gpt-j-6b")).reading.given.at("max-position").text == "2048");
}

TEST_CASE("longrope models switch lists above the original length") {
  for (const auto& [model, pairs, shorter, longer] :
       {std::tuple{"phi-3.5-mini", 48, 1.0199999809265137, 1.1100000143051147},
        {"phi-3.5-vision", 48, 1.1, 1.1100000143051147},
        {"phi-4-mini", 48, 1.0, 1.118320672}}) {
    for (const auto& [length, divisor] : {std::pair{4096, shorter}, {4097, longer}}) {
      const Read made = read(pe::read_catalogued(model), "", length);
      CHECK(rotation(made).pairs == pairs);
      CHECK(std::fabs(
                pe::to_double(rotation(made).unscaled[1] / rotation(made).waves->frequencies()[1]) -
                divisor) < 1e-12);
      CHECK(std::fabs(rotation(made).magnitude - 1.190238) < 6e-7);
    }
  }
}

TEST_CASE("older and newer key forms read alike") {
  const auto frequencies = [](std::string_view model) {
    return rotation(read(pe::read_catalogued(model))).waves->frequencies();
  };
  CHECK(frequencies("llama-3.1-8b") == frequencies("llama-3.1-8b-v5"));
}

TEST_CASE("a legacy rope_scaling replaces rope_parameters, and that is said") {
  const std::string text =
      R"({"model_type":"llama","head_dim":8,"rope_theta":5000.0,"rope_scaling":{"type":"linear","factor":2.0},
      "rope_parameters":{"rope_type":"linear","factor":4.0,"rope_theta":7.0}})";
  CHECK(pe::to_double(rotation(read(json(text))).waves->frequencies()[0]) == 0.5);
  CHECK(says(warned(text), "rope_scaling alone counts"));
}

TEST_CASE("two values of one thing are warned about with both") {
  CHECK(says(
      warned(
          R"({"model_type":"llama","head_dim":8,"rope_theta":5000.0,"rope_parameters":{"rope_type":"default","rope_theta":7.0}})"),
      "rope_parameters.rope_theta is 7.0 but rope_theta is 5000.0: the first counts"));
  CHECK(says(
      warned(R"({"model_type":"llama","head_dim":8,"max_position_embeddings":40960,"rope_scaling":
      {"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768}})"),
      "factor 4 is used, but max_position_embeddings 40960 / original_max_position_embeddings "
      "32768 is 1.25"));
  const std::string ratio = warned(
      R"({"model_type":"deepseek_v3","qk_rope_head_dim":64,"rope_scaling":{"type":"yarn","factor":40,
      "original_max_position_embeddings":4096,"mscale":1.0,"mscale_all_dim":1.0}})");
  CHECK(says(ratio, "makes the attention factor 1;"));
  CHECK(says(ratio, "1.368888"));
  CHECK(says(ratio, "1.873854"));
}

TEST_CASE("keys that nobody reads are named") {
  CHECK(says(
      warned(
          R"({"model_type":"llama","head_dim":8,"rope_scaling":{"rope_type":"linear","factor":2.0,"beta_fats":3}})"),
      "rope_scaling.beta_fats 3 is not read: rope_type linear has no such key"));
  CHECK(says(warned(R"({"model_type":"llama","head_dim":8,"rope_tetha":3})"),
             "rope_tetha is not read"));
  CHECK(says(
      warned(
          R"({"model_type":"qwen3","head_dim":8,"rope_scaling":{"rope_type":"yarn","factor":2.0,"original_max_position_embeddings":16,"attn_factor":0.9}})"),
      "attn_factor 0.9 is not read, as in transformers; SGLang multiplies"));
  CHECK(says(
      warned(
          R"({"model_type":"qwen2","hidden_size":64,"num_attention_heads":4,"dual_chunk_attention_config":{"chunk_size":262144}})"),
      "dual_chunk_attention_config is not read, as in transformers; vLLM and SGLang count"));
  CHECK(says(
      warned(R"({"model_type":"llama9","head_dim":8,"rope_theta":3.0})"),
      "model_type llama9 is in no row of the catalogue: its keys are read as Llama spells them"));
  CHECK(warned(R"({"model_type":"llama","head_dim":8,"rope_theta":3.0})").empty());
}

TEST_CASE("a layer type is chosen, and others are named") {
  CHECK(says(
      fmt::format("{}", fmt::join(read(pe::read_catalogued("gemma-3-1b")).reading.warnings, "\n")),
      "layers differ (full_attention, sliding_attention): full_attention is taken"));
  CHECK_THROWS_WITH_AS(
      read(pe::read_catalogued("gemma-3-1b"), "local"),
      "--layer-type must be one of full_attention, sliding_attention for gemma-3-1b, got local: "
      "did you mean sliding_attention?",
      pe::UsageError);
  CHECK(says(
      refused(
          R"({"model_type":"mimo_v2_flash","head_dim":8,"rope_parameters":{"full_attention":null,"sliding_attention":{"rope_type":"default"}}})"),
      "key rope_parameters.full_attention is null: these layers have no position encoding"));
}

TEST_CASE("what a list holds is not looked up, and its objects may have the same keys") {
  const pe::Config config = json(
      R"({"head_dim":8,"list":[1,[2,3],0.10],"blocks":[{"a":1},{"a":2}],"nested":{"deep":{"x":null}}})");
  CHECK(config.find("list")->text == "1,0.10");
  CHECK(config.find("blocks")->type == pe::Config::Type::list);
  CHECK(config.find("blocks")->text.empty());
  CHECK(config.find("nested.deep")->type == pe::Config::Type::object);
  CHECK(config.find("nested.deep.x") == nullptr);
  CHECK(config.values.contains("nested.deep.x"));
  CHECK(config.keys("") == std::vector<std::string>{"blocks", "head_dim", "list", "nested"});
  CHECK_THROWS_WITH_AS(json(R"({"a":{"b":1},"a.b":2})"), "config.json has the key a.b twice",
                       pe::FileError);
  CHECK_THROWS_WITH_AS(json("7"), "config.json holds 7 where a JSON object was expected",
                       pe::FileError);
}

TEST_CASE("bad input is one line with the key, the value and what was expected") {
  CHECK(
      refused(
          R"({"model_type":"llama","head_dim":8,"rope_scaling":{"rope_type":"llama4","factor":8.0}})") ==
      "config.json: key rope_scaling.rope_type: unknown scaling 'llama4': did you mean llama3?");
  CHECK(
      refused(
          R"({"model_type":"phi3","hidden_size":16,"num_attention_heads":2,"max_position_embeddings":64,"original_max_position_embeddings":16,
      "rope_scaling":{"type":"longrope","short_factor":[1,1,1],"long_factor":[1,1,1,1]}})") ==
      "--short-factor must list 4 numbers, one for each pair, got 3 (from config key "
      "rope_scaling.short_factor)");
  CHECK(refused(R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":0})") ==
        "config.json: key num_attention_heads must be a whole number of at least 1, but it is 0");
  // Transformers 5 reads a head_dim in all three; that it is none of the width's is told, and is no
  // cause for a warning: Mistral Nemo and Pixtral have such heads.
  for (const char* type : {"llama", "gpt_neox", "mistral"}) {
    const std::string text = fmt::format(
        R"({{"model_type":"{}","hidden_size":4096,"num_attention_heads":32,"head_dim":100}})",
        type);
    CHECK(warned(text).empty());
    CHECK(read(json(text)).reading.given.at("dim").rule ==
          "hidden_size 4096 / num_attention_heads 32 would be 128");
  }
  CHECK(refused(R"({"model_type":"whatever"})") ==
        "config.json: key model_type is whatever, which is in no row of the catalogue, and no "
        "other key tells which encoding the model has: name one "
        "(pe-gen list encodings)");
  CHECK_THROWS_WITH_AS(pe::read_catalogued("llama-3.1-8"),
                       "unknown model 'llama-3.1-8': did you mean llama-3.1-8b-v5 or llama-3.1-8b? "
                       "--config FILE reads the config.json of any other",
                       pe::UsageError);
}

TEST_CASE("GGUF metadata reads like the config it was converted from") {
  Gguf qwen;
  qwen.word("general.architecture", "qwen2")
      .number("qwen2.embedding_length", 3584)
      .number("qwen2.attention.head_count", 28);
  qwen.number("qwen2.context_length", 131072)
      .real("qwen2.rope.freq_base", 1e6f)
      .word("qwen2.rope.scaling.type", "yarn");
  qwen.real("qwen2.rope.scaling.factor", 4)
      .number("qwen2.rope.scaling.original_context_length", 32768);
  const Read made = read(gguf(qwen.file()));
  CHECK(made.reading.given.find("base")->second.origin == "config qwen2.rope.freq_base");
  CHECK(rotation(made).pairs == 64);
  CHECK(std::fabs(rotation(made).magnitude - 1.138629436111989) < 1e-15);

  Gguf llama;
  llama.word("general.architecture", "llama")
      .number("llama.embedding_length", 32)
      .number("llama.attention.head_count", 4);
  llama.number("llama.rope.dimension_count", 8)
      .number("llama.context_length", 131072)
      .real("llama.rope.freq_base", 5e5f);
  const Read bent = read(gguf(llama.file({1, 1, 2.5f, 8})));
  REQUIRE(rotation(bent).pairs == 4);
  CHECK(
      std::fabs(pe::to_double(rotation(bent).unscaled[2] / rotation(bent).waves->frequencies()[2]) -
                2.5) < 1e-15);
  CHECK(rotation(bent).magnitude == 1);
  CHECK_THROWS_AS(gguf(llama.file().substr(0, 100)), pe::FileError);
}

TEST_CASE("a GGUF key of another kind is refused by its name, and odd numbers end in words") {
  const std::vector<std::pair<std::string, float>> numbers{{"embedding_length", 64},
                                                           {"attention.head_count", 4},
                                                           {"block_count", 2},
                                                           {"context_length", 4096},
                                                           {"rope.dimension_count", 16},
                                                           {"rope.dimension_count_swa", 8},
                                                           {"attention.key_length", 16},
                                                           {"attention.key_length_swa", 8},
                                                           {"attention.sliding_window", 512},
                                                           {"rope.freq_base", 1e4f},
                                                           {"rope.freq_base_swa", 1e6f},
                                                           {"rope.scaling.factor", 4},
                                                           {"rope.scaling.attn_factor", 1.5f}};
  const auto file_with = [&](std::string_view kind, std::string_view odd, const auto& put_odd) {
    Gguf file;
    const std::string architecture(kind);
    file.word("general.architecture", kind).word(architecture + ".rope.scaling.type", "yarn");
    for (const auto& [name, value] : numbers)
      if (name != odd)
        file.real(architecture + "." + name, value);
      else
        put_odd(file, architecture + "." + name);
    return file.file();
  };
  int refused = 0;
  for (const std::string_view kind : {"llama", "gemma3", "step35", "gpt-oss", "never-heard-of"})
    for (const auto& [odd, usual] : numbers) {
      const std::string where = fmt::format("{} {}", kind, odd);
      INFO(where);
      const std::string worded =
          file_with(kind, odd, [](Gguf& file, const std::string& key) { file.word(key, "abc"); });
      try {
        read(gguf(worded));  // a key that this architecture does not read
      } catch (const pe::UsageError& error) {
        ++refused;
        const bool named = std::string(error.what()).find(odd) != std::string::npos;
        INFO(error.what());
        CHECK(named);
      }
      for (const float value : {0.f, -1.f, 1e-30f, 3e38f, std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()}) {
        const std::string bytes = file_with(
            kind, odd, [&](Gguf& file, const std::string& key) { file.real(key, value); });
        try {
          read(gguf(bytes));
        } catch (const pe::UsageError& error) {
          CHECK(std::string(error.what()).find('\n') == std::string::npos);
        }
      }
    }
  CHECK(refused > 40);
}

TEST_SUITE_END();
