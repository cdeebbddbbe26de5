// Reading reports key by key, and what was read against the text.
#include "pe/verify/report_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "pe/base/budget.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/version.hpp"
#include "pe/io/json_tree.hpp"
#include "pe/io/source.hpp"
#include "pe/verify/report.hpp"

namespace pe {
namespace {

using Type = JsonNode::Type;

// An object of the report.
class Member {
 public:
  Member(Kept<JsonNode> node, std::string file) : node_(node), file_(std::move(file)) {
    if (node_.type != Type::object) refuse("an object is missing");
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw FileError(fmt::format("{} is no report that pe-verify run --report FILE.json writes: {}",
                                file_, why));
  }
  const JsonNode* find(std::string_view key) const { return node_.find(key); }
  const JsonNode& at(std::string_view key, Type type) const {
    const JsonNode* found = find(key);
    if (!found || found->type != type) refuse(fmt::format("'{}' is missing or odd", key));
    return *found;
  }
  Member object(std::string_view key) const { return {at(key, Type::object), file_}; }
  Member item(Kept<JsonNode> node) const { return {node, file_}; }
  const std::vector<JsonNode>& list(std::string_view key) const {
    return at(key, Type::list).items;
  }
  const std::string& text(std::string_view key) const { return at(key, Type::string).text; }
  std::string text_or_none(std::string_view key) const { return find(key) ? text(key) : ""; }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    if (find(key))
      for (const JsonNode& one : list(key)) all.push_back(one.text);
    return all;
  }
  bool flag(std::string_view key) const { return at(key, Type::boolean).text == "true"; }
  // NaN and infinities are strings.
  double number(const JsonNode* node) const {
    char* end = nullptr;
    const double value = node ? std::strtod(node->text.c_str(), &end) : 0;
    if (!node || node->text.empty() || *end != '\0') refuse("a number is missing");
    return value;
  }
  double number(std::string_view key) const { return number(find(key)); }
  Index whole(const JsonNode& node) const {
    Index value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    if (node.type != Type::number || error != std::errc() || stop != end)
      refuse(fmt::format("'{}' is no whole number", node.text));
    return value;
  }
  Index whole(std::string_view key) const { return whole(at(key, Type::number)); }

 private:
  const JsonNode& node_;
  std::string file_;
};

Tier tier_of(const Member& row, std::string_view key) {
  for (const Tier tier : {Tier::exact, Tier::drift, Tier::storage, Tier::wrong})
    if (name_of(tier) == row.text(key)) return tier;
  row.refuse(fmt::format("'{}' is no tier", row.text(key)));
}

Cell cell_of(const Member& row) {
  return {row.text("place"), row.number("expected"), row.number("got")};
}

std::vector<Reason> reasons_of(const Member& row) {
  const std::vector<std::string> names = row.texts("causes"), sentences = row.texts("sentences");
  if (names.size() != sentences.size()) row.refuse("causes and sentences are not as many");
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(all_causes(), std::string_view(names[i]), &CauseRow::name);
    if (found == all_causes().end()) row.refuse(fmt::format("'{}' is no cause", names[i]));
    reasons.push_back({found->cause, sentences[i]});
  }
  return reasons;
}

// An explanation as spell() writes it.
std::vector<Reason> explanation_of(const Member& row, const std::string& text) {
  std::vector<Reason> reasons;
  std::size_t from = 0;
  for (std::size_t at = text.find(" ["); at != std::string::npos; at = text.find(" [", at + 1))
    for (const CauseRow& cause : all_causes()) {
      const std::string name = fmt::format(" [{}]", cause.name);
      const std::size_t end = at + name.size();
      const bool is_last = end == text.size();
      if (text.compare(at, name.size(), name) != 0 || !(is_last || text.compare(end, 2, "; ") == 0))
        continue;
      reasons.push_back({cause.cause, text.substr(from, at - from)});
      from = is_last ? end : end + 2;
      break;
    }
  if (from != text.size()) row.refuse(fmt::format("'{}' names no cause", text));
  return reasons;
}

Diagnosis diagnosis_of(const Member& row) {
  Diagnosis d;
  d.tier = tier_of(row, "tier");
  d.reasons = reasons_of(row);
  d.what = row.text("what");
  d.layout = row.text("layout");
  d.arithmetic = row.text("arithmetic");
  d.worst = row.number("worst");
  d.worst_cell = cell_of(row.object("worst_cell"));
  d.bound = row.number("bound");
  d.bound_from = row.text("bound_from");
  d.ulps = row.number("ulps");
  d.cells = row.whole("cells");
  d.rounded_otherwise = row.whole("rounded_otherwise");
  if (const JsonNode* first = row.find("first_wrong"); first && first->type == Type::object)
    d.first_wrong = cell_of(row.item(*first));
  d.before = row.number("residual_before");
  d.after = row.number("residual_after");
  for (const std::string& other : row.texts("others"))
    d.others.push_back(explanation_of(row, other));
  d.notes = row.texts("notes");
  d.doubts = row.texts("doubts");
  d.coverage = row.text("coverage");
  for (const JsonNode& point : row.list("curve")) {
    if (point.items.size() != 2) row.refuse("a point of the curve is no pair");
    d.curve.push_back({row.whole(point.items[0]), row.number(&point.items[1])});
  }
  return d;
}

Verdict verdict_of(const Member& row) {
  Verdict verdict{.law = row.text("law"), .statement = row.text("statement"), .measurement = {}};
  for (const Property& property : all_properties())
    if (property.name == verdict.law) verdict.plain = property.plain;
  for (const Word word : {Word::holds, Word::fails, Word::noted, Word::skipped})
    if (name_of(word) == row.text("word")) verdict.word = word;
  Measurement& m = verdict.measurement;
  if (verdict.word == Word::skipped) {
    m.skipped = row.text("why");
  } else {
    m.worst = row.number("worst");
    m.bound = row.number("bound");
    m.bound_from = row.text("bound_from");
    m.proved = row.flag("proved");
    m.power = {row.number("power"), row.text("power_at")};
    m.witness = row.text("witness");
    m.coverage = row.text("coverage");
    m.exhaustive = row.flag("exhaustive");
  }
  verdict.seconds = row.number("seconds");
  return verdict;
}

Expected expected_of(const Member& row) {
  Expected expected;
  if (row.find("verdict")) expected.passes = row.text("verdict") == "pass";
  if (row.find("tier")) expected.tier = tier_of(row, "tier");
  if (const JsonNode* cause = row.find("cause"))
    expected.causes = cause->type == Type::list ? row.texts("cause")
                                                : std::vector<std::string>{row.text("cause")};
  return expected;
}

Provenance provenance_of(const Member& row) {
  Provenance from{"", "", "", row.text("encoding"), row.text("dialect"), "", "", {}};
  for (const auto& [name, node] : row.at("parameters", Type::object).members) {
    const Member entry = row.item(node);
    const JsonNode* value = entry.find("value");
    if (!value) row.refuse(fmt::format("parameter {} has no value", name));
    from.parameters.push_back(
        {name, value->type == Type::null ? "null" : value->text, entry.text("origin")});
  }
  return from;
}

Check check_of(const Member& row) {
  Check check;
  check.name = row.text("name");
  check.provenance = provenance_of(row);
  check.files = row.texts("file");
  if (row.find("accept")) check.accept = tier_of(row, "accept");
  check.note = row.text_or_none("note");
  check.manifest = row.text_or_none("manifest");
  if (row.find("line")) check.line = row.whole("line");
  if (row.find("expect")) check.expected = expected_of(row.object("expect"));
  check.warnings = row.texts("warnings");
  check.error = row.text_or_none("error");
  if (row.find("tier")) check.diagnosis = diagnosis_of(row);
  if (row.find("verdicts"))
    for (const JsonNode& one : row.list("verdicts"))
      check.verdicts.push_back(verdict_of(row.item(one)));
  check.seconds = row.number("seconds");
  return check;
}

Shard shard_of(const Member& row, std::size_t checks) {
  Shard shard{.number = row.whole("number"),
              .of = row.whole("of"),
              .manifest = row.text("manifest"),
              .checks = row.whole("checks")};
  for (const JsonNode& one : row.list("numbers")) shard.numbers.push_back(row.whole(one));
  Index before = 0;
  for (const Index number : shard.numbers) {
    if (number <= before || number > shard.checks) row.refuse("numbers of checks do not rise");
    before = number;
  }
  if (shard.number < 1 || shard.number > shard.of || shard.numbers.size() != checks)
    row.refuse("its shard is not that of its checks");
  return shard;
}

// A check of all laws has some 120 values in 8 kB, and a line has but one.
constexpr std::size_t bytes_of_value = 16;
// What a byte of a report takes in memory: its text, its values, the checks, and what they are
// written as again.
constexpr std::uint64_t bytes_held = 24;

}  // namespace

Report parse_report(const std::string& text, const std::string& file) {
  const JsonNode root = parse_json(text, file, 1000 + text.size() / bytes_of_value);
  const Member top(root, file);
  if (top.whole("schema_version") != 1) top.refuse("schema_version must be 1");
  Report report{top.text("tool"), top.text("version"), top.text("command"), {}, {}};
  if (report.version != version())
    throw FileError(fmt::format("{} was written by version {}, and this is {}: run both alike",
                                file, report.version, version()));
  for (const JsonNode& one : top.list("checks")) report.checks.push_back(check_of(top.item(one)));
  if (top.find("shard")) report.shard = shard_of(top.object("shard"), report.checks.size());
  if (to_json(report) != text)
    top.refuse("it was changed or cut: what it says would be written otherwise");
  return report;
}

Report read_report(const std::string& path) {
  const io::Source source(path);
  Held held;
  if (!held.take(std::min<std::uint64_t>(source.size(), UINT64_MAX / bytes_held) * bytes_held))
    source.refuse(fmt::format("a report of {} MiB takes {} times that in memory, more than {}",
                              source.size() >> 20, bytes_held, held.budget().spell_most()));
  return parse_report(source.read_text(0, static_cast<std::size_t>(source.size())), source.shown());
}

}  // namespace pe
