// base: rounding, decimals, shapes.
#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "pe/base/decimal.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/whole.hpp"

TEST_SUITE_BEGIN("base");

TEST_CASE("every f16 pattern survives widening and rounding back") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = pe::from_f16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    REQUIRE(pe::to_f16(value) == bits);
  }
}

TEST_CASE("every bf16 pattern survives widening and rounding back") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = pe::from_bf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    REQUIRE(pe::to_bf16(value) == bits);
  }
}

TEST_CASE("halves round to even, and a hair beyond a half rounds away") {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const double low = pe::from_f16(static_cast<std::uint16_t>(bits)),
                 high = bits + 1 < 0x7c00 ? pe::from_f16(static_cast<std::uint16_t>(bits + 1))
                                          : 65536.0,
                 middle = (low + high) / 2;
    REQUIRE(pe::to_f16(middle) == (bits % 2 ? bits + 1 : bits));
    REQUIRE(pe::to_f16(std::nextafter(middle, 1e9)) == bits + 1);
    REQUIRE(pe::to_f16(std::nextafter(middle, -1.0)) == bits);
  }
}

TEST_CASE("a number rounded once is the nearest of the type's own, at every one of its edges") {
  const auto inverse = [](pe::DType type, std::uint16_t bits) {
    return type == pe::DType::f16 ? pe::from_f16(bits) : pe::from_bf16(bits);
  };
  for (const pe::DType type : {pe::DType::f16, pe::DType::bf16})
    for (int bits = 0; bits < 0x7fff; ++bits) {
      const double low = inverse(type, static_cast<std::uint16_t>(bits)),
                   high = inverse(type, static_cast<std::uint16_t>(bits + 1));
      if (!std::isfinite(low)) break;
      CAPTURE(low);
      REQUIRE(pe::rounded_once(low, type) == low);
      REQUIRE(pe::rounded_once(-low, type) == -low);
      if (std::isnan(high)) continue;
      // Beyond the last number the halfway point is where the next one would be halved.
      const double half =
          std::isfinite(high)
              ? low + (high - low) / 2
              : low + (low - inverse(type, static_cast<std::uint16_t>(bits - 1))) / 2;
      REQUIRE(pe::rounded_once(half, type) == (bits & 1 ? high : low));
      REQUIRE(pe::rounded_once(std::nextafter(half, 0), type) == low);
      REQUIRE(pe::rounded_once(-std::nextafter(half, HUGE_VAL), type) == -high);
    }
}

TEST_CASE("decimal text is the value and nothing else is accepted") {
  CHECK(pe::Decimal("10000.5").value() == 10000.5);
  CHECK(pe::Decimal("0.1").real() * 10 == pe::Real(1));
  CHECK(pe::Decimal("1e6").integer() == 1000000);
  for (const char* bad :
       {"", "nan", "inf", "0x10", "1e", "1.2.3", " 1", "1 ", "--1", "1e999999", "."})
    CHECK_THROWS_AS(pe::Decimal{bad}, pe::UsageError);
  CHECK_THROWS_AS(pe::Decimal("1.5").integer(), pe::UsageError);
}

TEST_CASE("a double becomes a whole number of the type or none, at the very ends") {
  using pe::saturated;
  using pe::whole;
  CHECK(whole<std::int64_t>(0x1p63) == std::nullopt);
  CHECK(whole<std::int64_t>(0x1.fffffffffffffp62) == 0x7ffffffffffffc00);
  CHECK(whole<std::int64_t>(-0x1p63) == INT64_MIN);
  CHECK(whole<std::int64_t>(-0x1.0000000000001p63) == std::nullopt);
  CHECK(whole<std::uint64_t>(0x1p64) == std::nullopt);
  CHECK(whole<std::uint64_t>(0x1p63) == std::uint64_t{1} << 63);
  CHECK(whole<std::uint64_t>(-0.5) == 0);
  CHECK(whole<std::uint64_t>(-1) == std::nullopt);
  CHECK(whole<int>(2147483647.9) == INT_MAX);
  CHECK(whole<int>(2147483648.0) == std::nullopt);
  CHECK(whole<int>(-2147483648.9) == INT_MIN);
  CHECK(whole<int>(-2147483649.0) == std::nullopt);
  for (const double none : {double{NAN}, HUGE_VAL, -HUGE_VAL, 1e308, -1e308})
    CHECK(whole<std::int64_t>(none) == std::nullopt);
  CHECK(saturated<std::int64_t>(1e308) == INT64_MAX);
  CHECK(saturated<std::int64_t>(-HUGE_VAL) == INT64_MIN);
  CHECK(saturated<int>(NAN) == 0);
  CHECK(saturated<int>(-7.9) == -7);
}

TEST_CASE("whole numbers that a file's type has no room for are its ends") {
  for (const double value : {1e308, HUGE_VAL, 0x1p63}) {
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    pe::narrow({&value, 1}, pe::DType::i64, reinterpret_cast<std::byte*>(&wide));
    pe::narrow({&value, 1}, pe::DType::i32, reinterpret_cast<std::byte*>(&narrow));
    CHECK(wide == INT64_MAX);
    CHECK(narrow == INT32_MAX);
  }
}

TEST_CASE("what is kept has a name") {
  struct Keeper {
    explicit Keeper(pe::Kept<std::string>) {}
  };
  static_assert(std::is_constructible_v<Keeper, std::string&>);
  static_assert(std::is_constructible_v<Keeper, const std::string&>);
  static_assert(!std::is_constructible_v<Keeper, std::string>);
  static_assert(!std::is_constructible_v<Keeper, const std::string&&>);
}

TEST_SUITE_END();
