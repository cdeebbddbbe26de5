// Views of arrays read in parts: every part has the numbers of the whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "pe/base/stored.hpp"

namespace {

using namespace pe;

// Element i is i, made when it is read: no array of that size is held. Counts the reads.
Stored counted(std::vector<Index> shape, Index& reads) {
  return {.name = "x",
          .shown = "x",
          .dtype = DType::i32,
          .shape = std::move(shape),
          .fill = [&reads](Index first, Index count, std::byte* out) {
            ++reads;
            for (Index i = 0; i < count; ++i) {
              const auto value = static_cast<std::int32_t>(first + i);
              std::memcpy(out + i * Index{sizeof value}, &value, sizeof value);
            }
          }};
}

// Where the element of the view lies in the array, by dividing its number by each extent in turn.
Index place_of(const std::vector<Index>& shape, std::size_t axis, Index element) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  std::vector<Index> at(shape.size());
  for (std::size_t i = order.size(); i-- > 0; element /= shape[order[i]])
    at[order[i]] = element % shape[order[i]];
  Index place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) place = place * shape[i] + at[i];
  return place;
}

}  // namespace

TEST_SUITE_BEGIN("stored");

TEST_CASE("an axis behind all others is read in any part: small arrays, short columns, long ones") {
  std::mt19937_64 random(11);
  for (const std::vector<Index>& shape : {std::vector<Index>{5, 7},
                                          {3, 4, 5},
                                          {2, 3, 4, 5},
                                          {20000, 32, 2},
                                          {2, 1000, 700},
                                          {3, 500, 40, 30},
                                          {700, 2000},
                                          {2000, 700}})
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      Index reads = 0;
      const Stored view = moved_last(counted(shape, reads), axis);
      REQUIRE(view.shape.back() == shape[axis]);
      for (int part = 0; part < 12; ++part) {
        const Index most = std::min<Index>(view.size(), part < 6 ? 3 : 3000),
                    count = std::uniform_int_distribution<Index>(1, most)(random),
                    first = part == 0 ? view.size() - count
                                      : std::uniform_int_distribution<Index>(
                                            0, view.size() - count)(random);
        std::vector<double> values(static_cast<std::size_t>(count));
        view.read(first, count, values.data());
        Index wrong = 0;
        for (Index i = 0; i < count; ++i)
          wrong += values[static_cast<std::size_t>(i)] !=
                   static_cast<double>(place_of(shape, axis, first + i));
        CHECK(wrong == 0);
      }
    }
}

TEST_CASE("rows across short columns take few reads") {
  for (const Index columns : {1000, 200000}) {
    Index reads = 0;
    const Stored view = moved_last(counted({columns, 16, 2}, reads), 0);
    std::vector<double> row(static_cast<std::size_t>(columns));
    for (Index j = 0; j < 32; ++j) view.read(j * columns, columns, row.data());
    CHECK(row.back() == static_cast<double>(columns * 32 - 1));
    CHECK(reads <= 32 * (1 + columns * 32 * 4 / (1 << 18)));
  }
}

TEST_SUITE_END();
