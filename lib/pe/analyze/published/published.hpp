// Published: what papers and notes print, recomputed and judged.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pe/analyze/sheet.hpp"

namespace pe {

/// A row of data/published.csv.
struct Claim {
  std::string paper;    // RoFormer, arXiv:2104.09864
  std::string place;    // table 2, row 3
  std::string what;     // what the number is
  std::string printed;  // as it stands there: 4.3e3, 1/256, "sinusoidal"
  std::string command;  // that makes the numbers again: pe-analyze … or pe-gen …
  std::string value;    // an expression of what the command makes
  std::string ours;     // what it was when the row was written
  std::string verdict;  // match, differs, refuted, ambiguous
  std::string reason;   // which reading of the paper this is, or why it is not so
};

/// The rows of the file that the library was built with.
const std::vector<Claim>& all_claims();

/// Rows of text in the form of data/published.csv. Throws FileError that names `shown` and the
/// line.
std::vector<Claim> read_claims(std::string_view text, const std::string& shown);

/// Makes a command's numbers.
using Recompute = std::function<Sheet(const std::string& command)>;

/// A claim recomputed: our value now, and "" or what does not hold: a printed number within half of
/// its last place of ours is a match and nothing else; a verdict, and the number recorded, must be
/// what they were.
struct Recomputed {
  std::string ours, fault;
};
Recomputed recompute(const Claim& claim, const Recompute& make);

/// Whether our number is the printed one: within half a unit of its last place, or within what
/// follows ±. "1/256" is exact to 1e-12.
bool agrees(double ours, const std::string& printed);

}  // namespace pe
