// Subjects: which text counts where several speak, what is made of them, and the same made again.
#include "pe/subject/subject.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using namespace pe;

Given by_hand(std::initializer_list<std::pair<const char*, const char*>> flags) {
  Given given;
  for (const auto& [name, text] : flags) given[name] = {text, std::string("flag --") + name};
  return given;
}

SubjectTexts texts_of(const char* encoding,
                      std::initializer_list<std::pair<const char*, const char*>> flags = {}) {
  return {.encoding = &find_encoding(encoding), .flags = by_hand(flags)};
}

// A llama whose YaRN says what dialects read otherwise.
Reading yarn_reading() {
  const Config config = parse_config(
      R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 20000,
          "max_position_embeddings": 8192,
          "rope_scaling": {"rope_type": "yarn", "factor": 4, "truncate": false}})",
      "config.json");
  return read_model(config, nullptr, "");
}

Array no_tensor(const std::string& spec) { throw UsageError("no tensor " + spec); }

std::string text_of(const Subject& subject, const std::string& name) {
  for (const Parameters::Entry& entry : subject.parameters.entries())
    if (entry.name == name) return entry.text + " (" + entry.origin + ")";
  return "";
}

std::string message_of(const SubjectTexts& texts) {
  try {
    make_subject(texts, 8);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// Its cosines say which rotation it is.
std::vector<std::byte> cosines_of(const Effect& effect) {
  constexpr Index rows = 64;
  const auto& rotation = std::get<Rotation>(effect);
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * rotation.pairs) *
                               size_of(DType::f64));
  rotation.fill(first_positions(rows), DType::f64, bytes.data(), nullptr);
  return bytes;
}

}  // namespace

TEST_SUITE("subject") {
  TEST_CASE("flag beats dialect beats config beats other input beats default") {
    SubjectTexts texts = texts_of("rope");
    texts.implied = {{"dim", {"32", "shape of --q"}}};
    Subject subject = make_subject(texts, {}, 8, no_tensor);
    CHECK(text_of(subject, "dim") == "32 (shape of --q)");
    CHECK(text_of(subject, "base") == "10000 (default)");

    const Reading reading = yarn_reading();
    subject = make_subject(texts, reading, 8, no_tensor);
    CHECK(text_of(subject, "dim") == "16 (config hidden_size / num_attention_heads)");
    CHECK(text_of(subject, "base") == "20000 (config rope_theta)");
    CHECK(text_of(subject, "truncate") == "false (config rope_scaling.truncate)");

    texts.dialect = "ggml";
    subject = make_subject(texts, reading, 8, no_tensor);
    CHECK(text_of(subject, "truncate") == "true (dialect ggml)");
    CHECK(subject.dialect_given);

    texts.flags = by_hand({{"truncate", "false"}, {"base", "500"}});
    subject = make_subject(texts, reading, 8, no_tensor);
    CHECK(text_of(subject, "truncate") == "false (flag --truncate)");
    CHECK(text_of(subject, "base") == "500 (flag --base)");
  }

  TEST_CASE("vLLM and SGLang read whole configs as they did when they were run") {
    // Drawn ones where PE_ENGINE_CONFIGS names a file of them (scripts/record/engine_configs.py).
    const char* drawn = std::getenv("PE_ENGINE_CONFIGS");
    std::ifstream file(drawn ? drawn : PE_SOURCE_DIR "/data/parity/engine_configs.txt");
    int caches = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('#')) continue;
      ++caches;
      const JsonNode record = parse_json(line, "engine_configs.txt");
      const Config config = parse_config(record.find("config")->text, "config.json");
      SubjectTexts texts = texts_of("rope");
      texts.dialect = record.find("dialect")->text;
      const Index place = std::stoll(record.find("place")->text);
      const auto layers = config.items("layer_types");  // the first is asked for
      const Reading reading =
          read_model(config, texts.encoding, layers.empty() ? "" : layers.front());
      const Subject subject =
          make_subject(texts, reading, std::stoll(record.find("length")->text), no_tensor);
      const Array row =
          collect(spell(std::get<Rotation>(subject.effect), span_of(PositionRange{place, 1, 1, 0}),
                        DType::f32, {"cos_sin_cache"}, *subject.dialect)
                      .front(),
                  1);
      const auto& theirs = record.find("cos_sin_cache")->items;
      REQUIRE(row.size() == std::ssize(theirs));
      double most = 0;
      for (Index i = 0; i < row.size(); ++i) {
        const auto bits = static_cast<std::uint32_t>(
            std::stoul(theirs[static_cast<std::size_t>(i)].text, nullptr, 16));
        most =
            std::max(most, std::fabs(row.at(i) - static_cast<double>(std::bit_cast<float>(bits))));
      }
      // Powers may differ in their last bit with the lanes of the vectors: of a frequency of 1 that
      // is 2^-24 of the angle.
      INFO(line.substr(0, 400));
      CHECK(most <= 2e-7 + static_cast<double>(place) * 0x1p-23);
    }
    if (drawn)
      CHECK(caches > 0);
    else
      CHECK(caches == 43);
  }

  TEST_CASE("transformers' dialects keep turns as the model's class does") {
    const auto kept = [](const char* dialect, const std::string& type) {
      SubjectTexts texts = texts_of("rope");
      texts.dialect = dialect;
      const Reading reading = read_model(
          parse_config("{\"model_type\": \"" + type + "\"}", "c.json"), texts.encoding, "");
      const Subject subject = make_subject(texts, reading, 8, no_tensor);
      CHECK(subject.dialect->name == dialect);
      CHECK(with_dialect(subject, find_dialect("hf")).dialect->keeping ==
            as_kept(find_dialect("hf"), text_of(reading.family->find("keeps"))).keeping);
      std::vector<std::string> names;
      for (const Field& field :
           spell(subject.effect, subject.span, DType::f32, {}, *subject.dialect))
        names.push_back(field.name);
      return fmt::format("{} in {}", row_of(subject.dialect->keeping).name, fmt::join(names, " "));
    };
    CHECK(kept("hf", "llama") == "halves in cos sin");
    CHECK(kept("hf", "cohere2") == "adjacent in cos sin");
    CHECK(kept("hf-avx2", "gpt_oss") == "pairs in cos sin");
    CHECK(kept("hf-v4", "deepseek_v2") == "turns in freqs_cis");
    CHECK(kept("vllm", "gpt_oss") == "cos-sin in cos_sin_cache");
  }

  TEST_CASE("a scaling that the dialect's program does not read is named") {
    const auto warnings = [](const char* dialect, const char* text, Given flags = {}) {
      SubjectTexts texts = texts_of("rope");
      if (*dialect) texts.dialect = dialect;
      texts.flags = std::move(flags);
      const Reading reading = read_model(parse_config(text, "c.json"), texts.encoding, "");
      std::string all;
      for (const std::string& warning : make_subject(texts, reading, 8, no_tensor).reading.warnings)
        all += warning + "\n";
      return all;
    };
    const char* mixtral = R"({"model_type": "mixtral", "hidden_size": 256,
      "num_attention_heads": 8, "max_position_embeddings": 8192, "rope_theta": 1e6,
      "rope_scaling": {"rope_type": "linear", "factor": 4.0}})";
    const std::string said = "rope_scaling.rope_type linear is not read by sglang for mixtral";
    CHECK(warnings("sglang", mixtral).find(said) != std::string::npos);
    CHECK(warnings("sglang", mixtral, by_hand({{"scaling", "linear"}})).find("is not read") ==
          std::string::npos);
    CHECK(warnings("vllm", mixtral).empty());
    CHECK(warnings("", mixtral).empty());
    const char* dynamic = R"({"model_type": "llama", "hidden_size": 256,
      "num_attention_heads": 8, "max_position_embeddings": 8192, "rope_theta": 1e6,
      "rope_scaling": {"rope_type": "dynamic", "factor": 4.0}})";
    CHECK(warnings("ggml", dynamic).find("dynamic is not read by ggml") != std::string::npos);
    CHECK(warnings("hf", dynamic).empty());
  }

  TEST_CASE("encoders whose code stands beside their checkpoints are read as it reads") {
    const auto read = [](const char* encoding, const char* text, const char* parameter) {
      const SubjectTexts texts = texts_of(encoding);
      return text_of(
          make_subject(texts, read_model(parse_config(text, "config.json"), texts.encoding, ""), 8,
                       no_tensor),
          parameter);
    };
    const char* gte = R"({"model_type": "new", "hidden_size": 768, "num_attention_heads": 12,
      "max_position_embeddings": 8192, "position_embedding_type": "rope", "rope_theta": 20000,
      "rope_scaling": {"factor": 8.0, "type": "ntk"}})";
    CHECK(read("rope", gte, "ntk-form").starts_with("fixed"));
    CHECK(read("rope", gte, "factor").starts_with("8.0"));
    const char* nomic = R"({"model_type": "nomic_bert", "n_embd": 1024, "n_head": 16,
      "n_positions": 2048, "rotary_emb_base": 10000, "rotary_emb_fraction": 0.5})";
    CHECK(read("rope", nomic, "base").starts_with("10000"));
    CHECK(read("rope", nomic, "dim").starts_with("64"));
    CHECK(read("rope", nomic, "partial-rotary-factor").starts_with("0.5"));
    const char* jina = R"({"model_type": "xlm-roberta", "hidden_size": 1024,
      "num_attention_heads": 16, "position_embedding_type": "rotary", "rotary_emb_base": 20000.0})";
    CHECK(read("rope", jina, "base").starts_with("20000.0"));
    CHECK(read("rope", jina, "dim").starts_with("64"));
    const char* slopes = R"({"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12,
      "position_embedding_type": "alibi"})";
    CHECK(read("alibi", slopes, "heads").starts_with("12"));
    CHECK(read("alibi", slopes, "causal").starts_with("false"));
    const Config plain = parse_config(R"({"model_type": "bert", "hidden_size": 768})", "c.json");
    CHECK(read_model(plain, nullptr, "").encoding->name == "learned");
    CHECK(read_model(parse_config(slopes, "c.json"), nullptr, "").encoding->name == "alibi");
  }

  TEST_CASE("decoders that transformers has not are read as engines' model files read them") {
    struct Row {
      const char *config, *parameter, *value;
    };
    for (const Row& row : {
             Row{R"({"model_type": "exaone", "hidden_size": 4096, "num_attention_heads": 32,
                     "rope_theta": 500000.0})",
                 "dim", "128"},
             Row{R"({"model_type": "bailing_moe", "hidden_size": 2048, "num_attention_heads": 16,
                     "head_dim": 128, "rotary_dim": 64, "rope_theta": 600000})",
                 "rotary-dim", "64"},
             Row{R"({"model_type": "bailing_moe", "hidden_size": 2048, "num_attention_heads": 16,
                     "partial_rotary_factor": 0.25, "rope_theta": 600000})",
                 "partial-rotary-factor", "0.25"},
             Row{R"({"model_type": "openelm", "head_dim": 64, "model_dim": 2048,
                     "rope_freq_constant": 25000, "rope_max_length": 4096})",
                 "base", "25000"},
             Row{R"({"model_type": "iquestloopcoder", "hidden_size": 2048,
                     "num_attention_heads": 16})",
                 "base", "500000"},
             Row{R"({"model_type": "lille-130m", "n_embd": 640, "n_head": 10,
                     "rope_theta": 10000})",
                 "dim", "64"},
         }) {
      CAPTURE(row.config);
      const SubjectTexts texts = texts_of("rope");
      const Reading reading = read_model(parse_config(row.config, "c.json"), texts.encoding, "");
      CHECK(reading.warnings.empty());
      CHECK(text_of(make_subject(texts, reading, 8, no_tensor), row.parameter)
                .starts_with(row.value));
    }
  }

  TEST_CASE("a dialect's reading counts only where the scaling is meant, or the encoding") {
    SubjectTexts texts = texts_of("rope", {{"dim", "16"}, {"scaling", "linear"}, {"factor", "2"}});
    texts.dialect = "ggml";
    CHECK(text_of(make_subject(texts, {}, 8, no_tensor), "truncate").find("dialect") ==
          std::string::npos);
    texts = texts_of("sinusoidal", {{"dim", "16"}});
    texts.dialect = "fairseq";
    CHECK(text_of(make_subject(texts, {}, 8, no_tensor), "offset") == "2 (dialect fairseq)");
  }

  TEST_CASE("engines read silence, alpha and whole families of their own way") {
    // Lengths: mlx-lm models/rope_utils.py, YarnRoPE and Llama3RoPE; TensorRT-LLM functional.py,
    // create_sinusoidal_positions_yarn. Alpha: vllm and sglang get_rope. Families: those whose
    // mlx_lm/models/*.py or sglang/srt/models/*.py hand the scaling to no rotation.
    const std::string sizes =
        R"("hidden_size": 512, "num_attention_heads": 4, "max_position_embeddings": 32768, )";
    const auto read_as = [&](const std::string& rest, const char* dialect,
                             std::string_view parameter) {
      SubjectTexts texts = texts_of("rope");
      texts.dialect = dialect;
      const Config config = parse_config("{" + sizes + rest + "}", "config.json");
      const Subject subject =
          make_subject(texts, read_model(config, texts.encoding, ""), 64, no_tensor);
      const std::string said = text_of(subject, std::string(parameter));
      return said.substr(0, said.find(" ("));
    };
    const std::string yarn = R"("rope_scaling": {"rope_type": "yarn", "factor": 4})",
                      alpha =
                          R"("rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0})",
                      linear = R"("rope_scaling": {"type": "linear", "factor": 4})";
    const std::string llama = R"("model_type": "llama", )",
                      mixtral = R"("model_type": "mixtral", )",
                      qwen3_moe =
                          R"("model_type": "qwen3_moe", "head_dim": 128, "rope_theta": 1e6, )";
    CHECK(read_as(llama + yarn, "hf", "original-max-position") == "32768");
    CHECK(read_as(llama + yarn, "mlx", "original-max-position") == "4096");
    CHECK(read_as(llama + yarn, "mlx-cpu", "original-max-position") == "4096");
    CHECK(read_as(llama + yarn, "trtllm", "original-max-position") == "1024");
    CHECK(read_as(llama + alpha, "hf", "scaling") == "dynamic");
    for (const char* engine : {"vllm", "sglang"}) {
      CHECK(read_as(llama + alpha, engine, "scaling") == "ntk");
      CHECK(read_as(llama + alpha, engine, "alpha") == "1000.0");
    }
    CHECK(read_as(mixtral + linear, "vllm", "scaling") == "linear");
    for (const char* engine : {"sglang", "mlx", "mlx-cpu"}) {
      CHECK(read_as(mixtral + linear, engine, "scaling") == "none");
      CHECK(read_as(llama + linear, engine, "scaling") == "linear");
    }
    CHECK(read_as(qwen3_moe + yarn, "mlx", "scaling") == "none");
    CHECK(read_as(qwen3_moe + yarn, "sglang", "scaling") == "yarn");
    CHECK(read_as(llama + alpha, "ggml", "scaling") == "none");
  }

  TEST_CASE("a doubt about a scaling is none where the dialect overlooks it") {
    const std::string config =
        R"({"model_type": "qwen3_moe", "head_dim": 128, "rope_theta": 1e6, "num_attention_heads": 4,
            "max_position_embeddings": 40960, "rope_scaling": {"rope_type": "yarn", "factor": 4,
            "original_max_position_embeddings": 32768}})";
    const auto doubts = [&](const char* dialect) {
      return reading_of({.config = config, .dialect = dialect}).warnings.size();
    };
    CHECK(doubts("hf") == 1);
    CHECK(doubts("vllm") == 1);
    CHECK(doubts("mlx") == 0);
  }

  TEST_CASE("a doubt that the dialect settles is not said") {
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
            "max_position_embeddings": 32768, "rope_scaling": {"rope_type": "yarn", "factor": 4,
            "original_max_position_embeddings": 8192, "attn_factor": 1.5}})";
    const auto doubts = [&](const char* dialect) {
      return reading_of({.config = config, .dialect = dialect}).warnings.size();
    };
    CHECK(doubts("hf") == 1);
    CHECK(doubts("vllm") == 1);
    CHECK(doubts("sglang") == 0);
  }

  TEST_CASE("a config means an encoding, and only one of config and model is read") {
    CHECK(make_subject({.model = "llama-3.1-8b"}, 8).encoding->name == "rope");
    CHECK(make_subject({.model = "flan-t5-base"}, 8).encoding->name == "t5");
    CHECK(message_of({.model = "llama-3.1-8b", .layer_type = "sliding"}) ==
          "--layer-type sliding: all layers of llama-3.1-8b are alike");
    CHECK(message_of({.config = "config.json", .model = "llama-3.1-8b"}) ==
          "--config and --model say the same thing: give one of them");
    CHECK(message_of({.layer_type = "all"}) ==
          "--layer-type has no meaning without --config or --model");
    CHECK(message_of({}) == "no encoding is named, and no config that means one");
  }

  TEST_CASE("positions: by length, by hand, or as many as there are") {
    SubjectTexts texts = texts_of("rope", {{"dim", "16"}});
    Subject subject = make_subject(texts, 8);
    CHECK(subject.span.positions == first_positions(8));
    CHECK(subject.length == 8);
    CHECK_FALSE(subject.positions_given());

    texts.length = "100";
    subject = make_subject(texts, 8);
    CHECK(subject.span.positions == first_positions(100));
    CHECK(subject.positions_origin == "flag --length");

    texts.positions = "5:9";
    CHECK(message_of(texts) == "--length and --positions say the same thing: give one of them");
    texts.length.clear();
    subject = make_subject(texts, 8);
    CHECK(subject.span.positions == PositionRange{5, 1, 4, 0});
    CHECK(subject.length == 9);
    CHECK(subject.positions_given());

    texts = texts_of("rope", {{"dim", "16"}});
    texts.length = "0";
    CHECK(message_of(texts) == "--length must be between 1 and 9007199254740992, got 0");
    texts.length = "ten";
    CHECK(message_of(texts) == "--length must be a whole number, got ten");
  }

  TEST_CASE("the sequence of a relative encoding reaches as far as its offsets, of either sign") {
    SubjectTexts texts = texts_of("shaw", {{"dim", "8"}});
    texts.positions = "-20:5";
    const Subject subject = make_subject(texts, 8);
    CHECK(subject.span.offsets == PositionRange{-20, 1, 25, 0});
    CHECK(subject.length == 21);
    texts.positions.clear();
    CHECK(make_subject(texts, 8).length == 8);
  }

  TEST_CASE("without a length a grid has its cells, and a short table its rows") {
    SubjectTexts texts = texts_of("sincos-2d", {{"dim", "16"}, {"grid", "14x14"}});
    CHECK(make_subject(texts, 8).span.positions.count == 196);
    texts = texts_of("learned", {{"rows", "5"}, {"dim", "4"}});
    CHECK(make_subject(texts, 8).span.positions.count == 5);
    CHECK(make_subject(texts, 3).span.positions.count == 3);
    texts.length = "8";  // asked for by name: refused where it is spelled, not shortened
    CHECK(make_subject(texts, 8).span.positions.count == 8);
  }

  TEST_CASE("with_changes is the subject that the changed texts make") {
    SubjectTexts texts = texts_of("rope", {{"dim", "16"}, {"base", "500"}});
    texts.length = "64";
    texts.dialect = "hf";
    const Subject subject = make_subject(texts, yarn_reading(), 8, no_tensor);
    const auto changed =
        with_changes(subject, {{"base", {"700", "diagnosis"}}, {"factor", {"8", "diagnosis"}}});
    REQUIRE(changed);
    CHECK(text_of(*changed, "base") == "700 (diagnosis)");
    texts.flags = by_hand({{"dim", "16"}, {"base", "700"}, {"factor", "8"}});
    const Subject anew = make_subject(texts, yarn_reading(), 8, no_tensor);
    CHECK(cosines_of(changed->effect) == cosines_of(anew.effect));
    CHECK(changed->span.positions == subject.span.positions);
    CHECK(changed->length == subject.length);
    CHECK(text_of(subject, "base") == "500 (flag --base)");

    SUBCASE("changes upon changes") {
      const auto back =
          with_changes(*changed, {{"base", {"500", "diagnosis"}}, {"factor", {"4", "diagnosis"}}});
      REQUIRE(back);
      CHECK(cosines_of(back->effect) == cosines_of(subject.effect));
    }
    SUBCASE("an empty text takes a value away, whoever said it") {
      const auto without = with_changes(subject, {{"base", {"", ""}}, {"scaling", {"", ""}}});
      REQUIRE(without);
      CHECK(text_of(*without, "base") == "10000 (default)");
      CHECK(text_of(*without, "scaling") == "none (default)");
    }
    SUBCASE("what the encoding refuses is nothing") {
      CHECK_FALSE(with_changes(subject, {{"dim", {"15", "diagnosis"}}}));
      CHECK_FALSE(with_changes(subject, {{"base", {"ten", "diagnosis"}}}));
      CHECK_FALSE(with_changes(subject, {{"dim", {"", ""}}, {"base", {"-1", "diagnosis"}}}));
    }
  }

  TEST_CASE("tensors are read once") {
    int reads = 0;
    const auto load = [&reads](const std::string&) {
      ++reads;
      return Array(DType::f32, {6, 4}, std::vector<std::byte>(6 * 4 * 4));
    };
    const Subject subject =
        make_subject(texts_of("learned", {{"input", "table.npy"}}), {}, 8, load);
    REQUIRE(reads == 1);
    CHECK(subject.span.positions.count == 6);
    const auto changed =
        with_changes(subject, {{"extend", {"linear", "diagnosis"}}, {"to", {"12", "diagnosis"}}});
    REQUIRE(changed);
    CHECK(rows_of(changed->effect) == 12);
    CHECK(reads == 1);
    REQUIRE(with_changes(subject, {{"input", {"other.npy", "diagnosis"}}}));
    CHECK(reads == 2);
  }

  TEST_CASE("another dialect reads the same config, not the first one's reading of it") {
    SubjectTexts texts = texts_of("rope");
    texts.dialect = "ggml";
    const Subject subject = make_subject(texts, yarn_reading(), 8, no_tensor);
    CHECK(text_of(subject, "truncate") == "true (dialect ggml)");
    const Subject other = with_dialect(subject, find_dialect("exact"));
    CHECK(text_of(other, "truncate") == "false (config rope_scaling.truncate)");
    CHECK(cosines_of(other.effect) != cosines_of(subject.effect));
  }

  TEST_CASE("provenance holds what decides, and the positions") {
    SubjectTexts texts = texts_of("rope", {{"dim", "16"}});
    texts.length = "64";
    const Provenance provenance = provenance_of(make_subject(texts, 8), "pe-gen", "pe-gen rope");
    CHECK(provenance.encoding == "rope");
    CHECK(provenance.dialect == "exact");
    REQUIRE(provenance.parameters.size() >= 2);
    CHECK(provenance.parameters.front().name == "dim");
    CHECK(provenance.parameters.back().name == "positions");
    CHECK(provenance.parameters.back().value == "0:64");
    CHECK(provenance.parameters.back().origin == "flag --length");
    for (const Provenance::Entry& entry : provenance.parameters) CHECK(entry.name != "factor");
  }
}
