// Reports as Markdown, for a pull request or the summary of a job.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "pe/verify/columns.hpp"
#include "pe/verify/report.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace {

using namespace report_parts;

// A comment of GitHub's holds 65536 characters: details of more checks than this are counted only,
// and no detail is longer than this.
constexpr std::size_t most_details = 12, longest_detail = 4000;

// Inside <code> nothing is a mention, an issue or an emoji; as references the marks of Markdown,
// HTML and links are none (CommonMark 0.30, 2.5: "cannot be used in place of symbols indicating
// structure").
std::string referenced(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || std::isalnum(byte) || c == ' ' || c == ',' || c == '-';
    escaped += plain ? std::string(1, c) : fmt::format("&#{};", byte);
  }
  return "<code>" + escaped + "</code>";
}

// As it is typed, between backticks: there every other character stands for itself (CommonMark
// 0.30, 6.1), and reads well before it is rendered, too. Two do not: a backtick, which ends the
// span, and the bar, which ends a cell of a table whatever it stands in (GFM, 4.10).
std::string code(std::string_view text) {
  const std::string line = printable(text);
  if (line.find_first_of("`|\n\r") != line.npos) return referenced(line);
  return line.empty() ? "" : "`" + line + "`";
}

// In a line of HTML, such as <summary>, Markdown is not read (CommonMark 0.30, 4.6): a name ends
// there by what ends a text of HTML alone, or by an empty line, which printable() leaves none of.
std::string html_code(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '<' || c == '>' || c == '&' || c == '\n' || c == '\r')
      escaped += fmt::format("&#{};", static_cast<unsigned char>(c));
    else
      escaped += c;
  }
  return escaped.empty() ? "" : "<code>" + escaped + "</code>";
}

// Lines as they are: in a fence longer than any run of backticks in them.
std::string fenced(std::string text) {
  if (text.size() > longest_detail) {
    text.resize(text.rfind('\n', longest_detail) == std::string::npos
                    ? longest_detail
                    : text.rfind('\n', longest_detail));
    text = printable(text, true) + "\n…\n";
  }
  std::size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fmt::format("{0}text\n{1}{2}{0}\n", fence, text, text.ends_with('\n') ? "" : "\n");
}

std::string mark_of(const Check& check) {
  constexpr const char* marks[] = {"✅ passed", "❌ failed", "❔ untold"};
  return marks[check.exit_code()];
}

std::string said_of(const Check& check) {
  const std::string surprise = surprise_of(check);
  return (surprise.empty() ? "" : surprise + "; found: ") + sentence_of(check);
}

// Those that failed, those that could not be told, those that passed; each as the report has them.
std::vector<const Check*> worst_first(const Report& report) {
  std::vector<const Check*> checks;
  for (const int code : {1, 2, 0})
    for (const Check& check : report.checks)
      if (check.exit_code() == code) checks.push_back(&check);
  return checks;
}

std::string headline_of(const Report& report) {
  const std::size_t size = report.checks.size();
  const Index failed = report.count(1), untold = report.count(2);
  if (failed + untold == 0)
    return size == 1 ? "## ✅ The check passed\n" : fmt::format("## ✅ All {} checks passed\n", size);
  std::string text =
      failed > 0 ? fmt::format("## ❌ {} of {} check{} failed", failed, size, size == 1 ? "" : "s")
                 : fmt::format("## ❔ {} of {} check{} could not be told", untold, size,
                               size == 1 ? "" : "s");
  if (failed > 0 && untold > 0) text += fmt::format(", {} could not be told", untold);
  return text + "\n";
}

std::string row_of(const Check& check) {
  const std::string where = check.files.empty() ? "its laws" : code(files_of(check));
  return fmt::format("| {} | {} | {} | {} | {} |\n", mark_of(check), code(check.name),
                     code(check.provenance.encoding), where, code(said_of(check)));
}

std::string details_of(const Check& check, bool open) {
  return fmt::format("<details{}>\n<summary>{} {}</summary>\n\n{}\n</details>\n\n",
                     open ? " open" : "", mark_of(check), html_code(check.name),
                     fenced(to_text(check, false, check.diagnosis.has_value())));
}

}  // namespace

std::string to_markdown(const Report& report) {
  std::string text = headline_of(report) +
                     "\n| | check | encoding | of | what was found |\n|---|---|---|---|---|\n";
  const std::vector<const Check*> checks = worst_first(report);
  for (const Check* check : checks) text += row_of(*check);
  text += "\n";
  std::size_t told = 0, left = 0;
  for (const Check* check : checks) {
    if (check->exit_code() == 0 && checks.size() > 1) continue;
    if (told++ < most_details)
      text += details_of(*check, checks.size() == 1);
    else
      ++left;
  }
  if (left > 0) text += fmt::format("The details of {} more are in the other reports.\n\n", left);
  return text +
         fmt::format("{} {}: {}\n", code(report.tool), code(report.version), code(report.command));
}

}  // namespace pe
