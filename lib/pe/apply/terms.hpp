// Terms: the summands of a score, each a product of what a query and a key bring.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "pe/apply/encode.hpp"

namespace pe {

/// What beside the content decides the scores.
struct Attention {
  Positions queries, keys;         // positions of the rows of q, and of k and v
  double scale = 1;                // multiplies q · k
  bool causal = false;             // keys at positions after the query are masked (−inf)
  Combine combine = Combine::add;  // tables only
  bool bias_scaled = false;        // the scale multiplies a bias, too
  bool terms_scaled = true;        // it multiplies relative terms, and not q · k alone
};

/// One summand of the scores, before the scale.
struct Term {
  std::string name, description;
  /// [rows, keys] for queries `rows` of batch b and head h. Thread-safe.
  std::function<void(Index b, Index h, std::span<const Index> rows, double* out)> fill;
};

/// left_i · right_j for contents of one width. Batches and heads of size 1 are shared; g heads of
/// the right serve heads/g query heads each (grouped queries).
Term product_term(std::string name, std::string description, std::shared_ptr<const Content> left,
                  std::shared_ptr<const Content> right, Index heads);

/// The sum of left · right as a RelativeTerm names them. Throws UsageError when a table or a fixed
/// vector does not fit the heads and channels.
Term relative_term(const RelativeTerm& term, std::shared_ptr<const Content> q,
                   std::shared_ptr<const Content> k, const Attention& attention);

}  // namespace pe
