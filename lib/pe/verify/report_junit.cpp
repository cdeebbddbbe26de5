// Reports as JUnit XML, and as annotations of GitHub's runner.
#include <fmt/format.h>

#include <filesystem>

#include "pe/verify/columns.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace {

using namespace report_parts;

std::string escape(std::string_view text, bool keep_newlines = false) {
  std::string escaped;
  for (const char c : printable(text, keep_newlines)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

// One <testcase>: a check, or a law of it.
struct TestCase {
  std::string class_name = {}, name = {}, failure = {}, type = {}, error = {}, skipped = {},
              details = {};
  double seconds = 0;
};

TestCase law_case(const std::string& class_name, const Verdict& verdict) {
  TestCase law{.class_name = class_name, .name = verdict.law, .seconds = verdict.seconds};
  const Measurement& m = verdict.measurement;
  if (verdict.word == Word::skipped) {
    law.skipped = m.skipped;
    return law;
  }
  for (const std::string& line :
       {fmt::format("{}: worst {:.4g}, bound {:.4g} ({})", name_of(verdict.word), m.worst, m.bound,
                    m.bound_from),
        m.witness, m.coverage, "power: " + report_parts::spell(m.power)})
    law.details += folded(printable(line), 0, 2) + "\n";
  if (verdict.word != Word::fails) return law;
  law.failure = fmt::format("{} fails: {}; {} {}", verdict.law,
                            verdict.plain.empty() ? verdict.statement : verdict.plain,
                            measured(verdict), m.witness);
  law.type = verdict.law;
  return law;
}

TestCase whole_case(const std::string& class_name, const Check& check) {
  TestCase whole{.class_name = class_name,
                 .name = check.name,
                 .details = to_text(check, false, true),
                 .seconds = check.seconds};
  const std::string surprise = surprise_of(check);
  const std::string sentence =
      fmt::format("{}{}", surprise.empty() ? "" : surprise + "; found: ", sentence_of(check));
  if (check.exit_code() == 1) whole.failure = sentence;
  if (check.exit_code() == 2) whole.error = sentence;
  if (check.diagnosis && !check.diagnosis->reasons.empty())
    whole.type = name_of(check.diagnosis->reasons.front().cause);
  return whole;
}

std::vector<TestCase> cases_of(const Report& report) {
  std::vector<TestCase> cases;
  for (const Row& row : rows_of(report)) {
    const Check& check = *row.check;
    const std::string& encoding = check.provenance.encoding;
    if (row.verdict && !check.expected)
      cases.push_back(law_case(fmt::format("{}.{}", report.tool, check.name), *row.verdict));
    else if (!row.verdict || row.verdict == &check.verdicts.front())
      // Held against what was expected: one case for all laws.
      cases.push_back(whole_case(
          fmt::format("{}.{}", report.tool, encoding.empty() ? "check" : encoding), check));
  }
  return cases;
}

// What went wrong says itself, so that it stands there once; of the others system-out does.
std::string spell(const TestCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n",
                                 escape(one.class_name), escape(one.name), one.seconds);
  const auto ends = [&](const char* element, const std::string& message, const char* type) {
    text +=
        fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element, escape(message),
                    escape(one.type.empty() ? type : one.type), escape(one.details, true));
  };
  if (!one.failure.empty()) ends("failure", one.failure, "unexpected");
  if (!one.error.empty()) ends("error", one.error, "untold");
  if (!one.skipped.empty())
    text += fmt::format("      <skipped message=\"{}\"/>\n", escape(one.skipped));
  if (one.failure.empty() && one.error.empty() && !one.details.empty())
    text += fmt::format("      <system-out>{}</system-out>\n", escape(one.details, true));
  return text + "    </testcase>\n";
}

std::string escape_message(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : printable(shortened(text), true)) switch (c) {
      case '%':
        escaped += "%25";
        break;
      case '\n':
        escaped += "%0A";
        break;
      case ':':
        escaped += property ? "%3A" : ":";
        break;
      case ',':
        escaped += property ? "%2C" : ",";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

}  // namespace

std::string to_junit(const Report& report) {
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  for (const TestCase& one : cases_of(report)) {
    cases += spell(one);
    ++tests;
    failures += !one.failure.empty();
    errors += !one.error.empty();
    skipped += !one.skipped.empty();
    seconds += one.seconds;
  }
  // junit-10.xsd knows no skipped="…" of the whole.
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{0}\" {1} "
      "time=\"{5:.3f}\">\n  "
      "<testsuite name=\"{2}\" {1} skipped=\"{4}\" time=\"{5:.3f}\">\n{3}  </testsuite>\n"
      "</testsuites>\n",
      escape(report.tool), counts, escape(report.command), cases, skipped, seconds);
}

namespace {

// "file=cos.bin,", without the name of a tensor; of a check of a manifest "file=ci.json,line=7,".
std::string place_of(const Check& check) {
  if (!check.manifest.empty())
    return fmt::format("file={},{}", escape_message(check.manifest, true),
                       check.line > 0 ? fmt::format("line={},", check.line) : std::string());
  if (check.files.empty()) return "";
  std::string file = check.files.front();
  if (const auto colon = file.rfind(':');
      colon != std::string::npos && file.find('/', colon) == std::string::npos)
    file.resize(colon);
  file = std::filesystem::path(file).lexically_normal().string();
  return fmt::format("file={},", escape_message(file, true));
}

}  // namespace

std::string to_annotations(const Report& report) {
  std::string text;
  for (const Check& check : report.checks) {
    if (check.exit_code() == 0) continue;
    const std::string surprise = surprise_of(check);
    text +=
        fmt::format("::error {}title={}::{}{}\n", place_of(check), escape_message(check.name, true),
                    escape_message(surprise.empty() ? "" : surprise + "; found: ", false),
                    escape_message(sentence_of(check), false));
  }
  return text;
}

}  // namespace pe
