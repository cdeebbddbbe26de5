// MLX: what its own kernels turned vectors by, against the dialect mlx-cpu, bit for bit.
#include "pe/dialects/mlx.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "pe/dialects/dialect.hpp"
#include "pe/encodings/encoding.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"

namespace {

using pe::Index;

constexpr Index places[] = {0, 1, 2, 777, 8191, 40000, 100003, 131071};

// FNV-1a, 64 bits, of the float32 numbers' little-endian bytes.
std::string hash_of(const pe::Array& array) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (Index i = 0; i < array.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(array.at(i)));
    for (int byte = 0; byte < 4; ++byte)
      value = (value ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001B3;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

pe::Effect made(const pe::JsonNode& record, Index length) {
  pe::Given given;
  for (const pe::JsonMember& parameter : record.find("parameters")->members)
    given[parameter.name] = {parameter.value.text, "test"};
  const pe::Encoding& rope = pe::find_encoding("rope");
  return rope.make(pe::complete(pe::schema_of(rope), given, {}, pe::read_array), length);
}

pe::Array row(const pe::Effect& effect, Index place, const char* side) {
  const pe::PositionRange at{place, 1, 1, 0};
  return pe::collect(
      pe::spell(effect, pe::span_of(at), pe::DType::f32, {side}, pe::find_dialect("mlx-cpu"))
          .front(),
      1);
}

}  // namespace

// Another file of the recorder's stands in the place of the recorded one where PE_MLX_FILE names
// it.
TEST_CASE("mlx-cpu turns as MLX's processor kernels do, bit for bit") {
  const char* other = std::getenv("PE_MLX_FILE");
  std::ifstream file(other ? other : PE_SOURCE_DIR "/data/parity/mlx.txt");
  std::map<std::string, int> count;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const pe::JsonNode record = pe::parse_json(line, "mlx.txt");
    INFO(line.substr(0, 160));
    const pe::JsonNode* scaling = record.find("parameters")->find("scaling");
    ++count[scaling ? scaling->text : "plain"];
    for (std::size_t k = 0; k < std::size(places); ++k) {
      // a dynamic base grows with the sequence: the row is the last of its own
      const pe::Effect effect = made(record, places[k] + 1);
      INFO("position " << places[k]);
      for (const char* side : {"cos", "sin"})
        CHECK(hash_of(row(effect, places[k], side)) == record.find(side)->items[k].text);
    }
  }
  CHECK(count.size() == 7);
  for (const auto& [scaling, lines] : count) CHECK(lines >= 9);
}

TEST_CASE("MLX's exponential and sine err no more than their polynomials") {
  // Against the C library in double. The exponent x·log2 e is off by |x|·|1.442695 − log2 e| =
  // 4.1e-8·|x|, and by a rounding of a number below 24: 2^-20 at most, half of it 9.5e-7; ln 2 of
  // both, and 2^-22 for the polynomial.
  for (int i = 0; i <= 1600; ++i) {
    const float x = -static_cast<float>(i) / 100;
    const double exact = std::exp(static_cast<double>(x)),
                 bound = std::log(2.0) * (4.1e-8 * std::fabs(x) + 0x1p-20) + 0x1p-22;
    CHECK(std::fabs(static_cast<double>(pe::mlx_expf(x)) / exact - 1) <= bound);
  }
  for (int i = 0; i < 20000; ++i) {
    const float angle = static_cast<float>(i) * 52.4288f;
    float c = 0, s = 0, back_c = 0, back_s = 0;
    pe::mlx_sincosf(angle, c, s);
    pe::mlx_sincosf(-angle, back_c, back_s);
    CHECK(std::fabs(static_cast<double>(c) - std::cos(static_cast<double>(angle))) <= 1.2e-7);
    CHECK(std::fabs(static_cast<double>(s) - std::sin(static_cast<double>(angle))) <= 1.2e-7);
    CHECK(back_c == c);
    CHECK(back_s == (angle > 0 ? -s : s));
  }
}
