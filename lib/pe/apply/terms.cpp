// Products of queries, keys, fixed vectors and tables by bucket.
#include "pe/apply/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "pe/apply/product.hpp"
#include "pe/base/error.hpp"

namespace pe {
namespace {

// The keys' panels, made when the first row is asked for.
struct Product {
  std::shared_ptr<const Content> left, right;
  std::once_flag once;
  std::vector<Panels> panels;  // [batch, head] of the right

  void pack() {
    for (Index b = 0; b < right->batch; ++b)
      for (Index h = 0; h < right->heads; ++h) {
        Panels packed(right->channels, right->length, right->values.get_allocator());
        for (Index j = 0; j < right->length; ++j)
          for (Index c = 0; c < right->channels; ++c) packed.at(c, j) = right->row(b, h, j)[c];
        panels.push_back(std::move(packed));
      }
  }
};

double dot(const double* a, const double* b, Index count) {
  double sum = 0;
  for (Index c = 0; c < count; ++c) sum += a[c] * b[c];
  return sum;
}

CountedNumbers doubles_of(const Array& array) {
  CountedNumbers values(static_cast<std::size_t>(array.size()), Counted<double>(budget_here()));
  array.read(0, array.size(), values.data());
  return values;
}

// Rows of a table, [row, channel] or [head, row, channel], the same of every head.
struct Rows {
  Index first = 0, count = 0;
};

// Those that the pairs of queries and keys come to; all, where there are fewer rows than pairs.
Rows rows_reached(const Buckets& buckets, const Attention& attention, Index rows) {
  const Index queries = attention.queries.count(), keys = attention.keys.count();
  if (queries == 0 || keys == 0 || queries > rows / keys) return {0, rows};
  Index low = rows, high = 0;
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j) {
      const Index bucket = buckets.of(attention.queries.at(i), attention.keys.at(j));
      low = std::min(low, bucket);
      high = std::max(high, bucket);
    }
  return {low, high - low + 1};
}

CountedNumbers doubles_of(const Array& table, Rows rows) {
  const Index width = table.shape().back(), all = table.shape()[table.shape().size() - 2],
              heads = table.size() / std::max<Index>(1, all * width), part = rows.count * width;
  CountedNumbers values(static_cast<std::size_t>(heads * part), Counted<double>(budget_here()));
  for (Index head = 0; head < heads; ++head)
    table.read((head * all + rows.first) * width, part, values.data() + head * part);
  return values;
}

// A RelativeTerm with its vectors in f64.
struct Gathered {
  RelativeTerm term;
  std::shared_ptr<const Content> q, k;
  Attention attention;
  CountedNumbers fixed, table;
  Rows rows = {};        // of the table that are held
  bool by_head = false;  // a table for each head

  const double* table_of(Index h) const {
    return table.data() + (by_head ? h * rows.count * q->channels : 0);
  }

  void row(Index b, Index h, Index i, double* out) const {
    const Index d = q->channels, kv = h / (q->heads / k->heads);
    const double* left = term.left == RelativeTerm::Left::query   ? q->row(b, h, i)
                         : term.left == RelativeTerm::Left::fixed ? fixed.data() + h * d
                                                                  : nullptr;
    if (term.right == RelativeTerm::Right::key) {
      for (Index j = 0; j < k->length; ++j) out[j] = dot(left, k->row(b, kv, j), d);
      return;
    }
    std::vector<double> met(
        static_cast<std::size_t>(rows.count));  // left · table[bucket], for buckets that came up
    std::vector<char> known(met.size(), 0);
    const double* held = table_of(h);
    const std::int64_t query = attention.queries.at(i);
    for (Index j = 0; j < k->length; ++j) {
      const Index row = term.buckets.of(query, attention.keys.at(j)) - rows.first;
      if (!left) {
        out[j] = dot(k->row(b, kv, j), held + row * d, d);
        continue;
      }
      const auto at = static_cast<std::size_t>(row);
      if (!known[at]) {
        met[at] = dot(left, held + row * d, d);
        known[at] = 1;
      }
      out[j] = met[at];
    }
  }
};

}  // namespace

Term product_term(std::string name, std::string description, std::shared_ptr<const Content> left,
                  std::shared_ptr<const Content> right, Index heads) {
  auto product = std::make_shared<Product>();
  product->left = std::move(left);
  product->right = std::move(right);
  return {std::move(name), std::move(description),
          [product, heads](Index b, Index h, std::span<const Index> rows, double* out) {
            std::call_once(product->once, [&] { product->pack(); });
            const Content &l = *product->left, &r = *product->right;
            std::vector<double> block(rows.size() * static_cast<std::size_t>(l.channels));
            for (std::size_t i = 0; i < rows.size(); ++i)
              std::copy_n(l.row(l.batch == 1 ? 0 : b, l.heads == 1 ? 0 : h, rows[i]), l.channels,
                          block.data() + static_cast<Index>(i) * l.channels);
            const Index panel = (r.batch == 1 ? 0 : b) * r.heads + h * r.heads / heads;
            product->panels[static_cast<std::size_t>(panel)].multiply(
                block.data(), static_cast<Index>(rows.size()), out);
          }};
}

Term relative_term(const RelativeTerm& term, std::shared_ptr<const Content> q,
                   std::shared_ptr<const Content> k, const Attention& attention) {
  auto gathered = std::make_shared<Gathered>(Gathered{term, q, k, attention, {}, {}, {}, false});
  const Index d = q->channels;
  if (term.left == RelativeTerm::Left::fixed) {
    if (term.fixed.rank() != 2 || term.fixed.shape()[0] != q->heads || term.fixed.shape()[1] != d)
      throw UsageError(
          fmt::format("the fixed vectors of {} are {}, and {} needs [head, channel] of {} x {}",
                      term.name, spell_shape(term.fixed.shape()), q->spell(), q->heads, d));
    gathered->fixed = doubles_of(term.fixed);
  }
  if (term.right == RelativeTerm::Right::table) {
    const std::vector<Index>& shape = term.table.shape();
    gathered->by_head = shape.size() == 3;
    if (shape.size() < 2 || shape.size() > 3 || shape.back() != d ||
        (gathered->by_head && shape[0] != q->heads) || shape[shape.size() - 2] < term.buckets.count)
      throw UsageError(fmt::format(
          "the table of {} is {}, and {} needs [bucket, channel] of {} x {}, or that for each head",
          term.name, spell_shape(shape), q->spell(), term.buckets.count, d));
    gathered->rows = rows_reached(term.buckets, attention, shape[shape.size() - 2]);
    gathered->table = doubles_of(term.table, gathered->rows);
  }
  return {term.name, "what position adds to the score, before the scale",
          [gathered](Index b, Index h, std::span<const Index> rows, double* out) {
            for (const Index i : rows) {
              gathered->row(b, h, i, out);
              out += gathered->k->length;
            }
          }};
}

}  // namespace pe
