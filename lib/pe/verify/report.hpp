// Reports as text for people, and as JSON, JUnit, CSV and HDF5 for programs.
#pragma once

#include <functional>
#include <string>

#include "pe/verify/check.hpp"

namespace pe {

/// One check in full: for laws a line for each verdict, its bound's derivation and coverage
/// indented below, and a line that counts them; for a dump the verdict first, then what was
/// recognised, how far it lies from the truth and where. `color` adds terminal colours.
std::string to_text(const Check& check, bool color);

/// One check of many as one line, its name padded to `wide`.
std::string to_line(const Check& check, std::size_t wide, bool color);

/// "3 checks: 1 passed, 1 failed, 1 untold".
std::string summary_of(const Report& report);

/// NaN and infinities as strings.
std::string to_json(const Report& report);

/// As GitHub, GitLab and Jenkins read it: a test case for each dump and for each law.
std::string to_junit(const Report& report);

/// A row for each dump and for each law.
std::string to_csv(const Report& report);

/// For each check that did not pass, a line that GitHub's runner shows beside the file: ::error
/// file=…,title=…::message
std::string to_annotations(const Report& report);

/// The check, where `spell` can do with it what reports do; else one that could not be told, and
/// why. So one odd dump never costs the report of the others.
Check tellable(Check check, const std::function<void(const Check&)>& spell);
/// The same with every spelling that a report has.
Check tellable(Check check);

/// Writes the report in the format of the path's suffix (.json, .xml, .csv, .h5, .hdf5); "-" is
/// JSON on stdout. Throws UsageError for another suffix.
void write_report(const Report& report, const std::string& path);

/// What write_report would throw for the suffix, before any work.
void check_report_path(const std::string& path);

}  // namespace pe
