// Positions held to those that exist before any table is looked into.
#include "pe/kinds/bias_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "pe/base/narrow.hpp"

namespace pe {

Bias within_rows(Bias bias) {
  if (!bias.rows || !bias.fill) return bias;
  bias.fill = [fill = std::move(bias.fill), rows = *bias.rows](Index head, std::int64_t query,
                                                               const PositionRange& keys,
                                                               DType dtype, std::byte* out) {
    const auto exists = [rows](std::int64_t p) { return p >= 0 && p < rows; };
    if (exists(query) && exists(keys.at(0)) && exists(keys.at(keys.count - 1)))
      return fill(head, query, keys, dtype, out);
    std::vector<double> row(static_cast<std::size_t>(keys.count),
                            std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < keys.count; ++i)
      if (exists(query) && exists(keys.at(i)))
        fill(head, query, {keys.at(i), 1, 1, 0}, DType::f64,
             reinterpret_cast<std::byte*>(&row[static_cast<std::size_t>(i)]));
    narrow(row, dtype, out);
  };
  return bias;
}

}  // namespace pe
