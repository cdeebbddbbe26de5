// From terms to logits, weights and outputs.
#include "pe/apply/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"

namespace pe {
namespace {

using Shared = std::shared_ptr<const Content>;

Shared share(Content content) { return std::make_shared<const Content>(std::move(content)); }

void check_pair(const Content& q, const Content& other) {
  if (q.batch != other.batch)
    throw UsageError(fmt::format("{} and {} differ in their batch", q.spell(), other.spell()));
  if (q.heads % other.heads != 0)
    throw UsageError(fmt::format("the {} heads of {} do not divide the {} heads of {}", other.heads,
                                 other.spell(), q.heads, q.spell()));
}

void check_whole(const Attention& attention) {
  if (attention.queries.decimals() != 0 || attention.keys.decimals() != 0)
    throw UsageError("--positions must be whole numbers for a bias or relative positions");
}

}  // namespace

double usual_scale(const Effect& effect, Index channels, Combine how) {
  auto width = static_cast<double>(channels);
  if (const Table* table = std::get_if<Table>(&effect); table && how == Combine::concatenate)
    width += static_cast<double>(table->width);
  if (const Relative* relative = std::get_if<Relative>(&effect)) width *= relative->scaled_terms;
  if (const Bias* bias = std::get_if<Bias>(&effect)) {
    if (!bias->scaled) return 1;
    width *= bias->scaled_terms;
  }
  return 1 / std::sqrt(width);
}

ContentShape content_shape(const Effect& effect, Index channels) {
  return std::visit(Match{[](const Table& table) {
                            return ContentShape{1, table.width};
                          },
                          [](const Rotation& rotation) {
                            return ContentShape{1, rotation.dim};
                          },
                          [&](const Bias& bias) {
                            return ContentShape{bias.heads, channels};
                          },
                          [&](const Relative& relative) {
                            ContentShape shape{1, relative.channels ? relative.channels : channels};
                            for (const RelativeTerm& term : relative.terms) {
                              if (term.fixed.rank() == 2) shape.heads = term.fixed.shape()[0];
                              if (term.table.rank() == 3) shape.heads = term.table.shape()[0];
                            }
                            return shape;
                          }},
                    effect);
}

Bias no_bias(Index heads) {
  return {.heads = heads,
          .slopes = {},
          .buckets = {},
          .fill = [](Index, std::int64_t, const PositionRange& keys, DType dtype, std::byte* out) {
            std::fill_n(out, static_cast<std::size_t>(keys.count) * size_of(dtype), std::byte{0});
          }};
}

bool usual_causal(const Effect& effect) {
  if (const Relative* relative = std::get_if<Relative>(&effect)) return relative->causal;
  const Bias* bias = std::get_if<Bias>(&effect);
  return bias && bias->causal;
}

Scores::Scores(const Effect& effect, Shared q, Shared k, const Attention& attention)
    : attention_(attention), q_(std::move(q)), k_(std::move(k)), queries_(q_), keys_(k_) {
  check_pair(*q_, *k_);
  if (q_->channels != k_->channels)
    throw UsageError(fmt::format("{} and {} differ in their channels", q_->spell(), k_->spell()));
  check_count(*q_, attention_.queries, "--positions");
  check_count(*k_, attention_.keys, "--key-positions");
  terms_.push_back(product_term("content_content", "query · key as they came, before the scale", q_,
                                k_, q_->heads));
  std::visit([this](const auto& kind) { prepare(kind); }, effect);
}

// (x + p)·(y + r) = x·y + x·r + p·y + p·r, where p is x ⊗ p(i) for multiply-one; [x; p]·[y; r] =
// x·y + p·r.
void Scores::prepare(const Table& table) {
  const Shared p = share(rows_of(table, attention_.queries)),
               r = share(rows_of(table, attention_.keys));
  const Combine how = attention_.combine;
  queries_ = share(combine(*q_, *p, how));
  keys_ = share(combine(*k_, *r, how));
  summed_ = {product_term("encoded", "", queries_, keys_, q_->heads)};
  if (how == Combine::multiply) return;
  const bool one = how == Combine::multiply_one;
  const Shared left = one ? share(combine(*q_, *p, Combine::multiply)) : p,
               right = one ? share(combine(*k_, *r, Combine::multiply)) : r;
  if (how != Combine::concatenate) {
    terms_.push_back(product_term("content_position",
                                  "query · what position adds to the key, before the scale", q_,
                                  right, q_->heads));
    terms_.push_back(product_term("position_content",
                                  "what position adds to the query · key, before the scale", left,
                                  k_, q_->heads));
  }
  terms_.push_back(product_term("position_position",
                                "product of what position adds to query and key, before the scale",
                                left, right, q_->heads));
}

void Scores::prepare(const Rotation& rotation) {
  queries_ = share(turn(*q_, rotation, attention_.queries));
  keys_ = share(turn(*k_, rotation, attention_.keys, Side::key));
  summed_ = {product_term("encoded", "", queries_, keys_, q_->heads)};
}

void Scores::prepare(const Bias& bias) {
  check_whole(attention_);
  check_rows(bias, attention_.queries.run());
  check_rows(bias, attention_.keys.run());
  if (!bias.fill)
    throw UsageError(
        "this bias is trained and its numbers were not given: give --weights FILE[:TENSOR]");
  if (bias.heads != q_->heads)
    throw UsageError(
        fmt::format("the bias has {} heads and {} has {}", bias.heads, q_->spell(), q_->heads));
  bias_ = bias;
  summed_ = terms_;
}

void Scores::prepare(const Relative& relative) {
  check_whole(attention_);
  if (relative.terms.empty() && !relative.values)
    throw UsageError("these vectors are trained and were not given: give the tables (see --help)");
  if (const auto places = relative.buckets.positions)
    for (const Positions* positions : {&attention_.queries, &attention_.keys})
      if (const auto [first, last] = positions->ends(); first < 0 || last >= *places)
        throw UsageError(fmt::format("position {} lies outside the grid, which has {} (0 to {})",
                                     first < 0 ? first : last, *places, *places - 1));
  for (const RelativeTerm& term : relative.terms)
    terms_.push_back(relative_term(term, q_, k_, attention_));
  summed_ = terms_;
}

void Scores::bias(Index, Index h, std::span<const Index> rows, double* out) const {
  const std::vector<PositionRange> runs = attention_.keys.runs();
  for (const Index i : rows)
    for (const PositionRange& keys : runs) {
      bias_->fill(h, attention_.queries.at(i), keys, DType::f64, reinterpret_cast<std::byte*>(out));
      out += keys.count;
    }
}

void Scores::logits(Index b, Index h, std::span<const Index> rows, double* out) const {
  const Index keys = k_->length, count = static_cast<Index>(rows.size()) * keys;
  summed_.front().fill(b, h, rows, out);
  std::vector<double> more;
  if (summed_.size() > 1 || bias_) more.resize(static_cast<std::size_t>(count));
  const auto scale = [&] {
    for (Index i = 0; i < count; ++i) out[i] *= attention_.scale;
  };
  if (!attention_.terms_scaled) scale();
  for (std::size_t term = 1; term < summed_.size(); ++term) {
    summed_[term].fill(b, h, rows, more.data());
    for (Index i = 0; i < count; ++i) out[i] += more[static_cast<std::size_t>(i)];
  }
  if (attention_.terms_scaled) scale();
  if (bias_) {
    bias(b, h, rows, more.data());
    const double factor = attention_.bias_scaled ? attention_.scale : 1;
    for (Index i = 0; i < count; ++i) out[i] += factor * more[static_cast<std::size_t>(i)];
  }
  if (!attention_.causal) return;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double query = attention_.queries.value(rows[r]);
    for (Index j = 0; j < keys; ++j)
      if (attention_.keys.value(j) > query) out[static_cast<Index>(r) * keys + j] = -HUGE_VAL;
  }
}

void Scores::attention(Index b, Index h, std::span<const Index> rows, double* out) const {
  logits(b, h, rows, out);
  const Index keys = k_->length;
  for (std::size_t r = 0; r < rows.size(); ++r, out += keys) {
    const double largest = *std::max_element(out, out + keys);
    double sum = 0;
    for (Index j = 0; j < keys; ++j)
      sum += out[j] = largest == -HUGE_VAL ? 0 : std::exp(out[j] - largest);
    for (Index j = 0; j < keys && sum != 0; ++j) out[j] /= sum;
  }
}

Outputs::Outputs(std::shared_ptr<const Scores> scores, const Effect& effect, Shared v,
                 const Attention& attention)
    : scores_(std::move(scores)), attention_(attention), heads_(v->heads) {
  const Content& q = *scores_->queries();
  check_pair(q, *v);
  if (v->length != attention.keys.count())
    throw UsageError(
        fmt::format("{} and {} differ in their length", scores_->keys()->spell(), v->spell()));
  group_ = q.heads / v->heads;
  for (Index b = 0; b < v->batch; ++b)
    for (Index h = 0; h < v->heads; ++h) {
      Panels packed(v->length, v->channels, v->values.get_allocator());
      for (Index j = 0; j < v->length; ++j)
        for (Index c = 0; c < v->channels; ++c) packed.at(j, c) = v->row(b, h, j)[c];
      values_.push_back(std::move(packed));
    }
  const Relative* relative = std::get_if<Relative>(&effect);
  if (!relative || !relative->values) return;
  if (relative->values->rank() != 2 || relative->values->shape()[1] != v->channels)
    throw UsageError(fmt::format("the value table is {} and {} needs [bucket, channel] of {} x {}",
                                 spell_shape(relative->values->shape()), v->spell(),
                                 relative->buckets.count, v->channels));
  relative_ = *relative;
}

void Outputs::fill(Index b, Index h, std::span<const Index> rows, double* out) const {
  const Panels& values = values_[static_cast<std::size_t>(b * heads_ + h / group_)];
  const Index keys = values.terms(), channels = values.columns();
  std::vector<double> weights(rows.size() * static_cast<std::size_t>(keys));
  scores_->attention(b, h, rows, weights.data());
  values.multiply(weights.data(), static_cast<Index>(rows.size()), out);
  if (!relative_) return;
  const Index buckets = relative_->values->shape()[0];
  std::vector<double> mass(static_cast<std::size_t>(buckets)),
      vector(static_cast<std::size_t>(channels));
  for (std::size_t r = 0; r < rows.size(); ++r, out += channels) {
    std::ranges::fill(mass, 0);
    for (Index j = 0; j < keys; ++j)
      mass[static_cast<std::size_t>(
          relative_->buckets.of(attention_.queries.at(rows[r]), attention_.keys.at(j)))] +=
          weights[r * static_cast<std::size_t>(keys) + static_cast<std::size_t>(j)];
    for (Index bucket = 0; bucket < buckets; ++bucket) {
      relative_->values->read(bucket * channels, channels, vector.data());
      for (Index c = 0; c < channels; ++c)
        out[c] += mass[static_cast<std::size_t>(bucket)] * vector[static_cast<std::size_t>(c)];
    }
  }
}

}  // namespace pe
