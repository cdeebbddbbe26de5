// Cause: what can be wrong with a dump, by name; the rows of causes.def.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pe {

/// How good a dump is, best first.
enum class Tier {
  exact,    // every value is the correctly rounded one (f64: within 1 ulp)
  drift,    // every value lies within the bound of a known arithmetic, linear in the angle
  storage,  // right, but its values were rounded to a shorter type than the file's before they were
            // written
  wrong,    // it is another table; reasons say which, or the cause is unexplained
};
std::string_view name_of(Tier tier);

/// One of the rows of causes.def; causes.hpp has the enumerators, for those who name one.
enum class Cause : int;

/// A row of the catalogue of causes.
struct CauseRow {
  Cause cause;
  std::string_view name;       // wrong-base
  std::string_view statement;  // "the frequencies are powers of another base"
  std::string_view kinds;      // of dumps that can show it: "turns", "bias", "buckets", "rows"
  Tier tier = Tier::wrong;     // the best that a dump with this cause can be
};

/// Every cause, in the order in which explanations of equal size are preferred.
std::span<const CauseRow> all_causes();

const CauseRow& row_of(Cause cause);
std::string_view name_of(Cause cause);

/// One step of an explanation.
struct Reason {
  Cause cause;
  std::string sentence;  // "base 500000, where 10000 (default) is meant"

  bool operator==(const Reason&) const = default;
};

/// What alone would make a dump wrong stands before what only tells how its numbers were rounded.
void put_gravest_first(std::vector<Reason>& reasons);

/// "base 500000, where 10000 (default) is meant [wrong-base]"; of several one after the other.
std::string spell(const Reason& reason);
std::string spell(const std::vector<Reason>& reasons);

}  // namespace pe
