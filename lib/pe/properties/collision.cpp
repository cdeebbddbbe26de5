// collision-free: no token at one position looks like another token at another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/whole.hpp"
#include "pe/model/random.hpp"
#include "pe/properties/equal_sums.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

constexpr Index drawn = 64;     // embeddings when none are given
constexpr double budget = 1e8;  // pairs of sums that the search for the closest looks at

std::vector<double> embeddings_of(const Case& subject, Index width) {
  if (subject.embeddings) {
    std::vector<double> values(static_cast<std::size_t>(subject.embeddings->size()));
    subject.embeddings->read(0, subject.embeddings->size(), values.data());
    return values;
  }
  std::vector<double> values(static_cast<std::size_t>(drawn * width));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_normal(0, i);
  return values;
}

double dot(const double* a, const double* b, Index width) {
  double sum = 0;
  for (Index c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

// Products of every row of a with every row of b.
std::vector<double> products(const std::vector<double>& a, const std::vector<double>& b,
                             Index width) {
  const std::size_t m = a.size() / static_cast<std::size_t>(width),
                    n = b.size() / static_cast<std::size_t>(width),
                    w = static_cast<std::size_t>(width);
  std::vector<double> table(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) table[i * n + j] = dot(&a[i * w], &b[j * w], width);
  return table;
}

struct Closest {
  double square = HUGE_VAL;
  Index x = 0, y = 0, p = 0, q = 0;
};

// |x + P(p) − y − P(q)|² = |x−y|² + |P(p)−P(q)|² + 2(x−y)·(P(p)−P(q)), from products alone: all
// tokens, positions p and q < limit.
Closest closest_of(const std::vector<double>& tokens, const std::vector<double>& rows, Index width,
                   Index limit) {
  const auto xx = products(tokens, tokens, width), pp = products(rows, rows, width),
             xp = products(tokens, rows, width);
  const auto n = static_cast<Index>(tokens.size()) / width,
             l = static_cast<Index>(rows.size()) / width;
  const auto of = [](const std::vector<double>& table, Index i, Index j, Index columns) {
    return table[static_cast<std::size_t>(i * columns + j)];
  };
  Closest best;
  for (Index x = 0; x < n; ++x)
    for (Index y = x; y < n; ++y) {
      const double tokens_apart = of(xx, x, x, n) + of(xx, y, y, n) - 2 * of(xx, x, y, n);
      for (Index p = 0; p < limit; ++p)
        for (Index q = x == y ? p + 1 : 0; q < limit; ++q) {
          const double rows_apart = of(pp, p, p, l) + of(pp, q, q, l) - 2 * of(pp, p, q, l);
          const double square =
              tokens_apart + rows_apart +
              2 * (of(xp, x, p, l) - of(xp, x, q, l) - of(xp, y, p, l) + of(xp, y, q, l));
          if (square < best.square) best = {square, x, y, p, q};
        }
    }
  return best;
}

}  // namespace

// Sums are stored in the dtype; two that are equal there cannot be told apart by anything that
// comes after.
Measurement collision_free(const Table& table, const Case& subject) {
  const Index width = table.width;
  if (subject.embeddings &&
      (subject.embeddings->rank() != 2 || subject.embeddings->shape()[1] != width))
    return not_told(fmt::format("the embeddings must be [token, {}], got {}", width,
                                spell_shape(subject.embeddings->shape())));
  Measurement result;
  const std::vector<double> tokens = embeddings_of(subject, width);
  const Index n = static_cast<Index>(tokens.size()) / width;
  const PositionRange positions = existing(table, subject.positions);
  result.power = {HUGE_VAL, "a change is seen when it makes two sums equal"};
  result.bound_from = "sums that another token at another position has too; none may";
  const EqualSums equal = equal_sums(tokens, table, positions, subject.dtype);
  result.worst = equal.count;
  if (equal.count > 0)
    result.witness =
        fmt::format("token {} at position {} and token {} at position {} have the same sum",
                    equal.before.token, positions.value(equal.before.position), equal.first.token,
                    positions.value(equal.first.position));
  const double pairs = static_cast<double>(n) * static_cast<double>(n) / 2;
  const Index limit = std::min<Index>(
      positions.count,
      std::max<Index>(2, saturated<Index>(std::sqrt(budget / std::max(1.0, pairs)))));
  if (result.worst == 0 && n * limit > 1) {
    const Closest closest =
        closest_of(tokens, rows_of(table, positions.slice(0, limit), subject.dtype), width, limit);
    result.witness =
        fmt::format("closest{}: token {} at position {} and token {} at position {}, {:.6g} apart",
                    limit < positions.count ? fmt::format(" of the first {} positions", limit) : "",
                    closest.x, positions.value(closest.p), closest.y, positions.value(closest.q),
                    std::sqrt(std::max(0.0, closest.square)));
  }
  result.coverage = fmt::format("{} {} embeddings at all {} positions", n,
                                subject.embeddings ? "given" : "normal", positions.count);
  result.exhaustive = true;
  return result;
}

}  // namespace pe::laws
