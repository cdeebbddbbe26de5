// Which row of a relative encoding's table each vector of a dump is.
#include "pe/diagnosis/buckets/vectors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pe/base/digits.hpp"
#include "pe/base/error.hpp"
#include "pe/base/kept.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/ulp.hpp"
#include "pe/diagnosis/buckets/buckets.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"

namespace pe {
namespace {

constexpr Index none = -1;  // no row's bucket

// The table that an array's vectors come from: values' where its name says so, or no other was
// given.
std::optional<Array> table_for(const Expectation& expected, const Stored& array) {
  const Relative* relative = std::get_if<Relative>(&expected.effect);
  if (!relative || expected.encoding->name != "shaw") return {};
  const bool names_values = array.name.find("value") != std::string::npos;
  const bool has_keys = !relative->terms.empty();
  if (relative->values && (names_values || !has_keys)) return relative->values;
  return has_keys ? std::optional(relative->terms[0].table) : std::nullopt;
}

// Real numbers that are not all whole.
bool holds_vectors(const Stored& array) {
  if (is_integer(array.dtype) || array.size() == 0) return false;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  array.read(0, std::ssize(some), some.data());
  return !std::ranges::all_of(some, [](double value) { return value == std::round(value); });
}

// [times, query, key, channel].
struct Pairs {
  Index times = 1, queries = 0, keys = 0, width = 0;

  Index count() const { return times * queries * keys; }
};

class Vectors {
 public:
  Vectors(const Expectation& expected, const Array& table, Kept<Stored> array, Pairs pairs)
      : array_(array), pairs_(pairs), rows_(table.size() / pairs.width) {
    const auto& relative = std::get<Relative>(expected.effect);
    for (Index i = 0; i < table.size(); ++i) {
      const double value = table.at(i),
                   angle = relative.sinusoids
                               ? 10 * half_ulp_f32 * static_cast<double>(1 + i / pairs.width)
                               : 0;
      table_.push_back(value);
      loose_.push_back(half_ulp_f32 * std::fabs(value) + angle);
    }
  }

  /// Which row each vector is, times `factor`; the one that `meant` has for it where several are
  /// one. Vectors that are none are counted.
  struct Found {
    std::vector<double> rows = {};
    Index none = 0, zeros = 0;
    bool exact = true;
  };
  Found find(const std::vector<Index>& meant, double factor) const {
    Found found;
    Index last = 0;
    each([&](Index pair, const double* got) {
      Index own = none;
      const Index at = meant[static_cast<std::size_t>(pair) % meant.size()];
      for (const Index likely : {at, last, last - 1, last + 1})
        if (own == none && likely >= 0 && likely < rows_ && is_row(got, likely, factor))
          own = likely;
      for (Index row = 0; row < rows_ && own == none; ++row)
        if (is_row(got, row, factor)) own = row;
      if (own == none) {
        ++found.none;
        found.zeros += std::all_of(got, got + pairs_.width, [](double v) { return v == 0; });
      } else {
        last = own;
        found.exact = found.exact && equals_row(got, own);
      }
      found.rows.push_back(static_cast<double>(own));
    });
    return found;
  }

  /// What the first vector that is no row's own, but one's multiple, was multiplied by, in the
  /// fewest digits that its rounding allows.
  std::optional<double> factor() const {
    constexpr Index looked = 16;
    std::vector<double> got(static_cast<std::size_t>(pairs_.width));
    for (Index i = 0; i < std::min(looked, pairs_.count()); ++i) {
      array_.read(i * pairs_.width, pairs_.width, got.data());
      for (Index row = 0; row < rows_; ++row) {
        const double* meant = row_of(row);
        const double over = std::inner_product(meant, meant + pairs_.width, meant, 0.0),
                     ratio = std::inner_product(got.begin(), got.end(), meant, 0.0) / over;
        if (!(over > 0) || ratio == 0 || ratio == 1 || !is_row(got.data(), row, ratio)) continue;
        for (int digits = 1; digits < 9; ++digits)
          if (const double tidy = to_digits(ratio, digits); is_row(got.data(), row, tidy))
            return tidy;
        return ratio;
      }
    }
    return {};
  }

  /// The channel of the table that each of the dump's is, where all are and not all are their own.
  std::vector<Index> order(const std::vector<Index>& meant) const {
    std::vector<std::vector<Index>> may(static_cast<std::size_t>(pairs_.width));
    for (auto& own : may) {
      own.resize(may.size());
      std::iota(own.begin(), own.end(), Index{0});
    }
    each([&](Index pair, const double* got) {
      const Index row = meant[static_cast<std::size_t>(pair) % meant.size()];
      for (std::size_t c = 0; c < may.size(); ++c)
        std::erase_if(may[c],
                      [&](Index other) { return !is_cell(got[c], row * pairs_.width + other, 1); });
    });
    std::vector<Index> order;
    for (const auto& own : may)
      if (!own.empty()) order.push_back(own.front());
    std::vector<Index> sorted = order;
    std::ranges::sort(sorted);
    const bool is_order = std::ssize(order) == pairs_.width &&
                          std::ranges::adjacent_find(sorted) == sorted.end() && sorted != order;
    return is_order ? order : std::vector<Index>{};
  }

  /// Each bucket has one vector, whatever it is.
  bool is_by_bucket(const std::vector<Index>& meant) const {
    std::map<Index, std::vector<double>> seen;
    bool all = true;
    each([&](Index pair, const double* got) {
      const std::vector<double> own(got, got + pairs_.width);
      all = all && seen.try_emplace(meant[static_cast<std::size_t>(pair) % meant.size()], own)
                           .first->second == own;
    });
    return all && 2 * std::ssize(seen) < pairs_.count();
  }

 private:
  const double* row_of(Index row) const { return table_.data() + row * pairs_.width; }
  bool is_cell(double got, Index cell, double factor) const {
    const auto at = static_cast<std::size_t>(cell);
    const double meant = factor * table_[at];
    return std::fabs(got - meant) <= std::fabs(factor) * loose_[at] +
                                         (factor == 1 ? 0 : half_ulp_f32 * std::fabs(meant)) +
                                         rounding_error(std::fabs(meant), array_.dtype);
  }
  bool is_row(const double* got, Index row, double factor) const {
    for (Index c = 0; c < pairs_.width; ++c)
      if (!is_cell(got[c], row * pairs_.width + c, factor)) return false;
    return true;
  }
  bool equals_row(const double* got, Index row) const {
    std::vector<double> rounded(static_cast<std::size_t>(pairs_.width));
    round_to(array_.dtype, {row_of(row), rounded.size()}, rounded.data());
    return std::equal(rounded.begin(), rounded.end(), got);
  }
  void each(const auto& visit) const {
    const Index row = pairs_.keys * pairs_.width;
    std::vector<double> got(static_cast<std::size_t>(row));
    for (Index r = 0; r < pairs_.times * pairs_.queries; ++r) {
      array_.read(r * row, row, got.data());
      for (Index k = 0; k < pairs_.keys; ++k)
        visit(r * pairs_.keys + k, got.data() + k * pairs_.width);
    }
  }

  const Stored& array_;
  Pairs pairs_;
  Index rows_;
  std::vector<double> table_, loose_;
};

std::optional<Pairs> pairs_of(const Stored& array, Index width) {
  constexpr Index most = Index{1} << 22;
  if (array.shape.size() < 3 || array.shape.back() != width) return {};
  Pairs pairs{.queries = array.shape.end()[-3], .keys = array.shape.end()[-2], .width = width};
  for (std::size_t axis = 0; axis + 3 < array.shape.size(); ++axis)
    pairs.times *= array.shape[axis];
  if (pairs.queries > pairs.keys || pairs.keys < 2) return {};
  if (pairs.count() > most)
    throw UsageError(
        fmt::format("{} {} has {} vectors, and {} are the most that are looked at: "
                    "give fewer queries",
                    array.shown, spell_array(array), pairs.count(), most));
  return pairs;
}

// The index matrix that the vectors make.
Stored index_of(const Stored& array, const Pairs& pairs, std::vector<double> rows) {
  Stored index = array;
  index.dtype = DType::f64;
  index.u16 = false;
  index.shape = {pairs.times, pairs.queries, pairs.keys};
  index.fill = [rows = std::make_shared<const std::vector<double>>(std::move(rows))](
                   Index first, Index count, std::byte* out) {
    narrow({rows->data() + first, static_cast<std::size_t>(count)}, DType::f64, out);
  };
  return index;
}

std::vector<Index> meant_rows(const Expectation& expected, const Pairs& pairs) {
  const Buckets& buckets = std::get<Relative>(expected.effect).buckets;
  const std::int64_t first = expected.first != 0 ? expected.first : pairs.keys - pairs.queries,
                     first_key = first + pairs.queries - pairs.keys;
  std::vector<Index> meant;
  for (Index q = 0; q < pairs.queries; ++q)
    for (Index k = 0; k < pairs.keys; ++k) meant.push_back(buckets.of(first + q, first_key + k));
  return meant;
}

// Vectors that are no row of the table.
std::optional<Reason> why_none(const Vectors& vectors, const Vectors::Found& found,
                               const std::vector<Index>& meant) {
  const Index count = std::ssize(found.rows);
  if (found.zeros == count) return Reason{Cause::rows_zero, "every vector is 0"};
  if (const auto order = vectors.order(meant); !order.empty())
    return Reason{Cause::wrong_order,
                  fmt::format("the channels stand in another order: {}", fmt::join(order, ", "))};
  if (2 * found.none > count && vectors.is_by_bucket(meant))
    return Reason{
        Cause::other_weights,
        "each bucket has one vector, and not the row of the table that was given: another "
        "layer's, or another model's"};
  bool others_right = found.none == found.zeros;
  for (std::size_t i = 0; i < found.rows.size(); ++i)
    others_right = others_right && (found.rows[i] == none ||
                                    found.rows[i] == static_cast<double>(meant[i % meant.size()]));
  if (!others_right) return {};
  return Reason{Cause::rows_zero, fmt::format("{} of {} vectors are 0", found.zeros, count)};
}

// A dump's one array as vectors by pair, and the table that they come of.
struct VectorDump {
  Stored array;
  Array table;
  Pairs pairs;
};

std::optional<VectorDump> vector_dump(const Expectation& expected, const Dump& dump) {
  if (dump.arrays.size() != 1 || !dump.before.empty() || !holds_vectors(dump.arrays[0])) return {};
  const Stored array = dump.arrays[0].u16 ? as_bf16(dump.arrays[0]) : dump.arrays[0];
  const auto table = table_for(expected, array);
  const auto pairs = table ? pairs_of(array, table->shape().back()) : std::nullopt;
  return pairs ? std::optional(VectorDump{array, *table, *pairs}) : std::nullopt;
}

}  // namespace

bool are_vectors(const Expectation& expected, const Dump& dump) {
  return vector_dump(expected, dump).has_value();
}

std::optional<Diagnosis> diagnose_relative_vectors(const Expectation& expected, const Dump& dump) {
  const auto given = vector_dump(expected, dump);
  if (!given) return {};
  const auto& [array, table, pairs] = *given;
  const std::vector<Index> meant = meant_rows(expected, pairs);
  const Vectors vectors(expected, table, array, pairs);
  Vectors::Found found = vectors.find(meant, 1);
  std::optional<Reason> beside;
  if (2 * (found.none - found.zeros) > pairs.count())
    if (const auto factor = vectors.factor()) {
      auto scaled = vectors.find(meant, *factor);
      if (scaled.none == scaled.zeros) {
        beside = {Cause::wrong_amplitude,
                  fmt::format("the vectors are multiplied by {:.7g}", *factor)};
        found = std::move(scaled);
      }
    }
  const Dump index{{index_of(array, pairs, found.rows)}, {}};
  Diagnosis told = diagnose_buckets(expected, index);
  const bool right = told.tier != Tier::wrong;
  told.what = fmt::format(
      "vectors of {} queries and {} keys, {} channels {}, each taken for the "
      "row of the table that it is",
      pairs.queries, pairs.keys, pairs.width, spell_array(array));
  told.layout = "vectors";
  told.coverage = fmt::format("all {} vectors", pairs.count());
  told.bound_from = "the rounding of a row of the table";
  if (right) {
    told.tier = found.exact ? Tier::exact : Tier::drift;
    told.arithmetic = found.exact ? "correctly rounded" : "float32, of no known codebase";
  } else if (found.none > 0 && (told.reasons.empty() || 2 * found.none > pairs.count())) {
    const auto reason = why_none(vectors, found, meant);
    told.reasons.clear();
    if (reason) told.reasons.push_back(*reason);
  }
  if (beside) {
    told.tier = Tier::wrong;
    told.arithmetic.clear();
    told.reasons.push_back(std::move(*beside));
  }
  return told;
}

Expectation as_table(const Expectation& expected, const Array& table) {
  const Index width = table.shape().back(), rows = table.size() / width;
  Expectation other = expected;
  other.first = 0;
  other.rows = rows;
  other.remake = nullptr;
  Table meant{.width = width, .rows = rows, .range = {}, .fill = {}};
  meant.fill = [table, width](const PositionRange& positions, DType dtype, std::byte* out) {
    std::vector<double> values;
    for (Index i = 0; i < positions.count; ++i)
      for (Index c = 0; c < width; ++c) values.push_back(table.at(positions.at(i) * width + c));
    narrow(values, dtype, out);
  };
  other.effect = std::move(meant);
  return other;
}

std::optional<Expectation> table_of_vectors(const Expectation& expected, const Dump& dump) {
  if (dump.arrays.size() != 1 || !dump.before.empty() || !holds_vectors(dump.arrays[0])) return {};
  const auto table = table_for(expected, dump.arrays[0]);
  std::vector<Index> shape = dump.arrays[0].shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (!table || shape.size() != 2) return {};
  const Index width = table->shape().back(), rows = table->size() / width;
  if (shape[1] != width && (shape[0] != width || shape[1] != rows)) return {};
  return as_table(expected, *table);
}

}  // namespace pe
