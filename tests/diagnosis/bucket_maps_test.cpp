// Weights behind another map of buckets.
#include <doctest/doctest.h>

#include "pe/diagnosis/buckets/maps.hpp"

using namespace pe;

TEST_SUITE("diagnosis scores") {
  TEST_CASE("weights are read of positions that exist alone") {
    constexpr Index rows = 6;
    Buckets buckets = t5_buckets(32, 128, true);
    buckets.positions = rows;
    Index asked = 0, beyond = 0;
    Bias bias;
    bias.heads = 2;
    bias.rows = rows;
    bias.buckets = buckets;
    bias.fill = [&](Index, std::int64_t query, const PositionRange& keys, DType, std::byte* out) {
      REQUIRE(keys.count == 1);
      ++asked;
      for (const std::int64_t p : {query, keys.at(0)}) beyond += p < 0 || p >= rows;
      *reinterpret_cast<double*>(out) = static_cast<double>(buckets.of(query, keys.at(0)));
    };
    const Bias other = with_buckets(bias, t5_buckets(32, 64, true), 100,
                                    [](Index, Index, std::int64_t, std::int64_t) { return -1.0; });
    CHECK(asked == 2 * (2 * rows - 1));  // each head's offsets −5 … 5
    CHECK(beyond == 0);
    double value = 0;
    other.fill(0, 2, {5, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(&value));
    CHECK(value == static_cast<double>(buckets.of(2, 5)));
    other.fill(0, 5, {2, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(&value));
    CHECK(value == static_cast<double>(buckets.of(5, 2)));
  }
}
