// CSV: fields as columns for people and plotting tools, and tables of numbers read back.
#pragma once

#include "pe/io/format.hpp"

namespace pe::io {

void write_csv(const Job& job);
std::vector<Offered> open_csv(const std::shared_ptr<const Source>& source, const RawForm& raw);
/// All columns that name no place as one array [row, column]; of a tidy file the one array that it
/// spells out.
Array read_csv(const Source& source);

/// The numbers of a file, row by row, and the names of its columns, where it has a header.
struct CsvTable {
  std::vector<std::string> header;
  Index rows = 0, columns = 0;
  std::vector<double> values;
};
CsvTable read_csv_table(const Source& source);

}  // namespace pe::io
