// Grids: the tables of image and video codebases, run from their sources, against the conventions
// named after them.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "pe/dialects/dialect.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

// Their coordinates are below 40, and so are their float32 angles, off by some roundings each.
constexpr double most_apart = 4 * 40 * 0x1p-24;

pe::Effect effect_of(const pe::JsonNode& record) {
  pe::Given given;
  for (const pe::JsonMember& parameter : record.find("parameters")->members)
    given[parameter.name] = {parameter.value.text, "test"};
  const pe::Encoding& encoding = pe::find_encoding(record.find("encoding")->text);
  return pe::among_tokens(
      encoding.make(pe::complete(pe::schema_of(encoding), given, {}, pe::read_array), 1));
}

float number(const std::string& row, Index at) {
  const std::string digits = row.substr(static_cast<std::size_t>(8 * at), 8);
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16)));
}

double worst(const pe::Effect& effect, const pe::JsonMember& field) {
  const Index rows = std::ssize(field.value.items);
  const pe::Array ours = pe::collect(pe::spell(effect, pe::span_of_length(rows), pe::DType::f64,
                                               {field.name}, pe::find_dialect("exact"))
                                         .front(),
                                     1);
  REQUIRE(ours.size() % rows == 0);
  const Index width = ours.size() / rows;
  double most = 0;
  for (Index row = 0; row < rows; ++row) {
    const std::string& theirs = field.value.items[static_cast<std::size_t>(row)].text;
    REQUIRE(std::ssize(theirs) == 8 * width);
    for (Index i = 0; i < width; ++i)
      most = std::max(most, std::fabs(ours.at(row * width + i) - number(theirs, i)));
  }
  return most;
}

}  // namespace

TEST_CASE("a convention's grid is its codebase's own") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/grids.txt");
  std::map<std::string, int> tables;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const pe::JsonNode record = pe::parse_json(line, "grids.txt");
    INFO(line.substr(0, 200));
    const pe::Effect effect = effect_of(record);
    for (const pe::JsonMember& field : record.find("fields")->members)
      CHECK(worst(effect, field) <= most_apart);
    ++tables[record.find("program")->text];
  }
  CHECK(tables ==
        std::map<std::string, int>{
            {"detr", 24}, {"diffusers", 20}, {"keras-hub", 2}, {"timm", 12}, {"transformers", 28}});
}
