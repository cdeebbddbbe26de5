// Reports as text and Markdown for people, and as JSON, JUnit, CSV and HDF5 for programs.
#pragma once

#include <functional>
#include <string>

#include "pe/verify/check.hpp"

namespace pe {

/// One check for people, in lines of at most 100 columns: for laws a line for each verdict, of one
/// that fails the place below it, and a line that counts them; for a dump the verdict first, then
/// what was recognised, how far it lies from the truth and where. `explain` adds where the bounds
/// come from and what was looked at, `color` the colours of a terminal.
std::string to_text(const Check& check, bool color, bool explain);

/// One check of many as one line, its name padded to `wide`.
std::string to_line(const Check& check, std::size_t wide, bool color);

/// "3 checks: 1 passed, 1 failed, 1 untold".
std::string summary_of(const Report& report);

/// NaN and infinities as strings.
std::string to_json(const Report& report);

/// As GitHub, GitLab and Jenkins read it: a test case for each dump and for each law. Valid by
/// junit-10.xsd of Jenkins' xunit plugin, whose times have three decimals.
std::string to_junit(const Report& report);

/// As a pull request shows it: a table of the checks, those that failed first, and the details of
/// each of those folded below it. Nothing that a file or a manifest says is read as Markdown, HTML,
/// a mention or a link.
std::string to_markdown(const Report& report);

/// A row for each dump and for each law.
std::string to_csv(const Report& report);

/// For each check that did not pass, a line that GitHub's runner shows beside the file, or at the
/// line of the manifest that asked for it: ::error file=…,line=…,title=…::message
std::string to_annotations(const Report& report);

/// The check, where `spell` can do with it what reports do; else one that could not be told, and
/// why. So one odd dump never costs the report of the others.
Check tellable(Check check, const std::function<void(const Check&)>& spell);
/// The same with every spelling that a report has.
Check tellable(Check check);

/// Writes the report in the format of the path's suffix (.json, .xml, .md, .csv, .h5, .hdf5); "-"
/// is JSON on stdout. Throws UsageError for another suffix.
void write_report(const Report& report, const std::string& path);

/// Those suffixes, with blanks between.
std::string report_suffixes();

/// What write_report would throw for the suffix, before any work.
void check_report_path(const std::string& path);

}  // namespace pe
