// Rows of a bias compared in blocks. A hypothesis's values lie on one line where they depend on key
// − query or on the key alone, so that each head is evaluated once.
#include "pe/diagnosis/biases/residuals.hpp"

#include <algorithm>
#include <cmath>

#include "pe/base/kept.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

constexpr double no_bias = -HUGE_VAL, no_bound = 0;  // of a pair that is hidden

enum class Line { none, offset, key };

Line line_of(const BiasShape& shape, const BiasHypothesis& hypothesis) {
  const Bias& bias = *hypothesis.bias;
  if (shape.slopes || shape.queries == 1 || !hypothesis.tokens.empty() || hypothesis.zero_from ||
      hypothesis.zero_rows || hypothesis.zero_later ||
      hypothesis.rounded == BiasHypothesis::Rounded::positions ||
      hypothesis.rounded == BiasHypothesis::Rounded::positions_exactly_apart)
    return Line::none;
  if (hypothesis.constant == Constant::key || hypothesis.constant == Constant::key_from_last) {
    const bool plain = hypothesis.rounded == BiasHypothesis::Rounded::nothing &&
                       !hypothesis.transposed && hypothesis.query_shift == 0;
    return plain ? Line::key : Line::none;
  }
  const bool places = bias.rows || bias.argument || (bias.buckets && !bias.buckets->by_offset);
  return places ? Line::none : Line::offset;
}

// One row's numbers, or one head's line of them.
struct Values {
  std::vector<double> truth, rounded, bound;

  void resize(Index size) {
    for (std::vector<double>* each : {&truth, &rounded, &bound})
      each->resize(static_cast<std::size_t>(size));
  }
};

class Comparison {
 public:
  Comparison(Kept<BiasObservation> observation, Kept<BiasHypothesis> hypothesis)
      : observation_(observation),
        shape_(observation_.shape),
        hypothesis_(hypothesis),
        line_(line_of(shape_, hypothesis)),
        result_{Tally(observation_.dtype), {}} {
    own_.resize(shape_.keys);
    hidden_.resize(static_cast<std::size_t>(shape_.keys));
  }

  BiasPass run(const Stored& array, Index most) {
    constexpr Index room = Index{1} << 20;  // cells read at once
    const Index block = std::clamp<Index>(room / shape_.keys, 1, shape_.queries);
    std::vector<double> got(static_cast<std::size_t>(block * shape_.keys));
    for (Index plane = 0; plane < shape_.batch * shape_.heads; ++plane) {
      plane_ = plane;
      if (line_ != Line::none) draw_line();
      for (Index first = 0; first < shape_.queries; first += block) {
        const Index rows = std::min(block, shape_.queries - first);
        array.read((plane * shape_.queries + first) * shape_.keys, rows * shape_.keys, got.data());
        for (Index row = 0; row < rows; ++row)
          compare(shape_.first_query + first + row, plane * shape_.queries + first + row,
                  {got.data() + row * shape_.keys, static_cast<std::size_t>(shape_.keys)});
        if (result_.residuals.beyond() > most) return std::move(result_);
      }
    }
    return std::move(result_);
  }

 private:
  std::int64_t first_offset() const {
    return shape_.first_key - (shape_.first_query + shape_.queries - 1);
  }

  void bound(Values& values, std::span<const double> got, double constant,
             std::int64_t offset) const {
    for (std::size_t k = 0; k < values.truth.size(); ++k)
      values.bound[k] = observation_.allowed(
          hypothesis_, plane_, values.truth[k], got.empty() ? 0 : got[k], constant,
          static_cast<double>(std::abs(offset + static_cast<Index>(k))));
  }

  void draw_line() {
    const bool by_key = line_ == Line::key;
    const Index size = by_key ? shape_.keys : shape_.queries + shape_.keys - 1;
    const std::int64_t query = by_key ? shape_.last_key() : shape_.first_query;
    head_line_.resize(size);
    observation_.evaluate(hypothesis_, plane_, query,
                          by_key ? shape_.first_key : query + first_offset(), size,
                          head_line_.truth.data());
    round_to(observation_.dtype, head_line_.truth, head_line_.rounded.data());
    bound(head_line_, {}, 0, by_key ? 0 : first_offset());
  }

  void compare(std::int64_t query, Index number, std::span<const double> got) {
    const std::int64_t offset = shape_.first_key - query;
    const bool masked = !observation_.mask->shape(plane_).empty();
    for (Index key = 0; key < shape_.keys; ++key)
      hidden_[static_cast<std::size_t>(key)] =
          masked && observation_.is_hidden(plane_, query, shape_.first_key + key);
    const bool drawn = line_ != Line::none,
               free = hypothesis_.constant == Constant::any && !shape_.slopes;
    const std::int64_t start = line_ == Line::offset ? offset - first_offset() : 0;
    if (!drawn)
      observation_.evaluate(hypothesis_, plane_, query, shape_.first_key, shape_.keys,
                            own_.truth.data());
    else if (free)
      std::copy_n(head_line_.truth.data() + start, shape_.keys, own_.truth.data());
    if (free) {
      const double constant = observation_.constant_of(hypothesis_, own_.truth, got, hidden_);
      bound(own_, got, constant, offset);
      add_constant(std::isnan(constant) ? 0 : constant, got);
    } else if (!drawn) {
      round_to(observation_.dtype, own_.truth, own_.rounded.data());
      bound(own_, got, 0, offset);
    }
    const Values& values = drawn && !free ? head_line_ : own_;
    const std::int64_t from = drawn && !free ? start : 0;
    const Run run{.got = got.data(),
                  .truth = values.truth.data() + from,
                  .rounded = free && observation_.dtype != DType::f64
                                 ? nullptr
                                 : values.rounded.data() + from,
                  .bound = values.bound.data() + from,
                  .count = shape_.keys,
                  .place = shape_.slopes ? plane_ : offset,
                  .step = shape_.slopes ? 0 : 1};
    add_open(run, number, query,
             line_ == Line::key && hypothesis_.masked ? query - shape_.first_key + 1 : shape_.keys);
  }

  // The row with a constant that is known from one of its cells. What doubles lose by that and by
  // the sum is no difference; of a shorter type nobody knows which of several numbers is meant.
  void add_constant(double constant, std::span<const double> got) {
    constexpr double roundings = 4;
    for (std::size_t k = 0; k < own_.truth.size(); ++k) {
      const double size = std::fabs(own_.truth[k]) + 2 * std::fabs(constant),
                   sum = own_.truth[k] + constant;
      own_.truth[k] = sum;
      own_.rounded[k] = std::fabs(got[k] - sum) <= roundings * 0x1p-53 * size ? got[k] : sum;
    }
  }

  // What a dump holds where what is meant, its own mask or the hypothesis hides the key; true
  // where that is right.
  bool is_hidden_rightly(double got, bool later) {
    const bool masked = observation_.mask->holds(got);
    if (later)
      ++(masked ? result_.later.masked : got == 0 ? result_.later.zero : result_.later.finite);
    return masked || (later && std::isfinite(got));
  }

  // The runs of keys that nothing hides, all of those that the hypothesis does not before `open`.
  void add_open(const Run& run, Index number, std::int64_t query, Index open) {
    const auto hidden = [&](Index key) {
      return run.truth[key] == -HUGE_VAL || key >= open || hidden_[static_cast<std::size_t>(key)];
    };
    for (Index key = 0; key < run.count;) {
      if (observation_.is_gap(run.got[key])) {
        ++key;
        continue;
      }
      const bool masked = hidden(key);
      Index until = key + 1;
      while (until < run.count && hidden(until) == masked && !observation_.is_gap(run.got[until]))
        ++until;
      if (masked) {
        for (Index k = key; k < until; ++k)
          if (!is_hidden_rightly(run.got[k], observation_.is_later(query, shape_.first_key + k)) ||
              (hidden_[static_cast<std::size_t>(k)] && !observation_.mask->holds(run.got[k])))
            result_.residuals.add({run.got + k, &no_bias, nullptr, &no_bound, 1,
                                   run.place + run.step * k, run.step, k},
                                  number);
      } else {
        result_.residuals.add(
            {run.got + key, run.truth + key, run.rounded ? run.rounded + key : nullptr,
             run.bound + key, until - key, run.place + run.step * key, run.step, key},
            number);
      }
      key = until;
    }
  }

  const BiasObservation& observation_;
  const BiasShape& shape_;
  const BiasHypothesis& hypothesis_;
  Line line_;
  BiasPass result_;
  Index plane_ = 0;
  std::vector<char> hidden_;  // of the row by the dump's mask
  Values head_line_, own_;
};

}  // namespace

BiasPass bias_pass(const BiasObservation& observation, const Stored& array,
                   const BiasHypothesis& hypothesis, Index most) {
  return Comparison(observation, hypothesis).run(array, most);
}

}  // namespace pe
