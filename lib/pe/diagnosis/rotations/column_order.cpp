// Which column of those meant each column of a table holds.
#include "pe/diagnosis/rotations/column_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/prediction.hpp"

namespace pe {
namespace {

// By place in a row: the pair and the side that stand there.
struct Column {
  Index place = 0;
  std::size_t pair = 0;
  bool sine = false;
};

std::vector<Column> columns_of(const RotationReading& reading) {
  std::vector<Column> all;
  for (Index j = 0; j < reading.pairs; ++j) {
    all.push_back({reading.cosine.at(j), static_cast<std::size_t>(j), false});
    all.push_back({reading.sine.at(j), static_cast<std::size_t>(j), true});
  }
  std::ranges::sort(all, {}, &Column::place);
  return all;
}

// For each column, which of those meant it holds.
using ColumnPlaces = std::vector<std::size_t>;

class ColumnMatch {
 public:
  ColumnMatch(Kept<ProbedDump> dump, Kept<Attempt> attempt)
      : observation_(observe(dump, attempt)),
        hypothesis_(observation_.start()),
        prediction_(observation_.prediction(hypothesis_)),
        columns_(columns_of(attempt.get().reading)),
        may_be_(columns_.size(), std::vector<bool>(columns_.size(), true)) {
    const std::size_t pairs = observation_.pairs();
    std::vector<double> cosine(pairs), sine(pairs), bound(pairs);
    for (std::size_t i = 0; i < observation_.rows().size(); ++i) {
      prediction_.row(observation_.rows()[i], cosine, sine, bound);
      for (std::size_t at = 0; at < columns_.size(); ++at) {
        const Column& here = columns_[at];
        const double got =
            here.sine ? observation_.sine(i, here.pair) : observation_.cosine(i, here.pair);
        for (std::size_t k = 0; k < columns_.size(); ++k)
          may_be_[at][k] = may_be_[at][k] && holds(got, columns_[k], cosine, sine, bound);
      }
    }
  }

  std::size_t size() const { return columns_.size(); }
  const std::vector<Column>& columns() const { return columns_; }

  /// Whether the probes allow it.
  bool may_be(const ColumnPlaces& order) const {
    for (std::size_t at = 0; at < order.size(); ++at)
      if (!may_be_[at][order[at]]) return false;
    return true;
  }

  /// Any that the probes allow, columns in their own place where they may be; empty: none.
  ColumnPlaces any() const {
    ColumnPlaces held_by(size(), size());  // by column meant
    for (std::size_t at = 0; at < size(); ++at)
      if (may_be_[at][at]) held_by[at] = at;
    for (std::size_t at = 0; at < size(); ++at) {
      if (may_be_[at][at]) continue;
      std::vector<bool> seen(size());
      if (!place(at, held_by, seen)) return {};
    }
    ColumnPlaces order(size());
    for (std::size_t meant = 0; meant < size(); ++meant) order[held_by[meant]] = meant;
    return order;
  }

  bool holds_in_every_row(const ColumnPlaces& order) const {
    const std::size_t pairs = observation_.pairs();
    std::vector<double> cosine(pairs), sine(pairs), bound(pairs);
    bool all = true;
    observation_.scan([&](Index row, const double* c, const double* s) {
      prediction_.row(row, cosine, sine, bound);
      for (std::size_t at = 0; at < size() && all; ++at)
        all = holds((columns_[at].sine ? s : c)[columns_[at].pair], columns_[order[at]], cosine,
                    sine, bound);
      return all;
    });
    return all;
  }

 private:
  bool holds(double got, const Column& meant, const std::vector<double>& cosine,
             const std::vector<double>& sine, const std::vector<double>& bound) const {
    return prediction_.allows(got, (meant.sine ? sine : cosine)[meant.pair], bound[meant.pair]);
  }

  // An augmenting path (Kuhn).
  bool place(std::size_t at, ColumnPlaces& held_by, std::vector<bool>& seen) const {
    for (std::size_t meant = 0; meant < size(); ++meant) {
      if (!may_be_[at][meant] || seen[meant]) continue;
      seen[meant] = true;
      if (held_by[meant] == size() || place(held_by[meant], held_by, seen)) {
        held_by[meant] = at;
        return true;
      }
    }
    return false;
  }

  RotationObservation observation_;
  RotationHypothesis hypothesis_;
  RotationPrediction prediction_;
  std::vector<Column> columns_;
  std::vector<std::vector<bool>> may_be_;
};

struct LikelyOrder {
  ColumnPlaces order;
  std::string sentence;
};

// Orders that a slip of one operation makes.
std::vector<LikelyOrder> likely(const std::vector<Column>& columns) {
  const std::size_t size = columns.size(), pairs = size / 2;
  std::vector<LikelyOrder> all;
  std::vector<std::size_t> places[2] = {std::vector<std::size_t>(pairs),
                                        std::vector<std::size_t>(pairs)};
  for (std::size_t at = 0; at < size; ++at) places[columns[at].sine][columns[at].pair] = at;
  const auto offer = [&](std::string sentence, const std::function<std::size_t(std::size_t)>& of) {
    ColumnPlaces order(size);
    for (std::size_t at = 0; at < size; ++at) order[at] = of(at);
    all.push_back({std::move(order), std::move(sentence)});
  };
  for (std::size_t by = 1; by < size; ++by)
    offer(2 * by <= size
              ? fmt::format("every column stands {} behind its own place, the last in front", by)
              : fmt::format("every column stands {} before its own place, the first behind",
                            size - by),
          [=](std::size_t at) { return (at + size - by) % size; });
  for (const bool sine : {false, true})
    for (std::size_t by = 1; by < pairs; ++by)
      offer(fmt::format("{} stand {} pairs {} their own; {} are right", sine ? "sines" : "cosines",
                        2 * by <= pairs ? by : pairs - by, 2 * by <= pairs ? "behind" : "before",
                        sine ? "cosines" : "sines"),
            [&columns, &places, sine, by, pairs](std::size_t at) {
              return columns[at].sine == sine
                         ? places[sine][(columns[at].pair + pairs - by) % pairs]
                         : at;
            });
  for (std::size_t rows = 2; rows < size; ++rows)
    if (size % rows == 0)
      offer(fmt::format("the columns are read as [{}, {}] and written as [{}, {}]", rows,
                        size / rows, size / rows, rows),
            [=](std::size_t at) { return at % rows * (size / rows) + at / rows; });
  return all;
}

std::string listed(const ColumnPlaces& order, const std::vector<Column>& columns) {
  constexpr int most = 6;
  std::string words;
  int moved = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (order[at] == at) continue;
    if (++moved <= most)
      words += fmt::format("{}{} holds {}", moved == 1 ? "column " : ", ", columns[at].place,
                           columns[order[at]].place);
  }
  return fmt::format("{}{}; each is right where it belongs", words,
                     moved > most ? fmt::format(" and {} more", moved - most) : "");
}

}  // namespace

std::optional<ColumnOrderFit> column_order(const ProbedDump& dump, const Attempt& attempt) {
  constexpr Index most_columns = 1024;
  const RotationReading& reading = attempt.reading;
  if (reading.form != RotationReading::Form::turns || reading.is_one_sided() ||
      reading.cosine.array != reading.sine.array || reading.cosine_copy || !reading.open.empty() ||
      2 * reading.pairs > most_columns)
    return {};
  const ColumnMatch match(dump, attempt);
  ColumnPlaces own(match.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  if (match.may_be(own)) return {};
  for (const LikelyOrder& one : likely(match.columns()))
    if (match.may_be(one.order) && match.holds_in_every_row(one.order))
      return ColumnOrderFit{{Cause::wrong_order, one.sentence}};
  const ColumnPlaces order = match.any();
  if (order.empty() || !match.holds_in_every_row(order)) return {};
  std::size_t moved = 0;
  for (std::size_t at = 0; at < order.size(); ++at) moved += order[at] != at;
  return ColumnOrderFit{{Cause::wrong_order, listed(order, match.columns())}, moved};
}

}  // namespace pe
