// Laws of relative encodings whose tables are known, on random queries and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/model/random.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

constexpr Index widest = 64;  // queries and keys looked at
constexpr Index heads_seen = 8;
constexpr std::uint64_t seed = 1;

using Vector = std::vector<double>;

// A random vector for a position, N(0, 1).
Vector drawn(std::uint64_t stream, Index position, Index channels) {
  Vector vector(static_cast<std::size_t>(channels));
  for (Index c = 0; c < channels; ++c)
    vector[static_cast<std::size_t>(c)] = random_normal(
        random_stream(seed, stream), static_cast<std::uint64_t>(position * channels + c));
  return vector;
}
// One for each of n positions.
std::vector<Vector> all_drawn(std::uint64_t stream, Index n, Index channels) {
  std::vector<Vector> vectors;
  for (Index position = 0; position < n; ++position)
    vectors.push_back(drawn(stream, position, channels));
  return vectors;
}

// Row `row` of an array [row, channel], or of head `head` of [head, row, channel].
Vector row_of(const Array& array, Index head, Index row) {
  const Index channels = array.shape().back();
  Vector vector(static_cast<std::size_t>(channels));
  array.read(((array.rank() == 3 ? head * array.shape()[1] : 0) + row) * channels, channels,
             vector.data());
  return vector;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}
double dot_of_magnitudes(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += std::fabs(a[c] * b[c]);
  return sum;
}
void add(Vector& to, const Vector& vector) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c] += vector[c];
}

Index heads_of(const Relative& relative) {
  for (const RelativeTerm& term : relative.terms) {
    if (term.left == RelativeTerm::Left::fixed) return term.fixed.shape()[0];
    if (term.table.rank() == 3) return term.table.shape()[0];
  }
  return 1;
}

const char* const no_tables = "the tables are trained and were not given (give them, or --seed)";

// One query and key of one head: their score term by term, and again with the sums drawn together
// before multiplying.
struct Pair {
  const Relative& relative;
  Index head;
  std::int64_t query_position, key_position;
  const Vector &query, &key;

  Vector left(const RelativeTerm& term) const {
    if (term.left == RelativeTerm::Left::fixed) return row_of(term.fixed, 0, head);
    return term.left == RelativeTerm::Left::query ? query : key;
  }
  Vector right(const RelativeTerm& term) const {
    return term.right == RelativeTerm::Right::key
               ? key
               : row_of(term.table, head, term.buckets.of(query_position, key_position));
  }

  double by_terms(double& magnitudes) const {
    double sum = dot(query, key);
    magnitudes = dot_of_magnitudes(query, key);
    for (const RelativeTerm& term : relative.terms) {
      sum += dot(left(term), right(term));
      magnitudes += dot_of_magnitudes(left(term), right(term));
    }
    return sum;
  }

  // k · (q + Σ fixed + Σ tables that meet keys) + Σ over tables of table · (q and fixed that meet
  // it).
  double drawn_together() const {
    Vector with_key = query;
    double sum = 0;
    std::vector<const std::byte*> done;
    for (const RelativeTerm& term : relative.terms) {
      if (term.right == RelativeTerm::Right::key) {
        add(with_key, left(term));
      } else if (term.left == RelativeTerm::Left::key) {
        add(with_key, right(term));
      } else if (std::ranges::find(done, term.table.data()) == done.end()) {
        done.push_back(term.table.data());
        Vector lefts(query.size());
        for (const RelativeTerm& other : relative.terms)
          if (other.right == RelativeTerm::Right::table && other.left != RelativeTerm::Left::key &&
              other.table.data() == term.table.data())
            add(lefts, left(other));
        sum += dot(lefts, right(term));
      }
    }
    return sum + dot(with_key, key);
  }
};

}  // namespace

// Dai et al. 2019, §3.3: (q + u)·k + (q + v)·r; Shaw et al. 2018, eq. 4: q·(k + a); He et al. 2021,
// eq. 4: k·(q + Qʳ) + q·Kʳ.
Measurement expansion(const Relative& relative, const Case& subject) {
  if (relative.terms.empty()) return not_told(no_tables);
  Measurement result;
  const Index n = std::min(widest, subject.positions.count),
              heads = std::min(heads_seen, heads_of(relative));
  const std::vector<Vector> queries = all_drawn(1, n, relative.channels),
                            keys = all_drawn(2, n, relative.channels);
  double largest = 0;
  for (Index head = 0; head < heads; ++head)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const Pair pair{relative,
                        head,
                        subject.positions.at(i),
                        subject.positions.at(j),
                        queries[static_cast<std::size_t>(i)],
                        keys[static_cast<std::size_t>(j)]};
        double magnitudes;
        const double expected = pair.by_terms(magnitudes), got = pair.drawn_together(),
                     off = std::fabs(got - expected);
        largest = std::max(largest, magnitudes);
        if (!worse(off, result.worst)) continue;
        result.worst = off;
        result.witness =
            fmt::format("head {}, query {}, key {}: {:.17g} term by term, {:.17g} drawn together",
                        head, pair.query_position, pair.key_position, expected, got);
      }
  result.power = {HUGE_VAL, "sums are compared, whatever their terms are"};
  const auto additions =
      static_cast<double>(relative.channels + 2 * static_cast<Index>(relative.terms.size()) + 2);
  result.bound = 2 * additions * 0x1p-53 * largest;
  result.bound_from =
      fmt::format("two sums of {} additions and products in double, whose magnitudes sum to {:.6g}",
                  additions, largest);
  result.coverage = fmt::format("{} of {} heads, {} x {} positions, random q and k (seed {})",
                                heads, heads_of(relative), n, n, seed);
  return result;
}

// The scores of every query with every distance, descending, moved so that each lands at its key.
// Transformer-XL prepends a column and reads the padded rows anew, which is right up to the
// diagonal alone; XLNet has distances of both signs and cuts the first row.
Measurement rel_shift(const Relative& relative, const Case& subject) {
  const auto term = std::ranges::find_if(
      relative.terms, [](const RelativeTerm& t) { return t.right == RelativeTerm::Right::table; });
  if (term == relative.terms.end()) return not_told(no_tables);
  if (subject.positions.step != 1) return not_told("the shift needs positions in steps of 1");
  Measurement result;
  const Index n = std::min(widest, subject.positions.count),
              distances = relative.causal ? n : 2 * n;
  const std::int64_t farthest = relative.causal ? n - 1 : n;
  const std::vector<Vector> queries = all_drawn(1, n, relative.channels);
  const auto score = [&](Index i, std::int64_t query, std::int64_t key) {
    return dot(queries[static_cast<std::size_t>(i)],
               row_of(term->table, 0, term->buckets.of(query, key)));
  };
  Vector flat;  // row by row, with a column of zeros before each where queries are causal
  for (Index i = 0; i < n; ++i) {
    if (relative.causal) flat.push_back(0);
    for (Index c = 0; c < distances; ++c) {
      const std::int64_t distance = farthest - c;
      flat.push_back(
          score(i, std::max<std::int64_t>(distance, 0), std::max<std::int64_t>(-distance, 0)));
    }
  }
  const Index stride = relative.causal ? distances : distances - 1;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < (relative.causal ? i + 1 : n); ++j) {
      const double got = flat[static_cast<std::size_t>(n + i * stride + j)];
      const double expected = score(i, subject.positions.at(i), subject.positions.at(j)),
                   off = std::fabs(got - expected);
      if (!worse(off, result.worst)) continue;
      result.worst = off;
      result.witness = fmt::format("query {}, key {}: {:.17g} shifted, {:.17g} read",
                                   subject.positions.at(i), subject.positions.at(j), got, expected);
    }
  result.bound_from = "the same product of the same numbers: no difference";
  result.power = {HUGE_VAL, "places are compared, whatever stands there"};
  result.coverage = fmt::format("head 0, {} queries, {} distances, random q (seed {}){}", n,
                                distances, seed, relative.causal ? ", keys up to the query" : "");
  return result;
}

}  // namespace pe::laws
