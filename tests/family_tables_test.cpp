// Tables, biases and grids of models: their own config.json against what the real classes make.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
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

double number(const pe::JsonNode& node) { return std::stod(node.text); }

std::string text(const pe::JsonNode* node) { return node ? node->text : ""; }

// An angle p·θ ≤ p that is made of float32 steps, the power among them (x = ln 10000 ≤ 9.3, so its
// exponent is off by 9.3·2^-23), is off by p·2^-19 at most; sine and cosine by 2^-23 more.
bool is_near(double ours, double theirs, double position) {
  return std::fabs(ours - theirs) <= position * 0x1p-19 + 0x1p-22;
}

// The fields of all positions up to the last.
std::vector<pe::Array> fields(const pe::Effect& effect, Index last,
                              const std::vector<std::string>& names) {
  std::vector<pe::Array> all;
  for (const pe::Field& field : pe::spell(effect, pe::span_of(pe::PositionRange{0, 1, last + 1, 0}),
                                          pe::DType::f64, names, pe::find_dialect("exact")))
    all.push_back(pe::collect(field, 1));
  return all;
}

std::string difference_of_table(const pe::Effect& effect, const pe::JsonNode& truth) {
  const auto& table = std::get<pe::Table>(effect);
  const pe::JsonNode& shape = *truth.find("shape");
  if (table.width != std::stoll(shape.items[1].text))
    return fmt::format("{} channels, not {}", table.width, shape.items[1].text);
  if (table.rows && *table.rows != std::stoll(shape.items[0].text))
    return fmt::format("{} rows, not {}", *table.rows, shape.items[0].text);
  const pe::JsonNode* numbers = truth.find("numbers");
  if (!numbers) return "";
  const double last = number(numbers->items.back().items[0]);
  const pe::Array values = fields(effect, static_cast<Index>(last), {"pe"}).front();
  for (const pe::JsonNode& cell : numbers->items) {
    const Index place =
        std::stoll(cell.items[0].text) * table.width + std::stoll(cell.items[1].text);
    if (!is_near(values.at(place), number(cell.items[2]), last))
      return fmt::format("{} at position {}, channel {}, not {}", values.at(place),
                         cell.items[0].text, cell.items[1].text, cell.items[2].text);
  }
  return "";
}

std::string difference_of_turns(const pe::Effect& effect, const pe::JsonNode& truth) {
  const auto& rotation = std::get<pe::Rotation>(effect);
  if (std::to_string(rotation.pairs) != truth.find("pairs")->text)
    return fmt::format("{} pairs, not {}", rotation.pairs, truth.find("pairs")->text);
  const auto& cells = truth.find("cells")->items;
  const Index last = std::stoll(cells.back().items[0].text);
  const std::vector<pe::Array> values = fields(effect, last, {"cos", "sin"});
  for (const pe::JsonNode& cell : cells) {
    const Index place =
        std::stoll(cell.items[0].text) * rotation.pairs + std::stoll(cell.items[1].text);
    for (const std::size_t side : {0u, 1u})
      if (!is_near(values[side].at(place), number(cell.items[2 + side]), 64))
        return fmt::format("{} at patch {}, pair {}, not {}", values[side].at(place),
                           cell.items[0].text, cell.items[1].text, cell.items[2 + side].text);
  }
  return "";
}

std::string difference_of_values(const pe::Parameters& parameters, const pe::JsonNode& truth) {
  for (const pe::JsonMember& given : truth.find("given")->members) {
    std::string ours = "absent";
    for (const pe::Parameters::Entry& entry : parameters.entries())
      if (entry.name == given.name) ours = entry.text;
    if (ours != given.value.text)
      return fmt::format("{} is {}, not {}", given.name, ours, given.value.text);
  }
  return "";
}

// Why the reading is not what the class makes, "" where it is.
std::string difference(const pe::Config& config, const std::string& part, const pe::JsonNode& is) {
  try {
    const pe::Encoding& asked = pe::find_encoding(is.find("encoding")->text);
    const pe::Reading plain = pe::read_model(config, nullptr, "", part);
    // A type may have a table beside its turns or buckets, which are then what is read.
    if (plain.encoding != &asked && plain.encoding->kind == asked.kind)
      return fmt::format("read as {}", plain.encoding->name);
    const pe::Reading reading = pe::read_model(config, &asked, "", part);
    pe::Given flags;
    if (const pe::JsonNode* grid = is.find("grid"); grid && !reading.given.contains("grid"))
      flags["grid"] = {grid->text, "flag --grid"};
    if (reading.given.contains("merge")) flags["merge"] = {"1", "flag --merge"};
    const pe::Parameters parameters =
        pe::complete(pe::schema_of(asked), flags, reading.given, pe::read_array);
    if (const pe::JsonNode* grid = is.find("grid"); grid && parameters.choice("grid") != grid->text)
      return fmt::format("grid {}, not {}", parameters.choice("grid"), grid->text);
    if (is.find("given")) return difference_of_values(parameters, is);
    const pe::Effect effect = asked.make(parameters, 1);
    return is.find("cells") ? difference_of_turns(effect, is) : difference_of_table(effect, is);
  } catch (const std::exception& error) {
    return error.what();
  }
}

pe::Config parse(const std::string& json) { return pe::parse_config(json, "config.json"); }

std::string given(const pe::Reading& reading, std::string_view name) {
  const auto found = reading.given.find(name);
  return found == reading.given.end() ? "" : found->second.text;
}

}  // namespace

TEST_SUITE_BEGIN("families");

TEST_CASE("tables, biases and grids of every model type are read as its own class makes them") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/tables.txt");
  int right = 0, wrong = 0;
  std::map<std::string, int> kinds;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "tables.txt");
    const pe::JsonNode& is = *header.find("is");
    const std::string why = difference(parse(line.substr(tab + 1)), header.find("part")->text, is);
    ++(why.empty() ? right : wrong);
    ++kinds[is.find("encoding")->text];
    INFO(line.substr(tab + 1, 300) << " " << text(header.find("part")));
    CHECK(why == "");
  }
  std::string counts;
  for (const auto& [encoding, count] : kinds) counts += fmt::format(" {} {}", encoding, count);
  MESSAGE(right << " configurations right, " << wrong << " wrong:" << counts);
  CHECK(right > 2000);
}

// Types of which nothing is recorded have no positions, or none that the recorder finds.
TEST_CASE("what a class saves of itself is read as the class, or not without a word") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/saved.txt");
  int right = 0, refused = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "saved.txt");
    const pe::Config config = parse(line.substr(tab + 1));
    INFO(line.substr(tab + 1, 400));
    if (const pe::JsonNode* is = header.find("is")) {
      CHECK(difference(config, text(header.find("part")), *is) == "");
      ++right;
    } else {
      bool told = false;
      try {
        told = !pe::read_model(config, nullptr, "").warnings.empty();
      } catch (const pe::UsageError&) {
        told = true;
        ++refused;
      }
      if (header.members.empty()) CHECK(told);
    }
  }
  MESSAGE(right << " tables right; of types without one " << refused << " refused");
  CHECK(right > 200);
  CHECK(refused > 100);
}

// A user's file of any type is read by its own row, or told in a sentence why it is not.
TEST_CASE("every model type of the release is in a row of the catalogue") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/saved.txt");
  int types = 0, read = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const pe::Config config = parse(line.substr(line.find('\t') + 1));
    ++types;
    std::string said;
    try {
      said = fmt::format("{}", fmt::join(pe::read_model(config, nullptr, "").warnings, "\n"));
      ++read;
    } catch (const pe::UsageError& error) {
      said = error.what();
    }
    INFO(config.find("model_type")->text << ": " << said);
    CHECK(said.find("in no row of the catalogue") == std::string::npos);
  }
  MESSAGE(types << " types, " << read << " read, the others refused with a reason");
  CHECK(types > 700);
  CHECK(read > 600);
}

TEST_CASE("an object of a decoder that says no width does not hide the keys at the top") {
  const pe::Reading reading = pe::read_model(
      parse(
          R"({"model_type":"fastspeech2_conformer","hidden_size":256,"encoder_num_attention_heads":4,"decoder_config":{"num_attention_heads":2}})"),
      nullptr, "");
  CHECK(given(reading, "dim") == "256");
  CHECK(given(reading, "heads") == "4");
}

TEST_CASE("types without positions say so, those with others say which") {
  const auto why = [](const char* json) -> std::string {
    try {
      pe::read_model(parse(json), nullptr, "");
    } catch (const pe::UsageError& error) {
      return error.what();
    }
    return "";
  };
  using Case = std::array<const char*, 2>;
  for (const auto& [json, reason] :
       {Case{R"({"model_type":"resnet"})", "has no position encoding"},
        Case{R"({"model_type":"segformer"})", "has no position encoding"},
        Case{R"({"model_type":"upernet","backbone_config":{"model_type":"convnext"}})",
             "has no position encoding"},
        Case{R"({"model_type":"sam_mask_decoder"})", "handed that of the prompt encoder"},
        Case{R"({"model_type":"levit"})", "without its sign"},
        Case{R"({"model_type":"timesfm"})", "use_positional_embedding is not true"},
        Case{R"({"model_type":"wav2vec2-bert"})", "clipped at left_max_position_embeddings"}}) {
    const std::string text = json;
    INFO(text);
    CHECK(why(json).find(reason) != std::string::npos);
  }
  CHECK(why(R"({"model_type":"wav2vec2-bert","position_embeddings_type":"rotary"})").empty());
  CHECK(why(R"({"model_type":"wav2vec2-bert","position_embeddings_type":"relative"})").empty());
  CHECK(why(R"({"model_type":"upernet","backbone_config":{"model_type":"swin"}})").empty());
}

TEST_CASE("a composite's speaking part is the same, asked for by its name or not") {
  std::ifstream file(PE_SOURCE_DIR "/data/families.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const pe::JsonNode rows = pe::parse_json(text, "families.json");
  const pe::Encoding& rope = pe::find_encoding("rope");
  const auto values = [&](const std::string& json, std::string_view part) {
    std::string all;
    try {
      for (const auto& [name, value] : pe::read_model(parse(json), &rope, "", part).given)
        all += fmt::format("{} {} ", name, value.text);
    } catch (const pe::UsageError& error) {
      all = error.what();
    }
    return all;
  };
  int composites = 0, told = 0;
  for (const pe::JsonMember& row : rows.find("types")->members) {
    if (!row.value.find("part")) continue;
    ++composites;
    const std::string part = row.value.find("part")->text;
    for (const std::string& rest :
         {std::string(), std::string(R"(,"rope_theta":54321)"), fmt::format(R"(,"{}":{{}})", part),
          fmt::format(R"(,"{}":{{"rope_theta":54321}})", part),
          fmt::format(R"(,"{}":{{"hidden_size":1536,"num_attention_heads":12}})", part)}) {
      const std::string json = fmt::format(R"({{"model_type":"{}"{}}})", row.name, rest);
      INFO(json);
      CHECK(values(json, part) == values(json, ""));
      told += values(json, "").find("base") != std::string::npos;
    }
  }
  CHECK(composites > 100);
  CHECK(told > 300);
}

TEST_CASE("a type that is stated in a part counts as far as the composite's class reads it") {
  const auto warning = [](const char* json) {
    const pe::Reading reading = pe::read_model(parse(json), &pe::find_encoding("rope"), "");
    return reading.warnings.empty() ? "" : reading.warnings[0];
  };
  CHECK(warning(R"({"model_type":"qwen3_vl","text_config":{"model_type":"llama"}})") ==
        "config.json: text_config.model_type llama does not count: the class of qwen3_vl makes "
        "qwen3_vl_text of its text_config");
  CHECK(
      warning(
          R"({"model_type":"qwen3_vl","text_config":{"model_type":"qwen3_vl","rope_theta":5e6}})") ==
      "");
  CHECK(warning(R"({"model_type":"llava","text_config":{"model_type":"mistral"}})") == "");
  CHECK(warning(R"({"model_type":"llava","text_config":{"model_type":"newest","head_dim":64}})") ==
        "config.json: model_type newest is in no row of the catalogue: its keys are read as Llama "
        "spells them");
  CHECK(warning(R"({"model_type":"nemo_speechlm","text_config":{"model_type":"llama"}})") ==
        "config.json: parts differ (audio_config, text_config, a llama): audio_config is taken, "
        "--part takes another");
}

TEST_CASE("turns by several coordinates are not made of a scaled ladder without its scaling") {
  const char* const config =
      R"({"model_type":"qwen2_vl_text","hidden_size":1024,"num_attention_heads":8,"rope_scaling":{"type":"yarn","mrope_section":[16,24,24],"factor":4.0,"original_max_position_embeddings":32768}})";
  CHECK_THROWS_WITH_AS(
      pe::read_model(parse(config), &pe::find_encoding("rope-2d"), ""),
      "config.json: its frequencies are scaled (yarn), which rope-2d does not do here",
      pe::UsageError);
  for (const char* asked : {"rope", "mrope"})
    CHECK(given(pe::read_model(parse(config), &pe::find_encoding(asked), ""), "scaling") == "yarn");
}

TEST_CASE("another encoding than the model's is not read without a word") {
  for (const char* name : {"rope-2d", "mrope", "xpos"}) {
    const pe::Reading reading = pe::read_model(parse(R"({"model_type":"llama","head_dim":64})"),
                                               &pe::find_encoding(name), "");
    REQUIRE(!reading.warnings.empty());
    CHECK(reading.warnings[0] ==
          fmt::format("config.json: model_type llama has rope, not {}", name));
  }
}

// m2m_100: create_position_ids_from_input_ids(input_ids, padding_idx); UMT5's encoder is no
// decoder.
TEST_CASE("positions count from the padding token's number on where the class counts so") {
  const auto offset = [](const char* json) {
    return given(pe::read_model(parse(json), &pe::find_encoding("sinusoidal"), ""), "offset");
  };
  CHECK(offset(R"({"model_type":"m2m_100"})") == "2");
  CHECK(offset(R"({"model_type":"m2m_100","pad_token_id":5})") == "6");
  CHECK(offset(R"({"model_type":"speech_to_text","pad_token_id":0})") == "1");
  CHECK(offset(R"({"model_type":"xglm","pad_token_id":5})") == "2");
  const pe::Encoding& t5 = pe::find_encoding("t5");
  const auto both = [&](const char* part) {
    return given(pe::read_model(parse(R"({"model_type":"umt5"})"), &t5, "", part), "bidirectional");
  };
  CHECK(both("encoder") == "true");
  CHECK(both("decoder") == "false");
  CHECK(given(pe::read_model(parse(R"({"model_type":"deberta","position_buckets":32})"),
                             &pe::find_encoding("deberta"), ""),
              "position-buckets") == "0");
}

TEST_CASE("a part of which no row says what it is is not read without a word") {
  const char* const config =
      R"({"model_type":"pocket_tts","flow_head_config":{"hidden_size":768,"num_attention_heads":12}})";
  const pe::Reading reading =
      pe::read_model(parse(config), &pe::find_encoding("rope"), "", "flow_head_config");
  REQUIRE(!reading.warnings.empty());
  CHECK(reading.warnings[0] ==
        "config.json: no row of the catalogue says what the flow_head_config of "
        "pocket_tts is: its keys are read as Llama spells them");
}

// WavLM's gates are made of what is said.
TEST_CASE("what relative positions add beside a table is named, and --strict can refuse it") {
  const auto warned = [](const char* type) {
    const pe::Reading reading =
        pe::read_model(parse(fmt::format("{{\"model_type\":\"{}\"}}", type)), nullptr, "");
    return fmt::format("{}", fmt::join(reading.warnings, "\n"));
  };
  for (const char* type : {"wavlm", "seamless_m4t"})
    CHECK_MESSAGE(warned(type).find("also adds relative positions to its scores, which is not "
                                    "made") != std::string::npos,
                  type);
  CHECK(warned("vit").empty());
}

TEST_CASE("an encoding that stands besides a table is named by it, and read by its name") {
  using Case = std::array<const char*, 3>;
  const Case cases[] = {
      {"sam", "learned", "decomposed"},    {"got_ocr2_vision", "learned", "decomposed"},
      {"seggpt", "learned", "decomposed"}, {"layoutlmv3", "learned", "t5"},
      {"layoutlmv2", "learned", "t5"},     {"kimi_k25_vision", "rope-2d", "learned"}};
  for (const auto& [type, first, second] : cases) {
    const std::string named = type;
    INFO(named);
    const pe::Config config = parse(fmt::format("{{\"model_type\":\"{}\"}}", type));
    const pe::Reading reading = pe::read_model(config, nullptr, "");
    CHECK(reading.encoding->name == first);
    CHECK(reading.warnings.empty());
    CHECK(reading.family->note.find(fmt::format("it has {0} besides: name {0}", second)) !=
          std::string::npos);
    CHECK(pe::read_model(config, &pe::find_encoding(second), "").encoding->name == second);
  }
  const pe::Reading grid = pe::read_model(parse(R"({"model_type":"kimi_k25_vision"})"),
                                          &pe::find_encoding("learned"), "");
  CHECK(given(grid, "rows") == "4096");
  CHECK(given(grid, "dim") == "1152");
}

TEST_CASE("a part is picked where a config has several") {
  const pe::Config clip = parse(
      R"({"model_type":"clip","text_config":{"hidden_size":640},"vision_config":{"hidden_size":1024,"image_size":336,"patch_size":14}})");
  CHECK(given(pe::read_model(clip, nullptr, ""), "dim") == "640");
  CHECK(given(pe::read_model(clip, nullptr, "", "vision"), "rows") == "577");
  CHECK(given(pe::read_model(clip, nullptr, "", "vision_config"), "dim") == "1024");
  // Published files say qwen2_vl inside vision_config, too.
  const pe::Config qwen = parse(
      R"({"model_type":"qwen2_vl","hidden_size":1536,"num_attention_heads":12,"vision_config":{"model_type":"qwen2_vl","embed_dim":1280,"num_heads":16}})");
  const pe::Reading tower = pe::read_model(qwen, nullptr, "", "vision");
  CHECK(tower.encoding->name == "rope-2d");
  CHECK(given(tower, "dim") == "80");
  CHECK(given(tower, "merge") == "2");
  const pe::Config led = parse(R"({"model_type":"led"})");
  CHECK(given(pe::read_model(led, nullptr, ""), "rows") == "16384");
  CHECK(given(pe::read_model(led, nullptr, "", "decoder"), "rows") == "1024");
  CHECK(pe::read_model(led, nullptr, "").warnings.size() == 1);
  CHECK(given(pe::read_model(parse(R"({"model_type":"t5"})"), nullptr, "", "decoder"),
              "bidirectional") == "false");
  CHECK_THROWS_WITH_AS(pe::read_model(parse(R"({"model_type":"bert"})"), nullptr, "", "vision"),
                       "--part vision: config.json (bert) has no parts to choose from",
                       pe::UsageError);
}

TEST_CASE("sizes that are no sizes are refused, and those that are missing are named") {
  CHECK_THROWS_AS(pe::read_model(parse(R"({"model_type":"vit","image_size":"big"})"), nullptr, ""),
                  pe::UsageError);
  CHECK_THROWS_AS(pe::read_model(parse(R"({"model_type":"vit","image_size":1e30})"), nullptr, ""),
                  pe::UsageError);
  CHECK_THROWS_AS(pe::read_model(parse(R"({"model_type":"vit","image_size":[]})"), nullptr, ""),
                  pe::UsageError);
  CHECK_THROWS_AS(pe::read_model(parse(R"({"model_type":"beit"})"), nullptr, ""), pe::UsageError);
  CHECK(given(pe::read_model(parse(R"({"model_type":"vit","image_size":[224,112]})"), nullptr, ""),
              "rows") == "99");
}

TEST_SUITE_END();
