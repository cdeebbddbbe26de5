// Dialects against what the real programs gave (data/parity, written by scripts/record/parity.py),
// and against each other.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "pe/base/error.hpp"
#include "pe/configs/catalogue.hpp"
#include "pe/configs/reading.hpp"
#include "pe/dialects/dialect.hpp"
#include "pe/dialects/sleef.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/model/buckets.hpp"

namespace {

using pe::Index;

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream file(std::string(PE_SOURCE_DIR) + "/data/parity/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() > 3);
  return lines;
}

// float32 values out of the rest of a line of hex bits.
std::vector<float> floats(std::istringstream& words) {
  std::vector<float> values;
  for (std::string bits; words >> bits;)
    values.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(bits, nullptr, 16))));
  return values;
}

std::int64_t key(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7FFFFFFF) : bits;
}
std::int64_t ulps(float a, float b) { return std::abs(key(a) - key(b)); }

pe::Effect made(const std::string& encoding, const std::map<std::string, std::string>& flags,
                Index length = 1) {
  pe::Given given;
  for (const auto& [name, text] : flags) given[name] = {text, "flag --" + name};
  const pe::Encoding& row = pe::find_encoding(encoding);
  return row.make(pe::complete(pe::schema_of(row), given, {}, {}), length);
}

pe::Effect model(const std::string& name, const std::string& layer, Index length) {
  const pe::Reading reading = pe::read_model(pe::read_catalogued(name), &pe::find_encoding("rope"),
                                             layer == "-" ? "" : layer);
  return reading.encoding->make(
      pe::complete(pe::schema_of(*reading.encoding), {}, reading.given, pe::read_array), length);
}

std::vector<float> field(const pe::Effect& effect, const pe::PositionRange& positions,
                         const std::string& name, const std::string& dialect) {
  const pe::Array array = pe::collect(
      pe::spell(effect, pe::span_of(positions), pe::DType::f32, {name}, pe::find_dialect(dialect))
          .front(),
      1);
  std::vector<float> values;
  for (Index i = 0; i < array.size(); ++i) values.push_back(static_cast<float>(array.at(i)));
  return values;
}

// The lines of one model's record.
void hold_model(pe::Effect effect, const std::vector<std::string>& lines,
                const std::string& dialect) {
  int bound = 1;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string verb, name, side;
    words >> verb;
    INFO(line.substr(0, 60));
    if (verb == "inv_freq" || verb == "attention_factor") {
      const auto theirs = floats(words), ours = field(effect, {0, 1, 1, 0}, verb, dialect);
      CHECK(theirs == ours);  // bit for bit
      if (verb == "attention_factor") bound = theirs.front() == 1 ? 1 : 2;
    } else if (verb == "row") {
      Index position;
      words >> position >> side;
      const auto theirs = floats(words), ours = field(effect, {position, 1, 1, 0}, side, dialect);
      for (std::size_t j = 0; j < theirs.size(); ++j) CHECK(ulps(theirs[j], ours[j]) <= bound);
    } else if (verb == "differs") {
      std::int64_t worst;
      words >> name >> worst;
      CHECK(worst <= (name == "inv_freq" ? 0 : bound));
    }
  }
}

void hold_to(const std::string& file, const std::string& dialect) {
  std::map<std::string, std::vector<std::string>> records;  // of each model and layer
  std::string at;
  for (const std::string& line : lines_of(file)) {
    std::istringstream words(line);
    std::string verb, name, layer;
    words >> verb >> name >> layer;
    if (verb == "model")
      at = name + " " + layer;
    else if (verb == "as")  // the numbers of a model above
      records[at] = records.at(name + " " + layer);
    else if (!at.empty() && verb != "absent")
      records[at].push_back(line);
  }
  CHECK(records.size() > 70);
  for (const auto& [words, lines] : records) {
    const std::string whose = words;
    INFO(file << ": " << whose);
    const std::size_t blank = whose.find(' ');
    hold_model(model(whose.substr(0, blank), whose.substr(blank + 1), 131072), lines, dialect);
  }
}

}  // namespace

TEST_SUITE_BEGIN("dialects");

TEST_CASE("hf has the frequencies of transformers bit for bit, and its values within one ulp") {
  hold_to("rope.txt", "hf");
  hold_to("rope-avx2.txt", "hf-avx2");
}

TEST_CASE(
    "the model of PyTorch's power is exact on bases in use, and off by two ulp at most on random "
    "ones") {
  for (const char* file : {"powers.txt", "powers-avx2.txt"})
    for (const std::string& line : lines_of(file)) {
      std::istringstream words(line);
      std::string verb, name;
      std::int64_t worst;
      words >> verb >> name >> worst;
      if (verb == "differs") CHECK(worst <= (name == "inv_freq-in-use" ? 0 : 2));
    }
  // where SLEEF's power is not the correctly rounded one, so that vectors show: base 150 000, pairs
  // 3 and 5 of 16
  const auto effect = made("rope", {{"dim", "32"}, {"base", "150000"}});
  const auto wide = field(effect, {0, 1, 1, 0}, "inv_freq", "hf"),
             narrow = field(effect, {0, 1, 1, 0}, "inv_freq", "hf-avx2");
  for (std::size_t j = 0; j < 16; ++j) CHECK((wide[j] == narrow[j]) == (j != 3 && j != 5));
}

TEST_CASE("T5's buckets are those of transformers at every offset") {
  pe::Buckets buckets;
  for (const std::string& line : lines_of("t5.txt")) {
    std::istringstream words(line);
    std::string verb, way;
    words >> verb;
    INFO(line.substr(0, 60));
    if (verb == "buckets") {
      Index count;
      std::int64_t distance;
      words >> count >> distance >> way;
      buckets = pe::t5_buckets(count, distance, way == "bidirectional");
    } else if (verb == "runs") {
      std::vector<std::pair<std::int64_t, Index>> runs;
      for (std::string run; words >> run;)
        runs.emplace_back(std::stoll(run), std::stoll(run.substr(run.find(':') + 1)));
      runs.emplace_back(131072, -1);
      for (std::size_t i = 0; i + 1 < runs.size(); ++i)
        for (std::int64_t offset = runs[i].first; offset < runs[i + 1].first; ++offset)
          if (buckets.of(0, offset) != runs[i].second)
            FAIL_CHECK("offset " << offset << ": " << buckets.of(0, offset) << ", theirs "
                                 << runs[i].second);
    }
  }
}

TEST_CASE("ALiBi's slopes are Bloom's bit for bit") {
  for (const std::string& line : lines_of("alibi.txt")) {
    std::istringstream words(line);
    std::string verb, heads;
    words >> verb;
    if (verb != "slopes") continue;
    words >> heads;
    INFO(heads << " heads");
    CHECK(floats(words) == field(made("alibi", {{"heads", heads}}), {0, 1, 2, 0}, "slope", "hf"));
  }
}

TEST_CASE("every dialect stays within the error that its arithmetic allows") {
  // |Δ| ≤ K·2^-24·(1 + p·θ). A power costs 4 roundings; an exponential takes 2·ln(base) + 4, for
  // its argument is rounded twice at ln(base); a product from pair to pair, or a power of a rounded
  // power, takes one for each pair and those of the first.
  const auto effect = made("rope", {{"dim", "128"}});
  const auto& rotation = std::get<pe::Rotation>(effect);
  for (const pe::Dialect& dialect : pe::all_dialects()) {
    if (!dialect.steps) continue;
    INFO(dialect.name);
    const pe::Steps steps = dialect.steps(rotation);
    const bool drifts = dialect.name == "ggml" || dialect.name == "ggml-cuda",
               exponentiates = dialect.name.starts_with("mlx") || dialect.name == "flashinfer";
    std::vector<float> angles(64);
    for (const double p : {1.0, 511.0, 4095.0, 131071.0}) {
      steps.angles(p, angles.data());
      for (std::size_t j = 0; j < 64; ++j) {
        const double angle = p * pe::to_double(rotation.waves->frequencies()[j]);
        CHECK(std::fabs(static_cast<double>(angles[j]) - angle) <= (drifts ? 70
                                                                    : exponentiates
                                                                        ? 2 * std::log(1e4) + 4
                                                                        : 4) *
                                                                       0x1p-24 * (1 + angle));
      }
    }
  }
}

TEST_CASE("each dialect keeps its own arrays") {
  const auto effect = made("rope", {{"dim", "8"}});
  const auto shape = [&](const std::string& dialect) {
    const auto fields =
        pe::spell(effect, pe::span_of_length(3), pe::DType::f32, {}, pe::find_dialect(dialect));
    return fmt::format("{} {} {}", fields.size(), fields.front().name,
                       fmt::join(fields.front().shape(), "x"));
  };
  CHECK(shape("exact") == "2 cos 3x4");
  CHECK(shape("hf") == "2 cos 3x8");
  CHECK(shape("meta") == "1 freqs_cis 3x4x2");
  CHECK(shape("ggml") == "1 cache 3x4x2");
  CHECK(shape("vllm") == "1 cos_sin_cache 3x8");
  CHECK(shape("transformer-engine") == "1 freqs 3x1x1x8");
  CHECK(shape("onnxruntime") == "2 cos_cache 3x4");
  CHECK(shape("gpt-j") == "1 embed_positions 3x8");
  const auto vllm = field(effect, {0, 1, 2, 0}, "cos_sin_cache", "vllm"),
             gptj = field(effect, {0, 1, 2, 0}, "embed_positions", "gpt-j");
  CHECK(vllm[0] == 1.0f);
  CHECK(vllm[4] == 0.0f);
  CHECK(gptj[0] == 0.0f);
  CHECK(gptj[4] == 1.0f);
  CHECK(vllm[8] == gptj[12]);
}

TEST_CASE("a dialect's bytes do not depend on how lines are split") {
  const auto effect = made("rope", {{"dim", "12"}});
  for (const pe::Dialect& dialect : pe::all_dialects()) {
    if (!dialect.steps) continue;
    const pe::Field turns =
        pe::spell(effect, pe::span_of_length(7), pe::DType::bf16, {}, dialect).front();
    const pe::Array whole = pe::collect(turns, 1);
    std::vector<std::byte> bytes(static_cast<std::size_t>(turns.lines()) * turns.line_bytes());
    for (Index line = 0; line < turns.lines(); ++line)
      turns.fill(line, 1, bytes.data() + static_cast<std::size_t>(line) * turns.line_bytes());
    INFO(dialect.name);
    CHECK(std::equal(bytes.begin(), bytes.end(), whole.data()));
  }
}

TEST_CASE("a name that no dialect has is refused with the nearest") {
  CHECK_THROWS_WITH_AS(pe::find_dialect("vlm"), "unknown dialect 'vlm': did you mean vllm?",
                       pe::UsageError);
  CHECK_THROWS_WITH_AS(pe::spell(made("kerple", {}), pe::span_of_length(4), pe::DType::f32, {},
                                 pe::find_dialect("vllm")),
                       "dialect vllm has no rule for this encoding: it speaks of rope",
                       pe::UsageError);
}

TEST_SUITE_END();
