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
using Order = std::vector<std::size_t>;

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

  /// Whether the probes allow it.
  bool may_be(const Order& order) const {
    for (std::size_t at = 0; at < order.size(); ++at)
      if (!may_be_[at][order[at]]) return false;
    return true;
  }

  /// Any that the probes allow, columns in their own place where they may be; empty: none.
  Order any() const {
    Order held_by(size(), size());  // by column meant
    for (std::size_t at = 0; at < size(); ++at)
      if (may_be_[at][at]) held_by[at] = at;
    for (std::size_t at = 0; at < size(); ++at) {
      if (may_be_[at][at]) continue;
      std::vector<bool> seen(size());
      if (!place(at, held_by, seen)) return {};
    }
    Order order(size());
    for (std::size_t meant = 0; meant < size(); ++meant) order[held_by[meant]] = meant;
    return order;
  }

  bool holds_in_every_row(const Order& order) const {
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
  bool place(std::size_t at, Order& held_by, std::vector<bool>& seen) const {
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

struct Arrangement {
  Order order;
  std::string sentence;
};

// Orders that a slip of one operation makes.
std::vector<Arrangement> likely(std::size_t size) {
  std::vector<Arrangement> all;
  const auto offer = [&](std::string sentence, const std::function<std::size_t(std::size_t)>& of) {
    Order order(size);
    for (std::size_t at = 0; at < size; ++at) order[at] = of(at);
    all.push_back({std::move(order), std::move(sentence)});
  };
  for (std::size_t by = 1; by < size; ++by)
    offer(2 * by <= size
              ? fmt::format("every column stands {} behind its own place, the last in front", by)
              : fmt::format("every column stands {} before its own place, the first behind",
                            size - by),
          [=](std::size_t at) { return (at + size - by) % size; });
  for (std::size_t rows = 2; rows < size; ++rows)
    if (size % rows == 0)
      offer(fmt::format("the columns are read as [{}, {}] and written as [{}, {}]", rows,
                        size / rows, size / rows, rows),
            [=](std::size_t at) { return at % rows * (size / rows) + at / rows; });
  return all;
}

std::string listed(const Order& order) {
  constexpr int most = 6;
  std::string words;
  int moved = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (order[at] == at) continue;
    if (++moved <= most)
      words += fmt::format("{}{} holds {}", moved == 1 ? "column " : ", ", at, order[at]);
  }
  return fmt::format("{}{}; each is right where it belongs", words,
                     moved > most ? fmt::format(" and {} more", moved - most) : "");
}

}  // namespace

std::optional<Reason> column_order(const ProbedDump& dump, const Attempt& attempt) {
  constexpr Index most_columns = 4096;
  const RotationReading& reading = attempt.reading;
  if (reading.form != RotationReading::Form::turns || reading.is_one_sided() ||
      reading.cosine.array != reading.sine.array || reading.cosine_copy || !reading.open.empty() ||
      2 * reading.pairs > most_columns)
    return {};
  const ColumnMatch match(dump, attempt);
  Order own(match.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  if (match.may_be(own)) return {};
  for (const Arrangement& one : likely(match.size()))
    if (match.may_be(one.order) && match.holds_in_every_row(one.order))
      return Reason{Cause::wrong_order, one.sentence};
  const Order order = match.any();
  if (order.empty() || !match.holds_in_every_row(order)) return {};
  return Reason{Cause::wrong_order, listed(order)};
}

}  // namespace pe
