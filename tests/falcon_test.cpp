// Falcon: its attention by its own class, where the scale multiplies ALiBi's bias, too.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "pe/apply/scores.hpp"
#include "pe/configs/config_file.hpp"
#include "pe/configs/reading.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

constexpr Index heads = 4, length = 6, channels = 8;

pe::JsonNode record() {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/falcon.txt");
  std::string comment, line;
  std::getline(file, comment);
  std::getline(file, line);
  return pe::parse_json(line, "falcon.txt");
}

// [head][row][column] as one run of numbers.
std::vector<double> numbers(const pe::JsonNode& node) {
  if (node.type != pe::JsonNode::Type::list) return {std::stod(node.text)};
  std::vector<double> all;
  for (const pe::JsonNode& item : node.items)
    for (const double number : numbers(item)) all.push_back(number);
  return all;
}

std::shared_ptr<const pe::Content> content(const std::string& name, const pe::JsonNode& node) {
  const std::vector<double> values = numbers(node);
  return std::make_shared<const pe::Content>(
      pe::Content{name, "hsd", 1, heads, length, channels, {values.begin(), values.end()}});
}

}  // namespace

TEST_CASE("Falcon's config says that the scale multiplies the bias, as its own attention does") {
  const pe::Reading reading = pe::read_model(
      pe::parse_config(R"({"model_type":"falcon","alibi":true,"num_attention_heads":4})", ""),
      nullptr, "");
  CHECK(reading.given.find("added")->second.text == "before");
  const pe::Effect effect = reading.encoding->make(
      pe::complete(pe::schema_of(*reading.encoding), {}, reading.given, pe::read_array), length);
  const pe::JsonNode truth = record();
  const auto q = content("q", *truth.find("q")), k = content("k", *truth.find("k"));
  pe::Attention attention{.queries = pe::first_positions(length),
                          .keys = pe::first_positions(length),
                          .scale = pe::usual_scale(effect, channels, pe::Combine::add),
                          .causal = true};
  const std::vector<double> theirs = numbers(*truth.find("attention"));
  const auto worst = [&] {
    const pe::Scores scores(effect, q, k, attention);
    std::vector<Index> rows(length);
    for (Index i = 0; i < length; ++i) rows[static_cast<std::size_t>(i)] = i;
    std::vector<double> ours(length * length);
    double most = 0;
    for (Index h = 0; h < heads; ++h) {
      scores.attention(0, h, rows, ours.data());
      for (Index i = 0; i < length * length; ++i)
        most = std::max(most, std::fabs(ours[static_cast<std::size_t>(i)] -
                                        theirs[static_cast<std::size_t>(h * length * length + i)]));
    }
    return most;
  };
  // A logit of float32: channels products and sums, the bias and the scale, each off by 2^-24 of no
  // more than Σ|q·k|·scale + bias < 32; a weight p ≤ 1 changes by 2p(1 − p) ≤ 1/2 of the worst
  // logit's error on either side, and softmax's own exponential, sum and quotient by 8 · 2^-24.
  const double bound = (channels + 2) * 32 * 0x1p-24 + 8 * 0x1p-24;
  attention.bias_scaled = true;
  CHECK(worst() < bound);
  attention.bias_scaled = false;
  CHECK(worst() > 100 * bound);
}
