// Attention measured: queries and keys that are given, drawn or all ones, with an encoding and
// without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"
#include "pe/apply/apply.hpp"
#include "pe/apply/scores.hpp"

namespace pe {

/// What attention is measured of.
struct Attended {
  Subject subject;
  bool of_file = false;
  Attention with, without;              // positions of queries and keys rise
  Index heads = 1, channels = 1;        // of queries and keys
  Index samples = 1;                    // draws, or the batch of what was given
  bool ones = true;                     // all queries and keys are
  std::uint64_t seed = 0;               // of what is drawn
  std::shared_ptr<const Content> q, k;  // given
  std::vector<std::string> tokens;      // given as text
  std::vector<std::string> notes;

  Index queries() const { return with.queries.count(); }
  Index keys() const { return with.keys.count(); }
  Axis head_axis() const { return counted_axis("head", heads, "attention head"); }
};

/// Reads the options content, q, k, tokens, seed, draws, channels, scale, causal and combine.
/// `short_length` stands in for a length that nobody gave where it is not 0; content is
/// `usually_drawn`, or ones. Throws UsageError where
/// they make no sense, and where memory would not hold them.
Attended attended_of(const Question& question, Index short_length, bool usually_drawn);

/// One draw, or one element of the batch.
struct Sample {
  Index batch = 0;
  std::shared_ptr<const Content> q, k, v;
  std::shared_ptr<const Scores> with, without;
};
Sample sample_of(const Attended& attended, Index index);
/// The same of contents that are there: of tokens in another order.
Sample sample_of(const Attended& attended, const Contents& contents, Index batch);
Contents contents_of(const Attended& attended, Index index);

}  // namespace pe
