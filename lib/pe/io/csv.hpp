// CSV: fields as columns for people and plotting tools, and tables of numbers read back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pe/base/budget.hpp"
#include "pe/io/format.hpp"

namespace pe::io {

void write_csv(const Job& job);
std::vector<Offered> open_csv(const std::shared_ptr<const Source>& source, const RawForm& raw);
/// All columns that name no place as one array [row, column]; of a tidy file the one array that it
/// spells out.
Array read_csv(const Source& source);

/// Numbers one after another, held in blocks that never move, and taken from the budget in scope.
class Numbers {
 public:
  /// `source` is refused where there is no room for one more.
  void push_back(const Source& source, double value) {
    if (size_ % block == 0) grow(source);
    blocks_[size_ / block][size_ % block] = value;
    ++size_;
  }
  void append(const Source& source, std::span<const double> values);
  double operator[](std::size_t i) const { return blocks_[i / block][i % block]; }

 private:
  static constexpr std::size_t block = 1 << 17;

  void grow(const Source& source);

  Held held_;
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::size_t size_ = 0;
};

/// The numbers of a file, row by row, and the names of its columns, where it has a header.
struct CsvTable {
  std::vector<std::string> header;
  Index rows = 0, columns = 0;
  Numbers values;

  double at(Index row, Index column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};
std::shared_ptr<const CsvTable> read_csv_table(const Source& source);

}  // namespace pe::io
