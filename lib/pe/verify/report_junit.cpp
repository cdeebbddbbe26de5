// Reports as JUnit XML, and as annotations of GitHub's runner.
#include <fmt/format.h>

#include <filesystem>

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
  std::string class_name, name, failure, error, skipped, details;
  double seconds = 0;
};

std::vector<TestCase> cases_of(const Report& report) {
  std::vector<TestCase> cases;
  for (const Row& row : rows_of(report)) {
    const Check& check = *row.check;
    const Verdict* verdict = row.verdict;
    if (verdict && !check.expected) {
      TestCase law{fmt::format("{}.{}", report.tool, check.name),
                   verdict->law,
                   "",
                   "",
                   "",
                   "",
                   verdict->seconds};
      const Measurement& m = verdict->measurement;
      if (verdict->word == Word::skipped)
        law.skipped = m.skipped;
      else
        law.details = fmt::format("{}: worst {:.4g}, bound {:.4g} ({})\n{}\n{}\npower: {}\n",
                                  name_of(verdict->word), m.worst, m.bound, m.bound_from, m.witness,
                                  m.coverage, report_parts::spell(m.power));
      if (verdict->word == Word::fails)
        law.failure = fmt::format("{} fails: worst {:.4g} > {:.4g} {}", verdict->law, m.worst,
                                  m.bound, m.witness);
      cases.push_back(law);
      continue;
    }
    if (verdict && verdict != &check.verdicts.front())
      continue;  // held against what was expected: one case for all laws
    const std::string encoding =
                          check.provenance.encoding.empty() ? "check" : check.provenance.encoding,
                      surprise = surprise_of(check);
    TestCase whole{fmt::format("{}.{}", report.tool, encoding),
                   check.name,
                   "",
                   "",
                   "",
                   to_text(check, false),
                   check.seconds};
    const std::string sentence =
        fmt::format("{}{}", surprise.empty() ? "" : surprise + "; found: ", sentence_of(check));
    if (check.exit_code() == 1) whole.failure = sentence;
    if (check.exit_code() == 2) whole.error = sentence;
    cases.push_back(whole);
  }
  return cases;
}

std::string spell(const TestCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n",
                                 escape(one.class_name), escape(one.name), one.seconds);
  if (!one.failure.empty())
    text += fmt::format("      <failure message=\"{}\">{}</failure>\n", escape(one.failure),
                        escape(one.details, true));
  if (!one.error.empty())
    text += fmt::format("      <error message=\"{}\">{}</error>\n", escape(one.error),
                        escape(one.details, true));
  if (!one.skipped.empty())
    text += fmt::format("      <skipped message=\"{}\"/>\n", escape(one.skipped));
  if (!one.details.empty())
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
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"",
                  tests, failures, errors, skipped, seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{0}\" {1}>\n  <testsuite "
      "name=\"{2}\" {1}>\n{3}  </testsuite>\n</testsuites>\n",
      escape(report.tool), counts, escape(report.command), cases);
}

std::string to_annotations(const Report& report) {
  std::string text;
  for (const Check& check : report.checks) {
    if (check.exit_code() == 0) continue;
    std::string file = check.files.empty() ? "" : check.files.front();
    if (const auto colon = file.rfind(':');
        colon != std::string::npos && file.find('/', colon) == std::string::npos)
      file.resize(colon);
    file = std::filesystem::path(file).lexically_normal().string();
    const std::string surprise = surprise_of(check);
    text += fmt::format("::error {}title={}::{}{}\n",
                        file.empty() ? "" : fmt::format("file={},", escape_message(file, true)),
                        escape_message(check.name, true),
                        escape_message(surprise.empty() ? "" : surprise + "; found: ", false),
                        escape_message(sentence_of(check), false));
  }
  return text;
}

}  // namespace pe
