// HTML: one page that shows the fields, with every number as the text that it is written as.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

/// Numbers that a page holds: a browser splits and paints so many in well under a second, and the
/// file stays below 6 MB. More are refused here; who leaves some out, says which
/// (fitted_sheet.hpp).
inline constexpr Index most_page_numbers = 1 << 18;

/// How many numbers the fields have together.
Index numbers_of(const std::vector<Field>& fields);

/// Throws UsageError for more numbers than a page holds.
void check_page(const std::vector<Field>& fields);
void write_html(const Job& job);

}  // namespace pe::io
