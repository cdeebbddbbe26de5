// Scores: what attention makes of queries, keys and an Effect, row by row.
#pragma once

#include <optional>
#include <span>

#include "pe/apply/product.hpp"
#include "pe/apply/terms.hpp"

namespace pe {

/// 1/√(channels that are multiplied), or what the encoding says instead: √(3d) for DeBERTa's three
/// terms, 1 for T5.
double usual_scale(const Effect& effect, Index channels, Combine combine);

/// Heads and channels of the queries and keys that an effect takes; `channels` where it leaves them
/// open.
struct ContentShape {
  Index heads = 1, channels = 1;
};
ContentShape content_shape(const Effect& effect, Index channels);

/// Attention without an encoding: adds 0 to every score.
Bias no_bias(Index heads);

/// True for a bias that masks by itself.
bool usual_causal(const Effect& effect);

/// logits(i,j) = scale · Σ terms + B(i,j), or scale · (Σ terms + B), or with the scale on the first
/// term alone; −inf where masked.
/// Thread-safe; a row is the same in any company.
class Scores {
 public:
  /// Throws UsageError when shapes, heads, channels or positions do not fit each other or the
  /// effect.
  Scores(const Effect& effect, std::shared_ptr<const Content> q, std::shared_ptr<const Content> k,
         const Attention& attention);

  /// Queries and keys as they are multiplied: encoded by a table or a rotation, else as they came.
  const std::shared_ptr<const Content>& queries() const { return queries_; }
  const std::shared_ptr<const Content>& keys() const { return keys_; }
  /// content_content first, then what position adds; a table that multiplies has none but the
  /// first.
  const std::vector<Term>& terms() const { return terms_; }

  void bias(Index b, Index h, std::span<const Index> rows, double* out) const;
  void logits(Index b, Index h, std::span<const Index> rows, double* out) const;
  /// softmax of the logits; a query that sees no key has weights of zero.
  void attention(Index b, Index h, std::span<const Index> rows, double* out) const;

 private:
  void prepare(const Table& table);
  void prepare(const Rotation& rotation);
  void prepare(const Bias& bias);
  void prepare(const Relative& relative);

  Attention attention_;
  std::shared_ptr<const Content> q_, k_, queries_, keys_;
  std::vector<Term> terms_, summed_;
  std::optional<Bias> bias_;
};

/// attention · v, and for Shaw's values Σ_j attention(i,j) (v_j + a(b(i,j))) (Shaw et al. 2018, eq.
/// 3).
class Outputs {
 public:
  Outputs(std::shared_ptr<const Scores> scores, const Effect& effect,
          std::shared_ptr<const Content> v, const Attention& attention);
  /// [rows, value channels]
  void fill(Index b, Index h, std::span<const Index> rows, double* out) const;

 private:
  std::shared_ptr<const Scores> scores_;
  std::optional<Relative> relative_;
  Attention attention_;
  Index heads_ = 0, group_ = 1;  // heads of v, and heads of q that share one
  std::vector<Panels> values_;   // [batch, head]
};

}  // namespace pe
