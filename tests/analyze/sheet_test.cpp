// Sheets: digits that are certain, and several subjects side by side.
#include "pe/analyze/sheet.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pe/base/error.hpp"

namespace {

using pe::Sheet;

Sheet sheet(std::vector<pe::Axis> axes, std::vector<double> values) {
  Sheet made;
  made.axes = std::move(axes);
  made.columns = {{.name = "value", .description = "", .values = std::move(values)}};
  return made;
}

std::vector<double> values_of(const Sheet& one) {
  std::vector<double> values = one.columns.front().values;
  for (double& value : values) value = std::isnan(value) ? -1 : value;
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("analyze");

TEST_CASE("no digit is shown that the error leaves open") {
  CHECK(pe::rounded(1.23456789, {.absolute = 1e-4}) == 1.235);
  CHECK(pe::rounded(1.23456789, {.relative = 1e-4}) == 1.235);
  CHECK(pe::rounded(12345.678, {.absolute = 40}) == 12300);
  CHECK(pe::rounded(0.001, {.absolute = 0.1}) == 0);
  CHECK_FALSE(std::signbit(pe::rounded(-0.001, {.absolute = 0.1})));
  CHECK(pe::rounded(0.1 + 0.2, {}) == 0.1 + 0.2);
  CHECK(std::isnan(pe::rounded(NAN, {.absolute = 1})));
  for (double value = 1e-12; value < 1e12; value *= 3.7)
    for (double error = 1e-15; error < 1e3; error *= 7.3) {
      // The number meant is less than one unit of the last place away, wherever it lies.
      const double unit = std::pow(10, std::ceil(std::log10(2 * error)));
      CHECK(std::fabs(pe::rounded(value, {.absolute = error}) - value) <=
            unit / 2 * (1 + 1e-9) + value * 1e-15);
    }
}

TEST_CASE("as few digits are shown of the smallest and the largest numbers") {
  CHECK(pe::rounded(1.23456789e-305, {.relative = 1e-4}) == 1.235e-305);
  CHECK(pe::rounded(1.23456789e-305, {.absolute = 1e-308}) == 1.23e-305);
  CHECK(pe::rounded(4.5e-310, {.absolute = 4e-312}) == 4.5e-310);
  CHECK(pe::rounded(0x1p-1070, {.absolute = 0x1p-1060}) == 0);
  CHECK(pe::rounded(-1.23456789e305, {.relative = 1e-4}) == -1.235e305);
  CHECK(pe::rounded(0.6, {.absolute = 0.4}) == 1);
  CHECK(pe::rounded(-0.4, {.absolute = 0.4}) == 0);
  CHECK(pe::rounded(99.96, {.absolute = 0.04}) == 100);
}

TEST_CASE("subjects of other lengths stand in one table, with what is missing left open") {
  const Sheet all = pe::compared({{"a", sheet({pe::counted_axis("pair", 3, "")}, {1, 2, 3})},
                                  {"b", sheet({pe::counted_axis("pair", 2, "")}, {4, 5})}});
  CHECK(all.axes.front().labels == std::vector<std::string>{"a", "b"});
  CHECK(values_of(all) == std::vector<double>{1, 2, 3, 4, 5, -1});
}

TEST_CASE("coordinates of either subject are united in order") {
  const Sheet all = pe::compared({{"a", sheet({pe::placed_axis("length", {8, 2}, "")}, {80, 20})},
                                  {"b", sheet({pe::placed_axis("length", {4, 8}, "")}, {41, 81})}});
  CHECK(all.axes[1].places == std::vector<double>{2, 4, 8});
  CHECK(values_of(all) == std::vector<double>{20, -1, 80, -1, 41, 81});
  const Sheet named = pe::compared({{"a", sheet({pe::named_axis("law", {"x", "y"}, "")}, {1, 2})},
                                    {"b", sheet({pe::named_axis("law", {"z", "x"}, "")}, {3, 4})}});
  CHECK(named.axes[1].labels == std::vector<std::string>{"x", "y", "z"});
  CHECK(values_of(named) == std::vector<double>{1, 2, -1, 4, -1, 3});
}

TEST_CASE("words of several subjects share one list") {
  const auto of = [](const std::vector<std::string>& texts) {
    Sheet made;
    made.axes = {pe::counted_axis("i", 2, "")};
    made.columns = {pe::Column::of_words("word", "", texts)};
    return made;
  };
  const Sheet all = pe::compared({{"a", of({"x", "y"})}, {"b", of({"y", "z"})}});
  CHECK(all.columns.front().words == std::vector<std::string>{"x", "y", "z"});
  CHECK(values_of(all) == std::vector<double>{0, 1, 1, 2});
}

TEST_CASE("tables of other axes or columns do not stand side by side") {
  const Sheet a = sheet({pe::counted_axis("pair", 1, "")}, {1});
  const Sheet b = sheet({pe::counted_axis("distance", 1, "")}, {1});
  CHECK_THROWS_AS(pe::compared({{"a", a}, {"b", b}}), pe::UsageError);
  CHECK_THROWS_AS(pe::fields_of(sheet({pe::counted_axis("pair", 2, "")}, {1})), pe::MathError);
}

TEST_SUITE_END();
