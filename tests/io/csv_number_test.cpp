// Decimals of csv beside std::from_chars.
#include "pe/io/csv_number.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>

namespace {

// True when it was taken, and then to the same bits.
bool is_taken(const std::string& word, const std::string& behind) {
  const std::string text = word + behind;
  double value = 0, right = 0;
  CAPTURE(text);
  const char* const end = pe::io::take_short_decimal(text.data(), text.data() + text.size(), value);
  if (!end) return false;
  const auto [right_end, error] = std::from_chars(word.data(), word.data() + word.size(), right);
  REQUIRE(error == std::errc());
  REQUIRE(right_end == word.data() + word.size());
  REQUIRE(end == text.data() + word.size());
  REQUIRE(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(right));
  return true;
}

}  // namespace

TEST_SUITE("io") {
  TEST_CASE("short decimals of csv are read as std::from_chars reads them") {
    std::mt19937_64 random(3);
    int taken = 0;
    constexpr int words = 300000;
    for (int i = 0; i < words; ++i) {
      std::string word = std::to_string(random() >> (random() & 63));
      const std::size_t dot = random() % (word.size() + 4);
      if (dot < word.size()) word.insert(dot, ".");
      if (dot == word.size()) word.insert(0, "0.0000");
      if (random() % 4 == 0) word.insert(0, "-");
      if (random() % 4 == 0)
        word += (random() % 2 ? "e-" : "e+") + std::to_string(random() % 30 + 100).substr(1);
      for (const char* behind : {"", ",0.12345678", ",\n"}) taken += is_taken(word, behind);
    }
    CHECK(taken > words);
    // Doubles as they are written, and decimals beside the middle between two.
    taken = 0;
    for (int i = 0; i < words; ++i) {
      const double value =
          std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 80));
      char text[64];
      taken += is_taken({text, std::to_chars(text, text + sizeof text, value).ptr}, ",");
      const std::uint64_t middle = (random() >> 10) | 1;  // of 54 bits
      taken += is_taken(std::to_string(middle), "") + is_taken(std::to_string(middle) + "00", "");
      taken += is_taken(std::to_string(middle + 1) + "." + std::to_string(i % 10), "");
    }
    CHECK(taken > 3 * words);
    for (const char* word :
         {"0", "-0", "1", "5.", ".5", "-0.5", "12345678", "0.12345678", "9007199254740992",
          "1.7320508e-05", "123456789012345.6", "00000000000000000.5", "1e+22", "1e-22"})
      CHECK(is_taken(word, ""));
  }

  TEST_CASE("what is no short decimal of csv is left to others") {
    for (const char* word : {"",
                             "-",
                             ".",
                             "-.",
                             "+1",
                             " 1",
                             "1 ",
                             "1\r",
                             "nan",
                             "inf",
                             "-inf",
                             "0x10",
                             "1e5",
                             "1e",
                             "1e-",
                             "1e-1x",
                             "1e+28",
                             "1e-28",
                             "1..2",
                             "1.2.3",
                             "--1",
                             "\"1\"",
                             "1;2",
                             "1/2",
                             "1:2",
                             "9007199254740993",
                             "0.12345678901234567890",
                             "00000000000000000000",
                             "12345678901234567890123",
                             "1234567:",
                             "1234567/8",
                             "0.1234567\xb9"})
      CHECK_FALSE(is_taken(word, ""));
  }
}
