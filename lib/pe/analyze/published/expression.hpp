// Expression: a number (or a word) said in terms of a sheet's columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pe/analyze/sheet.hpp"

namespace pe {

/// Numbers, or words where a column holds words.
struct Value {
  std::vector<double> numbers;
  std::vector<std::string> words = {};
};

/// What an expression says of a sheet:
///   ratio[rule=yarn,pair=3]         a column (or an axis) where axes have these coordinates
///   1.5  [1, 2, 4]  a + b − · / a   numbers, lists and arithmetic, element by element; < > = give
///                                   1 or 0
///   max min sum mean count(a)       of a list; count is of what is not 0 and no NaN
///   distinct(a)  steps(a)   how many different numbers; each number less the one before
///   log exp sqrt abs(a)  slope intercept(x, y)    least squares
/// Throws UsageError where it makes no sense, naming the columns and axes that there are.
Value evaluate(std::string_view expression, const Sheet& sheet);

}  // namespace pe
