// What the spellings of a report share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/base/text.hpp"
#include "pe/model/field.hpp"
#include "pe/verify/check.hpp"

namespace pe::report_parts {

/// "a change of 3.1e-07 is seen everywhere (least at position 4, pair 0)".
std::string spell(const Power& power);

inline constexpr std::string_view green = "\x1b[32m", red = "\x1b[31m", yellow = "\x1b[33m",
                                  cyan = "\x1b[36m";
std::string colored(std::string_view text, std::string_view code, bool color);

/// "5.58e-07 ≤ 2.7e-06", "≤ 8.43e-08 (proved)", "no exception": what a law that was not skipped
/// found, with as many digits as it takes to see which is larger.
std::string measured(const Verdict& verdict);

/// A line for each verdict, the witness of a failure below it; with `explain` of every one what was
/// looked at and found, where its bound comes from, and what it would have seen.
std::string laws_of(const std::vector<Verdict>& verdicts, bool color, bool explain);

/// "dump.npz:cos, dump.npz:sin".
std::string files_of(const Check& check);

/// A dump, a law of a check, or a check that could not be told (both null).
struct Row {
  const Check* check;
  const Verdict* verdict;
};
std::vector<Row> rows_of(const Report& report);

/// The rows as fields with texts beside them, for HDF5.
std::vector<Field> fields_of(const Report& report);
std::vector<Provenance::Texts> texts_of(const Report& report);

}  // namespace pe::report_parts
