// Rows kept in runs that are made at once.
#include "pe/kinds/kept_rows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace pe {
namespace {

constexpr Index most_bytes = Index{1} << 25, rows_of_run = 1024;

class KeptRows {
 public:
  KeptRows(Table table, const PositionRange& positions, DType dtype)
      : table_(std::move(table)),
        positions_(positions),
        dtype_(dtype),
        row_(static_cast<std::size_t>(table_.width) * size_of(dtype)),
        runs_(static_cast<std::size_t>((positions.count + rows_of_run - 1) / rows_of_run)) {}

  void fill(const PositionRange& asked, DType dtype, std::byte* out) {
    if (dtype != dtype_ || !are_all_kept(asked)) return table_.fill(asked, dtype, out);
    const std::lock_guard lock(mutex_);
    for (Index i = 0; i < asked.count; ++i, out += row_)
      std::memcpy(out, row(asked.at(i) - positions_.first), row_);
  }

 private:
  bool are_all_kept(const PositionRange& asked) const {
    if (asked.count == 0 || asked.decimals != 0) return false;
    const auto [low, high] = std::minmax({asked.at(0), asked.at(asked.count - 1)});
    return low >= positions_.first && high < positions_.first + positions_.count;
  }

  const std::byte* row(Index index) {
    const Index first = index / rows_of_run * rows_of_run;
    std::vector<std::byte>& run = runs_[static_cast<std::size_t>(index / rows_of_run)];
    if (run.empty()) {
      const Index count = std::min(rows_of_run, positions_.count - first);
      std::vector<std::byte> made(static_cast<std::size_t>(count) * row_);
      table_.fill(positions_.slice(first, count), dtype_, made.data());
      run = std::move(made);
    }
    return run.data() + static_cast<std::size_t>(index - first) * row_;
  }

  Table table_;
  PositionRange positions_;
  DType dtype_;
  std::size_t row_;
  std::mutex mutex_;
  std::vector<std::vector<std::byte>> runs_;
};

}  // namespace

Effect with_kept_rows(const Effect& effect, const PositionRange& positions, DType dtype) {
  const auto* table = std::get_if<Table>(&effect);
  if (!table || !table->solving || positions.step != 1 || positions.decimals != 0) return effect;
  const Index row = table->width * static_cast<Index>(size_of(dtype));
  if (row == 0 || positions.count > most_bytes / row) return effect;
  Table kept = *table;
  kept.fill = [rows = std::make_shared<KeptRows>(*table, positions, dtype)](
                  const PositionRange& asked, DType as, std::byte* out) {
    rows->fill(asked, as, out);
  };
  return kept;
}

}  // namespace pe
