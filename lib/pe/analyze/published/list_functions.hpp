// List functions: what an expression may do to a list of numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pe {

using Numbers = std::vector<double>;

/// The functions of one list, by name; nothing where there is none of that name. The list is not
/// empty.
std::optional<Numbers> list_function(std::string_view name, const Numbers& x);

/// Slope and value at 0 of the line nearest to the points (x, y), by least squares.
struct Line {
  double slope, intercept;
};
Line nearest_line(const Numbers& x, const Numbers& y);

}  // namespace pe
