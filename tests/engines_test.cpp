// Engines: the caches of their own code, run from its source, against the dialects named after
// them.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "pe/dialects/dialect.hpp"
#include "pe/dialects/spell.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

// Where a line names none.
constexpr Index usual_places[] = {1, 777, 8191, 40000};

std::vector<Index> places_of(const pe::JsonNode& record) {
  const pe::JsonNode* named = record.find("places");
  if (!named) return {std::begin(usual_places), std::end(usual_places)};
  std::vector<Index> places;
  for (const pe::JsonNode& place : named->items) places.push_back(std::stoll(place.text));
  return places;
}

// Angles are products alone, the same on every machine. cos and sin: PyTorch's are within 1 ulp, an
// attention factor is a rounding more, and so is xPos' scale; Keras makes that factor itself,
// 0.1·ln s + 1 in three float32 steps.
std::int64_t bound_of(const std::string& dialect, const pe::JsonNode& record) {
  if (dialect == "transformer-engine" || dialect == "x-transformers" || dialect == "mae") return 0;
  if (record.find("encoding")) return 2;
  const pe::JsonNode* scaling = record.find("parameters")->find("scaling");
  if (!scaling || (scaling->text != "yarn" && scaling->text != "longrope")) return 1;
  return dialect == "keras-hub" ? 4 : 2;
}

// A float32's place among all of them, so that neighbours differ by one.
std::int64_t order(std::uint32_t bits) {
  return bits >> 31 ? -static_cast<std::int64_t>(bits & 0x7FFFFFFF) : bits;
}

std::int64_t apart(double ours, const std::string& theirs) {
  return std::abs(order(std::bit_cast<std::uint32_t>(static_cast<float>(ours))) -
                  order(static_cast<std::uint32_t>(std::stoul(theirs, nullptr, 16))));
}

// Of frequencies that are exponentials in float32: PyTorch's and TensorFlow's are off by a number
// in some pairs, 2^-23 of it, and both products are rounded. The distance beyond what that does to
// an angle, in units of 2^-24.
std::int64_t worst_of_sines(const pe::Effect& effect, const std::string& dialect,
                            const pe::Array& ours, Index place, const pe::JsonNode& row) {
  const pe::Array frequencies =
      pe::collect(pe::spell(effect, pe::span_of({place, 1, 1, 0}), pe::DType::f64, {"inv_freq"},
                            pe::find_dialect(dialect))
                      .front(),
                  1);
  double most = 0;
  for (Index i = 0; i < ours.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(
        std::stoul(row.items[static_cast<std::size_t>(i)].text, nullptr, 16));
    const double angle = static_cast<double>(place) * frequencies.at(i % frequencies.size()),
                 off = std::fabs(ours.at(i) - static_cast<double>(std::bit_cast<float>(bits)));
    most = std::max(most, std::ceil((off - angle * 0x1p-22) * 0x1p24));
  }
  return static_cast<std::int64_t>(most);
}

// The largest distance of a row of our field from theirs, in float32 numbers.
std::int64_t worst(const pe::Effect& effect, const std::string& dialect, const std::string& field,
                   Index place, const pe::JsonNode& row) {
  const pe::PositionRange at{place, 1, 1, 0};
  const pe::Array ours = pe::collect(
      pe::spell(effect, pe::span_of(at), pe::DType::f32, {field}, pe::find_dialect(dialect))
          .front(),
      1);
  REQUIRE(ours.size() == std::ssize(row.items));
  if (pe::find_dialect(dialect).exponential)
    return worst_of_sines(effect, dialect, ours, place, row);
  std::int64_t most = 0;
  for (Index i = 0; i < ours.size(); ++i)
    most = std::max(most, apart(ours.at(i), row.items[static_cast<std::size_t>(i)].text));
  return most;
}

}  // namespace

TEST_CASE("a dialect's cache is its engine's own, to a float32 number or two") {
  std::ifstream file(PE_SOURCE_DIR "/data/parity/engines.txt");
  std::map<std::string, std::int64_t> most;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const pe::JsonNode record = pe::parse_json(line, "engines.txt");
    const std::string dialect = record.find("dialect")->text;
    pe::Given given;
    for (const pe::JsonMember& parameter : record.find("parameters")->members)
      given[parameter.name] = {parameter.value.text, "test"};
    const pe::JsonNode *named = record.find("encoding"), *length = record.find("length");
    const pe::Encoding& encoding = pe::find_encoding(named ? named->text : "rope");
    const pe::Effect effect =
        encoding.make(pe::complete(pe::schema_of(encoding), given, {}, pe::read_array),
                      length ? std::stoll(length->text) : 1);
    const std::vector<Index> places = places_of(record);
    const std::int64_t bound = bound_of(dialect, record);
    INFO(line.substr(0, 200));
    for (const pe::JsonMember& field : record.find("fields")->members)
      for (std::size_t row = 0; row < places.size(); ++row) {
        const std::int64_t distance =
            worst(effect, dialect, field.name, places[row], field.value.items[row]);
        most[dialect] = std::max(most[dialect], distance);
        CHECK(distance <= bound);
      }
  }
  for (const auto& [dialect, distance] : most) MESSAGE(dialect << ": at most " << distance);
  CHECK(most.size() == 15);
}
