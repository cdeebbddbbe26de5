// The null of a table's statistics: what they are of tables of noise of the same shape.
#pragma once

#include <functional>
#include <vector>

#include "pe/analyze/probe/table_statistics.hpp"
#include "pe/analyze/quantity.hpp"

namespace pe {

/// What is asked of each table, theirs and noise.
using Asked = std::function<std::vector<double>(const TableStatistics&)>;

/// The answers of `--draws` tables of N(0, 1), drawn with `--seed`, side by side.
std::vector<std::vector<double>> noise_answers(const Question& question, Index rows, Index width,
                                               const Asked& asked);

struct Null {
  double mean = 0, deviation = 0;
};
/// Of one answer, over the tables.
Null null_of(const std::vector<std::vector<double>>& answers, std::size_t index);

}  // namespace pe
