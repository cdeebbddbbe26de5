// What rows and values cost.
#include "pe/analyze/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "pe/base/team.hpp"

namespace pe {
namespace {

const Table* solved(const Subject& subject) {
  const Table* table = std::get_if<Table>(&subject.effect);
  return table && table->solving ? table : nullptr;
}

}  // namespace

double threads_of(const Question& question) {
  return std::min(static_cast<double>(team_size(question.threads)),
                  static_cast<double>(std::max(1u, std::thread::hardware_concurrency())));
}

double row_work(const Subject& subject) {
  const Table* table = solved(subject);
  return table ? table->solving->slopes * table->solving->operations : 0;  // a nanosecond each
}

double value_seconds(const Bias& bias, const PositionRange& keys) {
  const PositionRange few = keys.slice(0, std::min<Index>(keys.count, 512));
  const std::int64_t query = std::max(few.at(0), few.at(few.count - 1));  // later keys are masked
  std::vector<double> values(static_cast<std::size_t>(few.count));
  return seconds_of([&] {
           bias.fill(0, query, few, DType::f64, reinterpret_cast<std::byte*>(values.data()));
         }) /
         static_cast<double>(few.count);
}

void begin_rows(const Question& question, double last) {
  if (question.of_file) return;
  if (const Table* table = solved(question.subject)) begin(work_of(*table->solving, last));
}

}  // namespace pe
