// Stripes: entries along one axis of an array, as heads, keys or channels, that are wrong in most
// of their cells where all others are right.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/diagnosis/cause.hpp"

namespace pe {

class StripeTally {
 public:
  struct Axis {
    std::string one, many;  // what entries are called: "query", "queries"
    Index extent = 1;
    std::int64_t first = 0;  // number of the first entry
    Cause zero;              // what speaks of entries that hold nothing
  };
  /// What speaks of entries with the other sign, times a number, and with other numbers.
  struct Causes {
    Cause negative, multiple, other;
  };

  /// Axes of more than 2^17 entries are not told of.
  StripeTally(std::vector<Axis> axes, Causes causes);

  /// A cell at its entry of each axis; false where nothing can be told any more.
  bool add(std::span<const Index> at, double got, double want, double allowed);

  /// What the wrong entries of an axis hold, where they are no more than half of it: of several
  /// axes by the one most of whose cells are wrong there.
  std::optional<Reason> reason() const;

 private:
  // Of one entry: cells that are off zero by more than their bound, and those that are wrong.
  struct Entry {
    Index seen = 0, wrong = 0, zero = 0, negative = 0;
    double excess = 0;  // that is largest, in bounds
    double least = std::numeric_limits<double>::infinity(), most = -least;  // number
    double low = -std::numeric_limits<double>::infinity(), high = -low;     // of what is meant
  };
  struct Line {
    Axis axis;
    std::vector<Entry> entries;
    Index wrong = 0;  // entries
  };

  static double density(const Line& line);
  Reason told(const Line& line) const;

  std::vector<Line> lines_;
  Causes causes_;
};

}  // namespace pe
