// Numbers that several at a time are written of, by every instruction set, beside one after
// another.
#include "pe/io/shortest.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using pe::DType;
using pe::Index;

// `expected` has the text of each of `elements`.
template <typename T, typename Text>
void check_text(const std::vector<T>& elements, DType dtype, const Text& expected) {
  std::string right;
  for (const T element : elements) right += ';' + expected(element);
  for (const pe::Isa isa : pe::all_isas) {
    if (!pe::runs_here(isa)) continue;
    CAPTURE(static_cast<int>(isa));
    const std::string guard(pe::io::longest_number, '#');
    std::string text(elements.size() * (pe::io::longest_number + 1), '#');
    char* const end =
        pe::io::put_numbers(text.data(), reinterpret_cast<const std::byte*>(elements.data()),
                            static_cast<Index>(elements.size()), dtype, ';', isa);
    const auto length = static_cast<std::size_t>(end - text.data());
    REQUIRE(text.substr(0, length) == right);
    const std::size_t touched = text.find_last_not_of('#') + 1;
    REQUIRE(touched <= length + pe::io::longest_number);
  }
}

std::string f32_text(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return "nan";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string f64_text(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  if (std::isnan(value)) return "nan";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <char* put(char*, std::uint16_t)>
std::string short_text(std::uint16_t bits) {
  char text[pe::io::longest_number];
  return {text, put(text, bits)};
}

}  // namespace

TEST_SUITE("io") {
  TEST_CASE("numbers written together are those of std::to_chars") {
    std::mt19937 random(11);
    std::vector<std::uint32_t> some;
    for (std::uint32_t exponent = 0; exponent < 512; ++exponent)  // signs too
      for (std::uint32_t i = 0; i < 200; ++i) {
        some.push_back(exponent << 23 | i);
        some.push_back(exponent << 23 | (0x7fffff - i));
      }
    check_text(some, DType::f32, f32_text);
    for (std::uint32_t& bits : some) bits = static_cast<std::uint32_t>(random());
    check_text(some, DType::f32, f32_text);
    // Usual numbers beside others: with few digits, whole, none, far, and of a wave.
    for (std::uint32_t& bits : some) {
      const auto draw = static_cast<std::int32_t>(random());
      const float wave = std::sin(static_cast<float>(draw)), few = std::round(wave * 1000);
      const float kinds[] = {wave,         few,  few / 100,     wave * std::ldexp(1.0F, draw % 40),
                             few * 100000, 0.0F, few / 1000000, std::ldexp(1.0F, draw % 28)};
      bits = std::bit_cast<std::uint32_t>(draw % 97 ? kinds[random() % 8]
                                                    : -std::numeric_limits<float>::infinity());
    }
    check_text(some, DType::f32, f32_text);
  }

  TEST_CASE("any count of numbers at any place is written") {
    for (std::size_t count = 0; count < 40; ++count)
      for (std::uint32_t first = 0; first < 3; ++first) {
        std::vector<std::uint32_t> some;
        for (std::uint32_t i = 0; i < count; ++i)
          some.push_back(std::bit_cast<std::uint32_t>(std::cos(static_cast<float>(first + i))));
        check_text(some, DType::f32, f32_text);
        std::vector<std::uint64_t> doubles;
        for (std::uint32_t i = 0; i < count; ++i)
          doubles.push_back(
              std::bit_cast<std::uint64_t>(std::cos(static_cast<double>(first + i * i))));
        check_text(doubles, DType::f64, f64_text);
      }
    std::vector<float> one_further(18, 0.25F);
    char text[512];
    const char* const end = pe::io::put_numbers(
        text, reinterpret_cast<const std::byte*>(one_further.data() + 1), 17, DType::f32, ',');
    CHECK(end - text == 17 * 5);
  }

  TEST_CASE("f64 text is that of std::to_chars") {
    std::vector<std::uint64_t> some;
    for (std::uint64_t exponent = 0; exponent < 4096; ++exponent)  // signs too
      for (std::uint64_t i = 0; i < 50; ++i) {
        some.push_back(exponent << 52 | i);
        some.push_back(exponent << 52 | (0xfffffffffffff - i));
        some.push_back(exponent << 52 | std::uint64_t{1} << i);
      }
    check_text(some, DType::f64, f64_text);
    std::mt19937_64 random(13);
    for (std::uint64_t& bits : some) {
      const auto draw = static_cast<std::int64_t>(random());
      const double wave = std::sin(static_cast<double>(draw));
      const double kinds[] = {wave,
                              std::round(wave * 1000),
                              std::round(wave * 1e6) / 1e6,
                              wave * std::ldexp(1.0, static_cast<int>(draw % 250)),
                              static_cast<float>(wave),
                              std::nextafter(std::round(wave * 1e9) / 1e9, wave),
                              std::nextafter(std::round(wave * 1e15) / 1e15, 0),
                              wave * std::ldexp(1.0, static_cast<int>(draw % 50) - 25),
                              std::ldexp(1.0, static_cast<int>(draw % 30)),
                              wave * 0,
                              static_cast<double>(draw >> (draw & 63))};
      bits = std::bit_cast<std::uint64_t>(kinds[random() % std::size(kinds)]);
    }
    check_text(some, DType::f64, f64_text);
  }

  TEST_CASE("all f16 and bf16 numbers written together are those written alone") {
    std::vector<std::uint16_t> all(0x10000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    check_text(all, DType::f16, short_text<pe::io::put_f16>);
    check_text(all, DType::bf16, short_text<pe::io::put_bf16>);
  }
}
