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
