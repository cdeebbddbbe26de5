// Dumps of a table whose rows are known one by one: which copy, which order, which rows beyond.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "foreign_dumps.hpp"

namespace {

using namespace pe;
using foreign::expect, foreign::told;

constexpr Index rows = 12, width = 4;

// Row p holds numbers of its own.
double cell(Index row, Index channel) {
  return 0.25 * static_cast<double>(row * row + 7 * channel) - 3.5 * static_cast<double>(channel);
}

std::vector<double> table(const std::vector<Index>& order) {
  std::vector<double> values;
  for (const Index row : order)
    for (Index channel = 0; channel < width; ++channel) values.push_back(cell(row, channel));
  return values;
}

std::vector<Index> counted(Index count) {
  std::vector<Index> all;
  for (Index row = 0; row < count; ++row) all.push_back(row);
  return all;
}

Expectation meant(Index length = rows) {
  return expect("learned", {{"input", "w"}}, length,
                {{"w", foreign::array(DType::f32, {rows, width}, table(counted(rows)))}});
}

Diagnosis of(std::vector<Index> shape, const std::vector<double>& values, Index length = rows) {
  return diagnose(
      meant(length),
      {.arrays = {stored(foreign::array(DType::f32, std::move(shape), values), "pe", "pe.npy")},
       .before = {}});
}

}  // namespace

TEST_SUITE_BEGIN("diagnosis rows");

TEST_CASE("every copy of a batch is read") {
  std::vector<double> values;
  for (int copy = 0; copy < 3; ++copy)
    for (const double one : table(counted(rows))) values.push_back(one);
  CHECK(of({3, rows, width}, values).tier == Tier::exact);
  for (const std::size_t copy : {1u, 2u}) {
    std::vector<double> spoilt = values;
    spoilt[copy * rows * width + 5 * width + 2] += 0.5;
    const Diagnosis one = of({3, rows, width}, spoilt);
    CHECK(one.tier == Tier::wrong);
    CHECK(one.worst_cell.place == "position 5, channel 2");
  }
}

TEST_CASE("rows in another order are told block by block") {
  const Diagnosis one = of({rows, width}, table({4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11}));
  CHECK(told(one) == "wrong rows-permuted");
  CHECK(one.reasons[0].sentence ==
        "the rows are those meant in another order, 3 blocks: row 0 holds 4, row 4 holds 0, "
        "row 8 holds 8");
}

TEST_CASE(
    "rows beyond the table are not compared, and a table that ends in time has no such note") {
  CHECK(of({rows, width}, table(counted(rows))).notes.empty());
  std::vector<double> longer = table(counted(rows));
  for (int i = 0; i < 2 * width; ++i) longer.push_back(99);
  const Diagnosis one = of({rows + 2, width}, longer, rows + 2);
  REQUIRE(one.notes.size() == 1);
  CHECK(one.notes[0] == "2 rows lie beyond the 12 that the table has, and are not compared");
}

TEST_SUITE_END();
