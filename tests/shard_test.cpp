// Shards: how checks are dealt, and reports read back.
#include "pe/verify/shard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "pe/base/error.hpp"
#include "pe/base/version.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/report_read.hpp"

namespace {

using namespace pe;

// A report with what is hard to carry: no numbers, odd names, long ones, an outcome of each kind.
Report odd_report() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Check dump;
  dump.name = "a \"quoted\"\nname\t\x01 with bytes that are no UTF-8 \xff";
  dump.files = {"x.npz:cos", "x.npz:sin"};
  dump.provenance.encoding = "rope";
  dump.provenance.parameters = {{"base", "500000.0", "config rope_theta"},
                                {"dim", "8", "flag"},
                                {"scaling", "none", "default"},
                                {"ratio", "0.1", "default"}};
  dump.diagnosis = Diagnosis{};
  dump.diagnosis->reasons = {{Cause::wrong_base, "base 1, where 2 is meant"}};
  dump.diagnosis->others = {{{Cause::wrong_base, "base 3 [of 4]; or [wrong], where 2 is meant"}},
                            {{Cause::damaged_cells, "one cell"}, {Cause::wrong_base, "base 5"}}};
  dump.diagnosis->worst = inf;
  dump.diagnosis->worst_cell = {"position 0", -inf, std::numeric_limits<double>::quiet_NaN()};
  dump.diagnosis->curve = {{1, 0.1}, {std::int64_t{1} << 60, 1e-310}};
  dump.expected = Expected{.passes = false, .tier = Tier::wrong, .causes = {"wrong-base"}};
  Check laws;
  laws.name = std::string(100000, 'n');
  laws.provenance.encoding = "sinusoidal";
  laws.verdicts = {{.law = "bounded", .statement = "s", .word = Word::fails, .measurement = {}},
                   {.law = "unique", .statement = "t", .measurement = {}}};
  laws.verdicts[1].measurement.skipped = "why";
  Check untold;
  untold.name = "untold";
  untold.error = "it could not be read";
  return {"pe-verify", std::string(version()), "c", {dump, laws, untold}, {}};
}

TEST_SUITE_BEGIN("verify");

TEST_CASE("every check is dealt to one shard, and loads differ by one check at most") {
  for (Index of = 1; of <= 9; ++of)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<std::uint64_t> weights(seed);
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = (i * 7919 + seed * 104729) % 1000;
      std::vector<std::size_t> all;
      std::vector<std::uint64_t> loads;
      for (Index number = 1; number <= of; ++number) {
        const std::vector<std::size_t> own = dealt(weights, {.number = number, .of = of});
        CHECK(std::ranges::is_sorted(own));
        all.insert(all.end(), own.begin(), own.end());
        loads.push_back(0);
        for (const std::size_t i : own) loads.back() += weights[i];
      }
      std::ranges::sort(all);
      std::vector<std::size_t> whole(weights.size());
      std::iota(whole.begin(), whole.end(), std::size_t{0});
      CHECK(all == whole);
      // The last that the fullest shard got went where least was.
      const std::uint64_t heaviest = weights.empty() ? 0 : *std::ranges::max_element(weights);
      CHECK(*std::ranges::max_element(loads) - *std::ranges::min_element(loads) <= heaviest);
    }
}

TEST_CASE("manifests are told apart by FNV-1a, as its authors' test vectors have it") {
  CHECK(digest_of("") == "cbf29ce484222325");
  CHECK(digest_of("a") == "af63dc4c8601ec8c");
  CHECK(digest_of("foobar") == "85944171f73967e8");
}

TEST_CASE("a report is read back as it was written, in every spelling") {
  Report report = odd_report();
  const Report read = parse_report(to_json(report), "r.json");
  CHECK(to_json(read) == to_json(report));
  CHECK(read.checks[0].diagnosis->others == report.checks[0].diagnosis->others);
  // What is not of odd bytes or lengths is spelled alike by those who never saw the JSON.
  report.checks.erase(report.checks.begin() + 1);
  report.checks[0].name = "a \"quoted\" <name>";
  const Report again = parse_report(to_json(report), "r.json");
  CHECK(to_junit(again) == to_junit(report));
  CHECK(to_markdown(again) == to_markdown(report));
  CHECK(to_csv(again) == to_csv(report));
}

TEST_CASE("a report may hold more values than a file that people write") {  // 2026-11-26
  Report report = odd_report();
  Check laws = report.checks[1];
  report.checks.clear();
  for (int i = 0; i < 8000; ++i) {
    laws.name = "check " + std::to_string(i);
    report.checks.push_back(laws);
  }
  const std::string text = to_json(report);
  CHECK_THROWS_AS(parse_json(text, "r.json"), FileError);
  CHECK(to_json(parse_report(text, "r.json")) == text);
}

TEST_CASE("what says of itself what does not follow is no report") {
  const std::string text = to_json(odd_report());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return other;
  };
  CHECK_THROWS_AS(parse_report(changed("\"exit_code\": 0", "\"exit_code\": 1"), "r"), FileError);
  CHECK_THROWS_AS(parse_report(changed("wrong-base", "wrong-bass"), "r"), FileError);
  CHECK_THROWS_AS(parse_report(changed("\"fails\": 1", "\"fails\": 2"), "r"), FileError);
  CHECK_THROWS_AS(parse_report(text + " ", "r"), FileError);
  CHECK_THROWS_AS(parse_report("{}", "r"), FileError);
  for (std::size_t cut = 0; cut < text.size(); cut += 997)
    CHECK_THROWS_AS(parse_report(text.substr(0, cut), "r"), FileError);
}

TEST_SUITE_END();

}  // namespace
