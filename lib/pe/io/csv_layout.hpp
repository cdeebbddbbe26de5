// Which fields of a job stand together in one csv, and how.
#pragma once

#include <string>
#include <vector>

#include "pe/io/csv_text.hpp"
#include "pe/io/format.hpp"

namespace pe::io {

/// Fields as columns.
struct CsvLayout {
  std::vector<const Field*> columns;   // in the order given
  std::vector<std::string> constants;  // beside it: the text of a scalar's value, else ""
  const Field* leader = nullptr;  // a field whose axes all others share; null when all are scalars
  bool tidy = false;              // one row per element
  bool compares = false;          // several subjects, which need not all have every element

  Index lines() const { return leader ? leader->lines() : 1; }
};

/// Throws UsageError where they cannot stand in one.
CsvLayout lay_out(const Job& job);

/// The line of names.
void put_header(const CsvLayout& layout, Text& text);

}  // namespace pe::io
