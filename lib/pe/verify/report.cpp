// Choosing the spelling of a report, and what the spellings share.
#include "pe/verify/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "pe/base/error.hpp"
#include "pe/io/file.hpp"
#include "pe/io/writable.hpp"
#include "pe/verify/report_parts.hpp"

namespace pe {
namespace report_parts {

std::string spell(const Power& power) {
  if (!std::isfinite(power.change))
    return power.at.empty() ? "not told" : "no change of one cell need be seen: " + power.at;
  return fmt::format("any change of one cell above {:.3g} is seen; least at {}", power.change,
                     power.at);
}

std::string files_of(const Check& check) { return fmt::format("{}", fmt::join(check.files, ", ")); }

}  // namespace report_parts

namespace {

void write_fields(const Report& report, const std::string& path) {
  Provenance from{report.tool, report.version, report.command, "", "", "", "", {}};
  from.texts = report_parts::texts_of(report);
  write(report_parts::fields_of(report), from, {.path = path, .format = Format::hdf5});
}

struct Spelling {
  std::string_view suffix;
  std::string (*spell)(const Report&);  // null: HDF5
};
constexpr Spelling spellings[] = {{".json", to_json}, {".xml", to_junit}, {".md", to_markdown},
                                  {".csv", to_csv},   {".h5", nullptr},   {".hdf5", nullptr}};

const Spelling& spelling_of(const std::string& path) {
  if (path == "-") return spellings[0];
  const std::string suffix = std::filesystem::path(path).extension().string();
  for (const Spelling& spelling : spellings)
    if (spelling.suffix == suffix) return spelling;
  if (suffix.empty())
    throw UsageError(
        fmt::format("'{}' has no suffix, which says what the report is: take one of {} (JUnit is "
                    ".xml, Markdown .md)",
                    path, report_suffixes()));
  throw UsageError(fmt::format(
      "no report has the suffix '{}' of '{}': take one of {} (JUnit is .xml, Markdown .md)", suffix,
      path, report_suffixes()));
}

}  // namespace

Check tellable(Check check, const std::function<void(const Check&)>& spell) {
  try {
    spell(check);
    return check;
  } catch (const std::exception& error) {
    check.diagnosis.reset();
    check.verdicts.clear();
    check.error = fmt::format("what was found cannot be put into words: {}", error.what());
    return check;
  }
}

Check tellable(Check check) {
  return tellable(std::move(check), [](const Check& one) {
    const Report alone{"", "", "", {one}};
    to_text(one, false, true);
    to_line(one, 0, false);
    to_annotations(alone);
    report_parts::fields_of(alone);
    report_parts::texts_of(alone);
    for (const Spelling& spelling : spellings)
      if (spelling.spell) spelling.spell(alone);
  });
}

std::string report_suffixes() {
  std::string all;
  for (const Spelling& spelling : spellings)
    all += fmt::format("{}{}", all.empty() ? "" : " ", spelling.suffix);
  return all;
}

void check_report_path(const std::string& path) {
  spelling_of(path);
  check_path(path);
}

void write_report(const Report& report, const std::string& path) {
  const Spelling& spelling = spelling_of(path);
  if (spelling.spell)
    write_text(spelling.spell(report), path);
  else
    write_fields(report, path);
}

}  // namespace pe
