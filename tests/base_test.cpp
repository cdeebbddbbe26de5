// base: rounding, decimals, shapes.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "pe/base/decimal.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"

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

TEST_CASE("decimal text is the value and nothing else is accepted") {
  CHECK(pe::Decimal("10000.5").value() == 10000.5);
  CHECK(pe::Decimal("0.1").real() * 10 == pe::Real(1));
  CHECK(pe::Decimal("1e6").integer() == 1000000);
  for (const char* bad :
       {"", "nan", "inf", "0x10", "1e", "1.2.3", " 1", "1 ", "--1", "1e999999", "."})
    CHECK_THROWS_AS(pe::Decimal{bad}, pe::UsageError);
  CHECK_THROWS_AS(pe::Decimal("1.5").integer(), pe::UsageError);
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
