// Claims: how a table of them is read, what an expression says, and when a number is the printed
// one.
#include "pe/analyze/published/published.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pe/analyze/published/expression.hpp"
#include "pe/base/error.hpp"

namespace {

using pe::Claim;
using pe::Sheet;

Sheet curve() {
  Sheet sheet;
  sheet.axes = {pe::named_axis("rule", {"pi", "ntk by parts"}, ""),
                pe::counted_axis("pair", 3, "")};
  sheet.columns = {{.name = "ratio", .description = "", .values = {1, 2, 4, 8, 16, NAN}},
                   pe::Column::of_words("word", "", {"a", "b", "c", "d", "e", "f"})};
  return sheet;
}

double number(std::string_view expression) {
  const pe::Value value = pe::evaluate(expression, curve());
  REQUIRE(value.numbers.size() == 1);
  return value.numbers.front();
}

Claim claim(const std::string& printed, const std::string& verdict) {
  return {.paper = "",
          .place = "",
          .what = "",
          .printed = printed,
          .command = "",
          .value = "ratio[rule=pi,pair=2]",
          .ours = "4",
          .verdict = verdict,
          .reason = ""};
}

}  // namespace

TEST_SUITE_BEGIN("analyze");

TEST_CASE("an expression picks, counts and computes") {
  CHECK(number("ratio[rule=pi,pair=2]") == 4);
  CHECK(number("ratio[rule=ntk by parts, pair=1] / ratio[rule=pi,pair=1]") == 8);
  CHECK(number("1 - 2 * (3 - 4) / 4") == 1.5);
  CHECK(number("-2 + 1e1") == 8);
  CHECK(number("max(ratio[rule=pi])") == 4);
  CHECK(number("count(ratio)") == 5);
  CHECK(number("max(ratio)") == 16);
  CHECK(std::isnan(number("min(ratio[pair=2,rule=ntk by parts])")));
  CHECK(number("count(ratio > 2)") == 3);
  CHECK(number("sum(pair[rule=pi] * ratio[rule=pi])") == 10);
  CHECK(number("slope(log([1, 10, 100]), log([2, 200, 20000]))") == doctest::Approx(2));
  CHECK(number("exp(intercept(log([1, 10]), log([3, 30])))") == doctest::Approx(3));
  CHECK(number("distinct([1, 2, 1, 2, 3])") == 3);
  CHECK(number("sum(steps([1, 4, 2]) * [10, 1])") == 28);
  CHECK(number("count(steps(ratio[rule=pi]) < 0)") == 0);
  CHECK(pe::evaluate("word[rule=pi,pair=1]", curve()).words == std::vector<std::string>{"b"});
}

TEST_CASE("an expression that makes no sense is refused with what there is") {
  for (const char* bad :
       {"rati", "ratio[rul=pi]", "ratio[rule=abf]", "1 +", "(1", "max(1", "1 2",
        "ratio[rule=pi] + ratio[pair=1]", "word + 1", "root(2)", "steps(word)", "[1, ratio]", ""}) {
    INFO(bad);
    CHECK_THROWS_AS(pe::evaluate(bad, curve()), pe::UsageError);
  }
  CHECK_THROWS_WITH_AS(pe::evaluate("rati", curve()),
                       "the expression 'rati' is not understood at '': there is no column rati: "
                       "there are rule pair ratio word",
                       pe::UsageError);
}

TEST_CASE("an expression may nest a hundred deep and no deeper") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  CHECK(number(nested(99)) == 1);
  for (const std::string& deep : {nested(100), nested(1'000'000), std::string(1'000'000, '-')}) {
    std::string said;
    try {
      pe::evaluate(deep, curve());
    } catch (const pe::UsageError& error) {
      said = error.what();
    }
    CHECK(said.find("deeper than 100 levels") != std::string::npos);
    CHECK(said.size() < 10'000);
  }
}

TEST_CASE("a printed number stands for those that round to it") {
  CHECK(pe::agrees(4293.44, "4.3e3"));
  CHECK(pe::agrees(4250, "4.3e3"));
  CHECK_FALSE(pe::agrees(4249.9, "4.3e3"));
  CHECK(pe::agrees(0.02714, "0.027"));
  CHECK_FALSE(pe::agrees(0.0276, "0.027"));
  CHECK(pe::agrees(0.00390625, "1/256"));
  CHECK_FALSE(pe::agrees(0.0039063, "1/256"));
  CHECK(pe::agrees(589.46, "600 ± 20"));
  CHECK_FALSE(pe::agrees(570, "600 ± 20"));
  CHECK_FALSE(pe::agrees(1, "about one"));
  CHECK_FALSE(pe::agrees(NAN, "1"));
  for (const char* unbounded : {"1/0", "0/0", "1 ± inf", "1 ± nan", "inf", "1e308 ± 1e308/0"})
    CHECK_FALSE(pe::agrees(1, unbounded));
}

TEST_CASE("a verdict is held to the number") {
  const auto make = [](const std::string&) { return curve(); };
  CHECK(pe::recompute(claim("4.0", "match"), make).fault.empty());
  CHECK(pe::recompute(claim("5", "differs"), make).fault.empty());
  CHECK(pe::recompute(claim("5", "match"), make).fault == "5 is printed, and we compute 4");
  CHECK(pe::recompute(claim("4", "refuted"), make).fault ==
        "4 is printed and computed: it is a match");
  Claim moved = claim("9", "differs");
  moved.ours = "5";
  CHECK(pe::recompute(moved, make).fault == "it was 5 when the row was written");
  moved.value = "ratio";
  CHECK(pe::recompute(moved, make).fault == "ratio gives 6 values, not one");
}

TEST_CASE("a table of claims is read by the letter") {
  const std::string header = "paper,place,what,printed,command,value,ours,verdict,reason\n";
  const auto read = [&](const std::string& rows) {
    return pe::read_claims(header + rows, "claims.csv");
  };
  const auto claims =
      read("\"A, B\",\"§\"\"3\"\"\",w,1,c,v,1,match,\n\"two\nlines\",p,w,1,c,v,1,differs,r\n");
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].paper == "A, B");
  CHECK(claims[0].place == "§\"3\"");
  CHECK(claims[1].paper == "two\nlines");
  CHECK_THROWS_WITH_AS(read("a,b\n"), "claims.csv, row 2: 2 cells where there are 9 columns",
                       pe::FileError);
  CHECK_THROWS_AS(read("a,b,c,d,e,f,g,true,\n"), pe::FileError);
  CHECK_THROWS_AS(read("a,b,c,d,e,f,g,refuted,\n"), pe::FileError);
  CHECK_THROWS_AS(pe::read_claims("paper\n", "claims.csv"), pe::FileError);
  CHECK(pe::all_claims().size() >= 120);
}

TEST_SUITE_END();
