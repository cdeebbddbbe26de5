// Sheets as a page shows them: no more numbers than it holds, no place that nothing stands at.
#pragma once

#include <string>
#include <vector>

#include "pe/analyze/sheet.hpp"

namespace pe {

/// Without the names that each subject has to itself: an axis along which each has one place alone.
void drop_own_names(Sheet& sheet);

/// Leaves out coordinates until no more than `most` numbers are left, and says so: a sentence for
/// each axis that lost some, none where all have room. What stays, stays as it is: of curves the
/// points where one is least or greatest among its neighbours, of maps one row and column in so
/// many. Axes of names keep all of them.
std::vector<std::string> fit(Sheet& sheet, Index most);

}  // namespace pe
