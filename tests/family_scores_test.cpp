// Relative positions on grids and pages: what a config's encoding makes of attention, against the
// weights that the real classes give.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "pe/apply/places.hpp"
#include "pe/apply/scores.hpp"
#include "pe/base/error.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/model/weights.hpp"

namespace {

using pe::Index;

pe::Config parse(const std::string& json) { return pe::parse_config(json, "config.json"); }

Index whole(const pe::JsonNode& node) { return std::stoll(node.text); }

std::string text(const pe::JsonNode* node) { return node ? node->text : ""; }

Index number(const pe::JsonNode& config, const char* key) { return whole(*config.find(key)); }

// Element i is ((i·salt + i²) mod 31 − 15) / 16, as scripts/record/families/scores.py has it.
pe::Array drawn(Index salt, const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  std::vector<double> values;
  for (Index i = 0; i < count; ++i)
    values.push_back(static_cast<double>((i * salt + i * i) % 31 - 15) / 16);
  return pe::array_of(shape, values);
}

std::vector<Index> shape_of(const pe::JsonNode& list) {
  std::vector<Index> shape;
  for (const pe::JsonNode& item : list.items) shape.push_back(whole(item));
  return shape;
}

// The arrays of one case by name: tables of a grid, or of a page and its boxes.
pe::Array array_of(const std::string& name, const pe::JsonNode& is, const pe::Reading& reading) {
  const auto entries = [&](const char* key) { return std::stoll(reading.given.at(key).text); };
  if (name == "row-vectors") return drawn(5, shape_of(is.find("tables")->items[0]));
  if (name == "column-vectors") return drawn(9, shape_of(is.find("tables")->items[1]));
  const Index heads = entries("heads");
  if (name == "weights") return drawn(5, {heads, entries("num-buckets")});
  if (name == "x-weights") return drawn(9, {heads, entries("box-buckets")});
  if (name == "y-weights") return drawn(13, {heads, entries("box-buckets")});
  std::vector<double> boxes;
  for (const pe::JsonNode& edge : is.find("boxes")->items)
    boxes.push_back(static_cast<double>(whole(edge)));
  return pe::array_of({std::ssize(boxes) / 4, 4}, boxes);
}

// Queries and keys alike: channels of all heads side by side at each position.
std::shared_ptr<const pe::Content> hidden(const char* name, Index heads, Index length,
                                          Index width) {
  const pe::Array flat = drawn(3, {length, width});
  std::vector<double> values;
  for (Index head = 0; head < heads; ++head)
    for (Index position = 0; position < length; ++position)
      for (Index c = 0; c < width / heads; ++c)
        values.push_back(flat.at(position * width + head * (width / heads) + c));
  return std::make_shared<const pe::Content>(pe::read_content(
      name, pe::array_of({1, heads, length, width / heads}, values), "bhsd", false));
}

// The farthest that a weight lies from the class's own; a config read as another encoding throws.
double worst_of(const pe::JsonNode& file, const pe::Config& config, const pe::JsonNode& is,
                const std::string& layer) {
  const pe::Encoding& encoding = pe::find_encoding(is.find("encoding")->text);
  const pe::Reading reading = pe::read_model(config, &encoding, layer);
  CHECK(reading.warnings.empty());
  pe::Given flags;
  std::vector<std::string> tensors{"weights"};
  if (encoding.name == "decomposed") {
    CHECK(reading.given.at("grid").text == text(is.find("side")));
    flags["grid"] = {text(is.find("grid")), "flag --grid"};
    tensors = {"row-vectors", "column-vectors"};
  } else if (!is.find("boxes")->items.empty()) {
    tensors = {"weights", "boxes", "x-weights", "y-weights"};
  }
  for (const std::string& name : tensors) flags[name] = {name, "flag --" + name};
  const pe::Parameters parameters =
      pe::complete(pe::schema_of(encoding), flags, reading.given,
                   [&](const std::string& name) { return array_of(name, is, reading); });
  const Index heads = number(file, "num_attention_heads"), width = number(file, "hidden_size"),
              length = std::ssize(is.find("rows")->items[0].items[2].items);
  const pe::Effect effect = encoding.make(parameters, length);
  const auto q = hidden("q", heads, length, width), k = hidden("k", heads, length, width);
  const pe::PositionRange all = pe::first_positions(length);
  const pe::Attention attention =
      pe::attention_of(effect, parameters, {}, {all, all, "", ""}, width / heads, {});
  const pe::Scores scores(effect, q, k, attention);
  double worst = 0;
  for (const pe::JsonNode& row : is.find("rows")->items) {
    std::vector<double> weights(static_cast<std::size_t>(length));
    const Index query = whole(row.items[1]);
    scores.attention(0, whole(row.items[0]), std::span(&query, 1), weights.data());
    for (std::size_t key = 0; key < weights.size(); ++key)
      worst = std::max(worst, std::fabs(weights[key] - std::stod(row.items[2].items[key].text)));
  }
  return worst;
}

}  // namespace

TEST_SUITE_BEGIN("families");

// A logit is a sum of 12 products and sums in float32, each at most 8: off by 2^-18. A weight,
// which is at most 1, is off by twice that and a few roundings.
TEST_CASE("attention on grids and pages is what the model's own class makes of it") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/scores.txt");
  int right = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const pe::JsonNode header = pe::parse_json(line.substr(0, tab), "scores.txt");
    const std::string config = line.substr(tab + 1);
    INFO(config << " " << text(header.find("layer")) << " "
                << text(header.find("is")->find("grid")));
    CHECK(worst_of(pe::parse_json(config, "config.json"), parse(config), *header.find("is"),
                   text(header.find("layer"))) < 0x1p-16);
    ++right;
  }
  CHECK(right == 39);
}

TEST_CASE("layers of a window and of the whole image are told apart") {
  const pe::Encoding& decomposed = pe::find_encoding("decomposed");
  const auto read = [&](const char* json, const char* layer) {
    return pe::read_model(parse(json), &decomposed, layer);
  };
  const char* const sam = R"({"model_type":"sam"})";
  const pe::Reading first = read(sam, "");
  CHECK(first.given.at("grid").text == "64x64");
  CHECK(first.given.at("head-dim").text == "64");
  CHECK(first.layer_types == std::vector<std::string>{"global", "windowed"});
  CHECK(first.warnings.size() == 1);
  CHECK(read(sam, "windowed").given.at("grid").text == "14x14");
  CHECK_THROWS_WITH_AS(
      read(R"({"model_type":"vitdet","use_relative_position_embeddings":true})", "windowed"),
      "config.json: vitdet has no windowed layers: grid(window_size,1) is none", pe::UsageError);
}

// Sam3ViTLayer.precompute_positions: the window over the columns of the image, in global layers.
TEST_CASE("a global layer that squeezes the image into a window is read where it is square") {
  const pe::Encoding& turns = pe::find_encoding("rope-2d");
  const auto read = [&](const char* image, const char* layer) {
    return pe::read_model(
        parse(fmt::format(R"({{"model_type":"sam3_vit_model","image_size":{},"window_size":4}})",
                          image)),
        &turns, layer);
  };
  const pe::Reading global = read("84", "global"), windowed = read("[84, 112]", "windowed");
  CHECK(global.given.at("grid").text == "6x6");
  CHECK(global.given.at("reference").text == "4x4");
  CHECK(windowed.given.at("grid").text == "4x4");
  CHECK(!windowed.given.contains("reference"));
  CHECK_THROWS_WITH_AS(read("[84, 112]", "global"),
                       "config.json: the global layers of sam3_vit_model have a grid of 6x8 "
                       "patches: only square ones are read",
                       pe::UsageError);
}

TEST_CASE("a grid's places are the only ones, and boxes are whole numbers") {
  const pe::Encoding& t5 = pe::find_encoding("t5");
  const auto boxed = [&](const std::vector<double>& edges) {
    return t5.make(
        pe::complete(pe::schema_of(t5), {{"boxes", {"boxes", "flag"}}, {"seed", {"1", "flag"}}}, {},
                     [&](const std::string&) {
                       return pe::array_of({std::ssize(edges) / 4, 4}, edges);
                     }),
        1);
  };
  CHECK(std::get<pe::Bias>(boxed({1, 2, 3, 4, 5, 6, 7, 8})).rows == 2);
  CHECK_THROWS_WITH_AS(boxed({0.5, 2, 3, 4}),
                       "--boxes must hold whole numbers up to 2^31, got 0.5 in row 0",
                       pe::UsageError);
  const pe::Encoding& decomposed = pe::find_encoding("decomposed");
  const pe::Parameters parameters = pe::complete(
      pe::schema_of(decomposed),
      {{"grid", {"2x2", "flag"}}, {"seed", {"1", "flag"}}, {"head-dim", {"4", "flag"}}}, {}, {});
  const pe::Effect effect = decomposed.make(parameters, 5);
  const auto q = hidden("q", 1, 5, 4), k = hidden("k", 1, 5, 4);
  const pe::PositionRange all = pe::first_positions(5);
  CHECK_THROWS_WITH_AS(
      pe::Scores(effect, q, k, pe::attention_of(effect, parameters, {}, {all, all, "", ""}, 4, {})),
      "position 4 lies outside the grid, which has 4 (0 to 3)", pe::UsageError);
}

TEST_SUITE_END();
