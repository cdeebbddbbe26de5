// Whole configs, drawn: what mlx-lm's models turned vectors by and what ONNX's builder cached,
// against the dialects named after them.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "pe/base/error.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/subject/subject.hpp"

namespace {

using namespace pe;

Array no_tensor(const std::string& spec) { throw UsageError("no tensor " + spec); }

Subject subject_of(const JsonNode& record, const char* dialect) {
  const Encoding& rope = find_encoding("rope");
  const JsonNode* place = record.find("place");
  SubjectTexts texts;
  texts.encoding = &rope;
  texts.dialect = dialect;
  texts.config = record.find("config")->text;
  Reading reading = reading_of(texts);
  // A file that does not tell its layers apart has none of a name.
  const std::string layer = text_of(record.find("layer"));
  if (std::ranges::count(reading.layer_types, layer) > 0) {
    texts.layer_type = layer;
    reading = reading_of(texts);
  }
  return make_subject(texts, reading, place ? std::stoll(place->text) + 1 : 8, no_tensor);
}

// How far our row of cosines or sines lies from theirs at worst; infinitely where it is longer.
double distance(const Subject& subject, const JsonNode& record, const char* field) {
  const PositionRange at{std::stoll(record.find("place")->text), 1, 1, 0};
  const bool caches = subject.dialect->name == "onnxruntime";
  const std::string name = std::string(field) + (caches ? "_cache" : "");
  const Array row =
      collect(spell(subject.effect, span_of(at), DType::f32, {name}, *subject.dialect).front(), 1);
  const auto& theirs = record.find(field)->items;
  if (row.size() != std::ssize(theirs)) return INFINITY;
  double most = 0;
  for (Index i = 0; i < row.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(
        std::stoul(theirs[static_cast<std::size_t>(i)].text, nullptr, 16));
    most = std::max(most, std::fabs(row.at(i) - static_cast<double>(std::bit_cast<float>(bits))));
  }
  return most;
}

// Calls judge(record, subject) for each line of the file that the variable names, or else of ours.
template <typename Judge>
void for_each_line(const char* variable, const char* ours, const char* dialect, Judge judge) {
  const char* other = std::getenv(variable);
  std::ifstream file(other ? other : PE_SOURCE_DIR + std::string("/data/parity/") + ours);
  int turns = 0, refused = 0;
  std::set<std::string> types;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const JsonNode record = parse_json(line, ours);
    INFO(line.substr(0, 900));
    try {
      const Subject subject = subject_of(record, dialect);
      const bool told = std::ranges::any_of(subject.reading.warnings, [](const std::string& text) {
        return text.find("does not load") != std::string::npos ||
               text.find("does not take") != std::string::npos;
      });
      CHECK(told == (record.find("refused") != nullptr));
      record.find("refused") ? ++refused : ++turns;
      if (subject.reading.family) types.insert(subject.reading.family->name());
      if (!record.find("refused")) judge(record, subject);
    } catch (const UsageError& error) {
      INFO(std::string(error.what()));
      CHECK(record.find("refused"));
    }
  }
  MESSAGE(turns << " of " << types.size() << " model types, " << refused << " refused");
  CHECK(turns > 0);
}

}  // namespace

TEST_CASE("mlx-lm's classes read whole configs as they did when they were run, bit for bit") {
  for_each_line("PE_MLX_CONFIGS", "mlx_configs.txt", "mlx-cpu",
                [](const JsonNode& record, const Subject& subject) {
                  for (const char* side : {"cos", "sin"})
                    CHECK(distance(subject, record, side) == 0);
                  const bool adjacent =
                      std::get<Rotation>(subject.effect).pairing == Pairing::adjacent;
                  CHECK(adjacent == (record.find("adjacent")->text == "true"));
                });
}

TEST_CASE("ONNX's builder reads whole configs as it did when it was run") {
  for_each_line("PE_ONNX_CONFIGS", "onnx_configs.txt", "onnxruntime",
                [](const JsonNode& record, const Subject& subject) {
                  // A frequency's last bit or two, which the angle magnifies.
                  const double place = std::stod(record.find("place")->text);
                  for (const char* side : {"cos", "sin"})
                    CHECK(distance(subject, record, side) <= 2e-7 + place * 0x1p-22);
                });
}

TEST_CASE("llama.cpp's converter reads the original length inside first, then at the top") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/convert.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    ++lines;
    INFO(line);
    const JsonNode record = parse_json(line, "convert.txt");
    const Subject subject = subject_of(record, "ggml");
    const auto& rotation = std::get<Rotation>(subject.effect);
    const auto& divisors = record.find("divisors")->items;
    REQUIRE(rotation.unscaled.size() == divisors.size());
    for (std::size_t j = 0; j < divisors.size(); ++j)
      CHECK(to_double(rotation.unscaled[j] / rotation.waves->frequencies()[j]) ==
            doctest::Approx(std::stod(divisors[j].text)).epsilon(1e-5));
  }
  CHECK(lines == 8);
}
