// Comparing arrays, reading manifests, and spelling reports.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "confined.hpp"
#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/io/file.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/verify/compare.hpp"
#include "pe/verify/manifest.hpp"
#include "pe/verify/report.hpp"

namespace {

using namespace pe;

Stored array_of(DType dtype, std::vector<Index> shape, const std::vector<double>& values,
                std::string name = "") {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  narrow(values, dtype, bytes.data());
  return stored(Array(dtype, std::move(shape), std::move(bytes)), name,
                name.empty() ? "array" : name);
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;

}  // namespace

TEST_SUITE("compare") {
  TEST_CASE("equal arrays are equal bit for bit, NaN and infinity included") {
    const Stored a = array_of(DType::f32, {2, 2}, {1, no_number, -inf, 0});
    const Comparison c = compare(a, a, false);
    CHECK(c.equal(0, false));
    CHECK(c.equal_bits == 4);
    CHECK_FALSE(c.first);
    CHECK(c.a.nan == 1);
    CHECK(c.b.infinite == 1);
    CHECK(c.a.largest == 1);
  }

  TEST_CASE("distances are counted in numbers of the type") {
    // 1 + 2⁻²² is the second f32 after 1; from −2⁻¹⁴⁹ over 0 to 2⁻¹⁴⁹ are two steps; −0 and 0 are
    // one number with two faces.
    const Stored a = array_of(DType::f32, {4}, {1, -0x1p-149, 0.0, 2}),
                 b = array_of(DType::f32, {4}, {1 + 0x1p-22, 0x1p-149, -0.0, 2});
    const Comparison c = compare(a, b, false);
    CHECK(c.ulps[0] == 2);
    CHECK(c.ulps[2] == 2);
    CHECK(c.worst_ulps == 2);
    CHECK(c.equal_bits == 1);
    CHECK(c.first->at == std::vector<Index>{0});
    CHECK(c.worst_absolute == 0x1p-22);
    CHECK(c.relative->at == std::vector<Index>{1});
    CHECK(c.worst_relative == 2);
    CHECK(c.equal(2, false));
    CHECK_FALSE(c.equal(1, false));
    CHECK_FALSE(c.equal(0, false));
  }

  TEST_CASE("the bins of the histogram meet without a gap") {
    CHECK(ulp_bin_name(2) == "2");
    CHECK(ulp_bin_name(3) == "3-4");
    CHECK(ulp_bin_name(4) == "5-8");
    CHECK(ulp_bin_name(65) == "9223372036854775809-18446744073709551615");
    for (const auto& [distance, bin] : {std::pair(3, 3), {4, 3}, {5, 4}, {8, 4}, {9, 5}}) {
      const Comparison c = compare(array_of(DType::i32, {1}, {0}),
                                   array_of(DType::i32, {1}, {double(distance)}), false);
      CHECK(c.ulps[static_cast<std::size_t>(bin)] == 1);
    }
    const double most = std::numeric_limits<double>::max();
    CHECK(compare(array_of(DType::f64, {1}, {most}), array_of(DType::f64, {1}, {-most}), false)
              .ulps[65] == 1);
  }

  TEST_CASE("different types are compared in the narrower one") {
    // Half of bf16's spacing at 1 is 2⁻⁸: 1 + 2⁻⁹ rounds to 1, 1 + 3·2⁻⁹ to 1 + 2⁻⁷.
    const Comparison c = compare(array_of(DType::f32, {2}, {1 + 0x1p-9, 1 + 3 * 0x1p-9}),
                                 array_of(DType::bf16, {2}, {1, 1}), false);
    CHECK(c.dtype == DType::bf16);
    CHECK(c.ulps[0] == 1);
    CHECK(c.ulps[1] == 1);
    CHECK(c.worst_absolute == 0x1p-7);
    CHECK(compare(array_of(DType::f16, {1}, {1}), array_of(DType::bf16, {1}, {1}), false).dtype ==
          DType::bf16);
    CHECK(
        compare(array_of(DType::i64, {1}, {5}), array_of(DType::i32, {1}, {3}), false).worst_ulps ==
        2);
  }

  TEST_CASE("a number against none is no distance, and is not equal at any tolerance") {
    const Comparison c = compare(array_of(DType::f32, {3}, {1, no_number, 5}),
                                 array_of(DType::f32, {3}, {1, 3, inf}), false);
    CHECK(c.ulps[ulp_bins - 1] == 2);
    CHECK(c.worst_absolute == inf);
    CHECK(c.absolute->at == std::vector<Index>{1});
    CHECK_FALSE(c.equal(std::numeric_limits<std::uint64_t>::max(), false));
  }

  TEST_CASE("shapes may differ by axes of size one alone") {
    const Stored flat = array_of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                 boxed = array_of(DType::f32, {1, 2, 1, 3}, {1, 2, 3, 4, 5, 7});
    const Comparison c = compare(boxed, flat, false);
    CHECK(c.first->at == std::vector<Index>{0, 1, 0, 2});
    CHECK(contains(message_of([&] {
                     compare(flat, array_of(DType::f32, {3, 2}, {1, 2, 3, 4, 5, 6}), false);
                   }),
                   "2 x 3"));
    CHECK_THROWS_AS(compare(flat, array_of(DType::f32, {6}, {1, 2, 3, 4, 5, 6}), false),
                    UsageError);
  }

  TEST_CASE("the first difference is found behind many blocks, and the norms say the scale") {
    std::vector<double> a(200'000, 1.0), b(200'000, 2.0);
    const Comparison twice =
        compare(array_of(DType::f32, {2000, 100}, a), array_of(DType::f32, {2000, 100}, b), false);
    CHECK(twice.norm_b / twice.norm_a == doctest::Approx(2).epsilon(1e-12));
    CHECK(twice.cosine == doctest::Approx(1).epsilon(1e-12));
    b = a;
    b[150'007] = 1.5;
    const Comparison once =
        compare(array_of(DType::f32, {2000, 100}, a), array_of(DType::f32, {2000, 100}, b), false);
    CHECK(once.first->at == std::vector<Index>{1500, 7});
    CHECK(once.equal_bits == 199'999);
  }

  TEST_CASE("biases are equal up to a constant for each row") {
    // ALiBi twice, slope 1/4: −slope·distance, and slope·key, as softmax cannot tell apart; the
    // masked corner is −∞ in both.
    const Index n = 5;
    std::vector<double> paper, bloom;
    for (Index query = 0; query < n; ++query)
      for (Index key = 0; key < n; ++key) {
        paper.push_back(key > query ? -inf : -0.25 * static_cast<double>(query - key));
        bloom.push_back(key > query ? -inf : 0.25 * static_cast<double>(key));
      }
    const Comparison c = compare(array_of(DType::f32, {1, n, n}, paper),
                                 array_of(DType::f32, {1, n, n}, bloom), true);
    CHECK(c.up_to_constant->worst == 0);
    CHECK(c.equal(0, true));
    CHECK_FALSE(c.equal(0, false));

    bloom[7] = 3;  // row 1, masked on the one side only
    CHECK(compare(array_of(DType::f32, {1, n, n}, paper), array_of(DType::f32, {1, n, n}, bloom),
                  true)
              .up_to_constant->worst == inf);
    bloom[7] = -inf;
    bloom[22] += 0.5;  // row 4: differences 1, 1, 1.5, 1, 1 leave 0.25 about their middle
    const Comparison spoilt = compare(array_of(DType::f32, {1, n, n}, paper),
                                      array_of(DType::f32, {1, n, n}, bloom), true);
    CHECK(spoilt.up_to_constant->worst == 0.25);
    CHECK(spoilt.up_to_constant->row == std::vector<Index>{0, 4});
    CHECK(spoilt.up_to_constant->ulps == 0.25 / 0x1p-23);  // the row's largest value is 1
    CHECK_FALSE(spoilt.equal(1000, true));
  }

  TEST_CASE("arrays are paired by name, and those without a partner are named") {
    const std::vector<Stored> a = {array_of(DType::f32, {1}, {1}, "cos"),
                                   array_of(DType::f32, {1}, {1}, "sin")},
                              b = {array_of(DType::f32, {1}, {1}, "sin"),
                                   array_of(DType::f32, {1}, {1}, "angle")};
    const Partners partners = pair_up(a, b);
    REQUIRE(partners.pairs.size() == 1);
    CHECK(partners.pairs[0].first->name == "sin");
    CHECK(partners.only_a == std::vector<std::string>{"cos"});
    CHECK(partners.only_b == std::vector<std::string>{"angle"});
    CHECK(pair_up({a[0]}, {b[1]}).pairs.size() == 1);  // the only ones of both
    CHECK(contains(message_of([&] { pair_up({a[0]}, {b[0], b[1]}); }), "cos against sin, angle"));
  }
}

TEST_SUITE("manifest") {
  std::string wrapped(const std::string& check) {
    return R"({"schema_version": 1, "checks": [)" + check + "]}";
  }
  std::vector<ManifestCheck> parse(const std::string& check) {
    return parse_manifest(wrapped(check), "ci/manifest.json");
  }

  TEST_CASE("every key is read") {
    const ManifestCheck check =
        parse(R"({"name": "n", "encoding": "rope", "config": "c.json", "layer_type": "l",
      "parameters": {"base": 1e5, "factor": 0.10000000000000000001, "layout": "halves", "no-truncate": true, "short-factor": [1.0, 2, 3e0]}, "length": 4096,
      "dtype": "bf16", "shape": [4096, 128], "file": ["a.npy", "/tmp/b.npz:cos"], "before": "q.npy", "file_layout": "cos-sin", "dialect": "vllm",
      "accept": "storage", "expect": {"verdict": "fail", "tier": "wrong"}})")
            .at(0);
    CHECK(check.name == "n");
    CHECK(check.config == "ci/c.json");
    CHECK(check.parameters.at("base").text == "1e5");
    CHECK(check.parameters.at("factor").text ==
          "0.10000000000000000001");  // digits as they were written
    CHECK(check.parameters.at("no-truncate").text == "true");
    CHECK(check.parameters.at("short-factor").text == "1.0,2,3e0");
    CHECK(check.files == std::vector<std::string>{"ci/a.npy", "/tmp/b.npz:cos"});
    CHECK(check.before == std::vector<std::string>{"ci/q.npy"});
    CHECK(check.shape == std::vector<Index>{4096, 128});
    CHECK(check.length == "4096");
    CHECK(check.accept == Tier::storage);
    CHECK(*check.expected->passes == false);
    CHECK(*check.expected->tier == Tier::wrong);
    CHECK(parse(R"({"encoding": "t5"}, {"model": "llama-3.1-8b"})").at(1).name == "check 2");
  }

  TEST_CASE("what is not a manifest gets one line that says where") {
    const std::pair<const char*, const char*> wrong[] = {
        {R"({"encodign": "rope"})", "check 1: unknown key 'encodign': did you mean encoding?"},
        {R"({"encoding": "rope", "expect": {"teir": "exact"}})",
         "expect: unknown key 'teir': did you mean tier?"},
        {R"({"encoding": "rope", "name": "a"}, {"encoding": "rope", "name": "a"})",
         "two checks have the name 'a'"},
        {R"({"encoding": 5})", "encoding must be a string, got a number"},
        {R"({"encoding": ""})", "encoding is empty"},
        {R"({"encoding": "rope", "accept": "exact"})", "accept needs file"},
        {R"({"encoding": "rope", "length": 0})",
         "length must be a whole number of at least 1, got 0"},
        {R"({"encoding": "rope", "length": 1.5})", "got 1.5"},
        {R"({"encoding": "rope", "length": 99999999999999999999})", "length must be"},
        {R"({"encoding": "rope", "length": "7"})", "length must be"},
        {R"({"encoding": "rope", "shape": [2, -1]})",
         "shape must be a whole number of at least 0, got -1"},
        {R"({"encoding": "rope", "shape": []})", "shape must be a list"},
        {R"({"encoding": "rope", "file": []})", "file must be a string or a list of strings"},
        {R"({"encoding": "rope", "file": [["a"]]})", "file must be a string, got a list"},
        {R"({"encoding": "rope", "accept": "wrong"})",
         "accept must be one of exact, drift, storage, got 'wrong'"},
        {R"({"encoding": "rope", "dtype": "f8"})",
         "unknown dtype 'f8': choose f64, f32, f16 or bf16"},
        {R"({"encoding": "rope", "before": "q.npy"})", "before needs file"},
        {R"({"encoding": "rope", "parameters": {"a": {}}})", "parameters.a must be"},
        {R"({"encoding": "rope", "parameters": {"a": [1, "2"]}})",
         "parameters.a must be a list of numbers, got a string in it"},
        {R"({"encoding": "rope", "parameters": {"a": 1, "a": 2}})", "has the key a twice"},
        {R"({})", "it needs an encoding, a model or a config"},
        {R"("rope")", "an object was expected, got a string"},
        {"", "checks must be a list of at least one check"},
    };
    for (const auto& [text_there, expected] : wrong) {
      const auto& text = text_there;  // clang 14 captures no structured binding
      CAPTURE(text);
      const std::string message = message_of([&, text = text] { parse(text); });
      CHECK_MESSAGE(contains(message, expected), message);
      CHECK(message.find('\n') == std::string::npos);
    }
    CHECK(contains(message_of([] { parse_manifest("[]", "m"); }),
                   "an object was expected, got a list"));
    CHECK(contains(
        message_of([] { parse_manifest(R"({"checks": []})", "m"); }),
        R"(schema_version must be 1, and is missing: write {"schema_version": 1, "checks": )"));
    CHECK(contains(message_of([] {
                     parse_manifest(R"({"schema_version": 2, "checks": [{"encoding": "rope"}]})",
                                    "m");
                   }),
                   "schema_version must be 1"));
    CHECK(contains(message_of([] { parse_manifest("{\"schema_version\": 1, \"checks\"", "m"); }),
                   "m is not JSON"));
    CHECK(contains(message_of([] { parse_manifest(std::string(100'000, '['), "m"); }),
                   "nests deeper than 32"));
    std::string many = "[0";
    for (int i = 0; i < 1'000'001; ++i) many += ",0";
    CHECK(contains(message_of([&] { parse_manifest(wrapped(many + "]"), "m"); }),
                   "more than 100000 values"));
  }

  TEST_CASE("the schema and the reader know the same keys") {
    std::ifstream file(PE_SOURCE_DIR "/data/manifest.schema.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text == manifest_schema());
    const JsonNode schema = parse_json(text, "schema");
    const JsonNode& check = *schema.find("$defs")->find("check")->find("properties");
    const auto names_of = [](const JsonNode& node) {
      std::set<std::string> names;
      for (const auto& [name, value] : node.members) names.insert(name);
      return names;
    };
    const auto known =
        [](const std::string& message) {  // "unknown key 'zzzzzzzzzzzzzzzz': choose from a, b, c"
          std::set<std::string> names;
          std::string list = message.substr(message.find("choose from ") + 12);
          for (std::size_t start = 0; start < list.size();) {
            const std::size_t end = std::min(list.find(", ", start), list.size());
            names.insert(list.substr(start, end - start));
            start = end + 2;
          }
          return names;
        };
    CHECK(names_of(check) == known(message_of([] { parse(R"({"zzzzzzzzzzzzzzzzzzzz": 1})"); })));
    CHECK(names_of(*check.find("expect")->find("properties")) ==
          known(message_of([] { parse(R"({"expect": {"zzzzzzzzzzzzzzzzzzzz": 1}})"); })));
    CHECK(names_of(*schema.find("properties")) ==
          known(message_of([] { parse_manifest(R"({"zzzzzzzzzzzzzzzzzzzz": 1})", "m"); })));
    for (const auto& [key, value] : check.members)
      if (const JsonNode* choices = value.find("enum"))
        for (const JsonNode& choice : choices->items)
          CHECK_NOTHROW(parse(fmt::format(R"({{"encoding": "rope", "file": "f.npy", "{}": "{}"}})",
                                          key, choice.text)));
    for (const auto& [key, value] : check.find("expect")->find("properties")->members)
      if (const JsonNode* choices = value.find("enum"))
        for (const JsonNode& choice : choices->items)
          CHECK_NOTHROW(parse(fmt::format(R"({{"encoding": "rope", "expect": {{"{}": "{}"}}}})",
                                          key, choice.text)));
  }
}

TEST_SUITE("report") {
  Check dump_check(Tier tier) {
    Check check;
    check.name = "a <b> & \"c\" \x1b[31m\xff, 50%";
    check.provenance.encoding = "rope";
    check.files = {"dir:x/dump.npz:cos", "sin.npy"};
    Diagnosis d;
    d.what = "cos and sin, both halves [8, 4], f32";
    d.layout = "halves";
    d.tier = tier;
    if (tier == Tier::drift) d.arithmetic = "hf, bit for bit";
    if (tier == Tier::wrong)
      d.reasons = {{Cause::wrong_base, "base 500000, where 10000 (default) is meant"}};
    d.worst = 1.5;
    d.worst_cell = {"position 7, pair 1, cos", 0.5, -1};
    d.bound = 0x1p-24;
    d.bound_from = "one rounding to f32";
    d.before = 1.5;
    d.after = 0x1p-25;
    d.cells = 64;
    d.rounded_otherwise = 60;
    d.ulps = 1234;
    d.curve = {{0, 0}, {1, 1e-6}, {3, 1e-3}, {7, 1.5}};
    d.coverage = "all 8 x 4 cells";
    check.diagnosis = d;
    return check;
  }

  Check law_check() {
    Check check;
    check.name = "laws";
    check.provenance.encoding = "index";
    check.verdicts = {{"finite",
                       "s",
                       Word::holds,
                       {.worst = 0,
                        .bound = 0,
                        .bound_from = "none may",
                        .witness = "",
                        .coverage = "all",
                        .skipped = ""},
                       0.5},
                      {"bounded",
                       "s",
                       Word::fails,
                       {.worst = 7,
                        .bound = 1,
                        .bound_from = "1",
                        .witness = "position 7",
                        .coverage = "all",
                        .skipped = ""},
                       0.25},
                      {"unique",
                       "s",
                       Word::skipped,
                       {.bound_from = "", .witness = "", .coverage = "", .skipped = "no rows"},
                       0}};
    return check;
  }

  Check untold_check() {
    Check check;
    check.name = "gone";
    check.error = "cannot read 'x.npy': No such file";
    return check;
  }

  // Every element closed, every character one of XML 1.0; entities known. Returns how often each
  // element stands there.
  std::map<std::string, int> elements_of(const std::string& xml) {
    std::map<std::string, int> count;
    std::vector<std::string> open;
    for (const char c : xml) REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    for (std::size_t i = 0; i < xml.size(); ++i) {
      if (xml[i] == '&') {
        const std::string entity = xml.substr(i, xml.find(';', i) - i + 1);
        REQUIRE(
            std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}.contains(entity));
      }
      if (xml[i] != '<') continue;
      std::size_t end = i;
      for (bool quoted = false; quoted || xml.at(end) != '>'; ++end) quoted ^= xml.at(end) == '"';
      const std::string tag = xml.substr(i + 1, end - i - 1);
      i = end;
      if (tag.starts_with('?')) continue;
      if (tag.starts_with('/')) {
        REQUIRE(!open.empty());
        REQUIRE(open.back() == tag.substr(1));
        open.pop_back();
        continue;
      }
      const std::string name = tag.substr(0, tag.find_first_of(" /"));
      ++count[name];
      if (!tag.ends_with('/')) open.push_back(name);
    }
    REQUIRE(open.empty());
    return count;
  }

  TEST_CASE("outcomes follow the tier that is accepted and the outcome that is expected") {
    const auto code = [](Tier tier, Tier accept, std::optional<Expected> expected = {}) {
      Check check = dump_check(tier);
      check.accept = accept;
      check.expected = expected;
      return check.exit_code();
    };
    CHECK(code(Tier::exact, Tier::exact) == 0);
    CHECK(code(Tier::drift, Tier::exact) == 1);
    CHECK(code(Tier::drift, Tier::drift) == 0);
    CHECK(code(Tier::storage, Tier::drift) == 1);
    CHECK(code(Tier::storage, Tier::storage) == 0);
    CHECK(code(Tier::wrong, Tier::storage) == 1);
    CHECK(code(Tier::wrong, Tier::drift, Expected{false, Tier::wrong, {"wrong-base"}}) == 0);
    CHECK(code(Tier::wrong, Tier::drift, Expected{{}, {}, {"wrong-pairing"}}) == 1);
    CHECK(code(Tier::wrong, Tier::drift, Expected{{}, {}, {"wrong-base", "wrong-pairing"}}) == 1);
    CHECK(code(Tier::wrong, Tier::drift, Expected{{}, {}, {"wrong-base", "wrong-base"}}) == 0);
    CHECK(code(Tier::wrong, Tier::drift, Expected{true, {}, {}}) == 1);
    CHECK(code(Tier::drift, Tier::drift, Expected{{}, Tier::exact, {}}) == 1);
    Check untold = untold_check();
    untold.expected = Expected{false, {}, {}};
    CHECK(untold.exit_code() == 2);  // a missing file is no expected failure
    Check laws = law_check();
    CHECK(laws.exit_code() == 1);
    laws.expected = Expected{false, {}, {}};
    CHECK(laws.exit_code() == 0);
    CHECK(Report{"", "", "", {untold_check(), law_check()}}.exit_code() == 1);
    CHECK(Report{"", "", "", {untold_check(), laws}}.exit_code() == 2);
    CHECK(Report{"", "", "", {laws}}.exit_code() == 0);
  }

  TEST_CASE("the verdict stands in the first line, and nothing that upsets a terminal anywhere") {
    const std::string text = to_text(dump_check(Tier::wrong), false, true);
    CHECK(text.starts_with("WRONG: base 500000, where 10000 (default) is meant [wrong-base]\n"));
    CHECK(
        contains(text, "  residual     1.5 before, 2.98e-08 with the cause taken into account\n"));
    CHECK(contains(
        text, "  from truth   1.5 at worst, at position 7, pair 1, cos: expected 0.5, got -1\n"));
    CHECK(contains(to_text(dump_check(Tier::drift), false, true), "drift: hf, bit for bit\n"));
    CHECK(to_text(dump_check(Tier::wrong), true, true).starts_with("\x1b[31mWRONG\x1b[0m: "));
    CHECK_FALSE(contains(to_line(dump_check(Tier::exact), 10, false), "\x1b"));
    Check unexplained = dump_check(Tier::wrong);
    unexplained.diagnosis->reasons.clear();
    CHECK(to_text(unexplained, false, true)
              .starts_with("WRONG: unexplained, off by 1.5 at position 7, pair 1, cos\n"));
  }

  TEST_CASE("JUnit is well-formed and counts what it holds") {
    const Report report{
        "pe-verify",
        "0",
        "pe-verify run \"m&m.json\"",
        {dump_check(Tier::wrong), dump_check(Tier::exact), law_check(), untold_check()}};
    const std::string xml = to_junit(report);
    const auto count = elements_of(xml);
    CHECK(count.at("testsuites") == 1);
    CHECK(count.at("testcase") == 6);
    CHECK(count.at("failure") == 2);
    CHECK(count.at("error") == 1);
    CHECK(count.at("skipped") == 1);
    CHECK(contains(xml, R"(tests="6" failures="2" errors="1" skipped="1")"));
    CHECK(contains(xml, "name=\"a &lt;b&gt; &amp; &quot;c&quot; ?[31m\xef\xbf\xbd, 50%\""));
    CHECK(contains(xml, R"(<testcase classname="pe-verify.laws" name="bounded")"));
    Report expected = report;
    for (Check& check : expected.checks) check.expected = Expected{false, {}, {}};
    CHECK(elements_of(to_junit(expected)).at("failure") == 1);  // the exact dump alone
    CHECK(elements_of(to_junit(expected)).at("testcase") == 4);
  }

  TEST_CASE("JSON holds what a program asks for") {
    const JsonNode json = parse_json(
        to_json({"pe-verify", "0", "c", {dump_check(Tier::wrong), law_check(), untold_check()}}),
        "report");
    CHECK(json.find("schema_version")->text == "1");
    CHECK(json.find("failed")->text == "2");
    CHECK(json.find("untold")->text == "1");
    const JsonNode& dump = json.find("checks")->items.at(0);
    CHECK(dump.find("tier")->text == "wrong");
    CHECK(dump.find("causes")->items.at(0).text == "wrong-base");
    CHECK(dump.find("curve")->items.at(3).items.at(0).text == "7");
    CHECK(dump.find("worst_cell")->find("got")->text == "-1.0");
    CHECK(json.find("checks")->items.at(1).find("verdicts")->items.size() == 3);
    CHECK(json.find("checks")->items.at(2).find("error")->text ==
          "cannot read 'x.npy': No such file");
  }

  TEST_CASE("annotations are escaped as GitHub asks") {
    Check check = dump_check(Tier::wrong);
    check.name = "100%, a: b";
    CHECK(to_annotations({"pe-verify", "0", "c", {check, dump_check(Tier::exact)}}) ==
          "::error file=dir%3Ax/dump.npz,title=100%25%2C a%3A b::WRONG: base 500000, where 10000 "
          "(default) is meant [wrong-base]\n");
  }

  TEST_CASE("CSV has as many cells in each row as in its header") {
    const std::string csv =
        to_csv({"pe-verify", "0", "c", {dump_check(Tier::wrong), law_check(), untold_check()}});
    std::vector<std::size_t> cells{1};
    bool quoted = false;
    for (const char c : csv) {
      quoted ^= c == '"';
      if (c == ',' && !quoted) ++cells.back();
      if (c == '\n') cells.push_back(1);
    }
    REQUIRE(cells.size() ==
            7);  // header, dump, three laws, one untold, and what follows the last line end
    cells.pop_back();
    CHECK(std::set(cells.begin(), cells.end()).size() == 1);
    CHECK(contains(csv, "\"a <b> & \"\"c\"\" ?[31m\xef\xbf\xbd, 50%\",rope,"));
  }

  TEST_CASE("names that files give stay short and on their line in every spelling") {
    Check check = dump_check(Tier::wrong);
    check.name = "=x\n::error::y\x1b[2J" + std::string(1 << 20, 'z');
    check.files = {check.name};
    check.provenance.dialect = "@cmd";
    check.diagnosis->what = check.diagnosis->layout = check.name;
    check.diagnosis->worst_cell.place = check.name;
    const Report report{"pe-verify", "0", "c", {check, dump_check(Tier::exact)}};
    for (const std::string& text : {to_text(check, false, true), to_line(check, 40, false),
                                    to_csv(report), to_json(report), to_annotations(report)}) {
      CHECK(text.size() < 100'000);
      CHECK_FALSE(contains(text, "\x1b"));
      CHECK_FALSE(contains(text, "\n::error::y"));
    }
    CHECK(to_junit(report).size() < 100'000);
    CHECK(contains(to_csv(report), "\n'=x ::error"));
    CHECK(contains(to_csv(report), ",'@cmd,"));
  }

  TEST_CASE("HDF5 reads back, and other suffixes are refused" *
            doctest::skip(!pe_test::confines())) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "pe-verify-test";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "report.h5").string();
    write_report({"pe-verify", "0", "c", {dump_check(Tier::wrong), law_check(), untold_check()}},
                 path);
    const Array exit_codes = read_array(path + ":exit_code"),
                errors = read_array(path + ":curve_error");
    REQUIRE(exit_codes.size() == 5);
    CHECK(exit_codes.at(0) == 1);
    CHECK(exit_codes.at(4) == 2);
    REQUIRE(errors.size() == 4);
    CHECK(errors.at(2) == 1e-3);
    std::filesystem::remove_all(folder);
    CHECK(contains(message_of([] { check_report_path("report.txt"); }),
                   "take one of .json .xml .md .csv .h5 .hdf5"));
  }

  TEST_CASE("errors of any size are drawn as bars") {
    Check check = dump_check(Tier::wrong);
    const double sizes[] = {0,   5e-324,   1e-30,    1e308, 1.7976931348623157e308,
                            NAN, HUGE_VAL, -HUGE_VAL};
    for (const double first : sizes)
      for (const double last : sizes)
        for (const double between : sizes) {
          check.diagnosis->curve = {{1, first}, {2, between}, {3, last}};
          const std::string text = to_text(check, false, true);
          CHECK(text.find(std::string(31, '#')) == std::string::npos);
        }
    check.diagnosis->curve = {{1, 1e-30}, {2, 1e308}};
    CHECK(contains(to_text(check, false, true), "1e-30      #\n"));
    CHECK(contains(to_text(check, false, true), std::string(30, '#') + "\n"));
  }

  TEST_CASE("what cannot be put into words is one check's error") {
    const auto fails = [](const Check&) { throw std::length_error("a bar of -2147483648"); };
    const Check check = tellable(dump_check(Tier::exact), fails);
    CHECK(check.exit_code() == 2);
    CHECK(contains(sentence_of(check), "a bar of -2147483648"));
    CHECK(tellable(dump_check(Tier::exact)).exit_code() == 0);
  }
}
