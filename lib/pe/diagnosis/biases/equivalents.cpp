// Rows that have a constant of their own, slices of the heads, padded tokens: the same to
// attention.
#include "pe/diagnosis/biases/equivalents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pe/diagnosis/causes.hpp"

namespace pe {
namespace {

using Constant = BiasHypothesis::Constant;

std::vector<Equivalent> head_choices(const BiasObservation& observation) {
  const Index heads = observation.shape.heads, meant = observation.bias->heads;
  std::vector<Equivalent> choices = {{observation.base, {}}};
  if (heads >= meant) return choices;
  const Index step = heads == 1 ? 1 : heads;
  for (Index first = heads == 1 ? 0 : step; first + heads <= meant; first += step) {
    Equivalent slice{observation.base, {}};
    std::iota(slice.hypothesis.heads.begin(), slice.hypothesis.heads.end(), first);
    if (heads == 1)
      slice.doubts.push_back(fmt::format("one head of {}: number {}, from 0", meant, first));
    else
      slice.doubts.push_back(fmt::format("heads {} to {} of {}: the slice of rank {} of {}", first,
                                         first + heads - 1, meant, first / heads,
                                         (meant + heads - 1) / heads));
    choices.push_back(std::move(slice));
  }
  if (heads == 1)
    choices.erase(choices.begin());
  else
    choices.front().doubts.push_back(
        fmt::format("the first {} of {} heads: right for rank 0 alone", heads, meant));
  return choices;
}

// The keys of each batch that are tokens, where the others, padding, hold 0 and the first token
// does too (build_alibi_tensor: positions are counted along the attention mask and multiplied by
// it). Read off each batch's first row; none where no batch has padding.
std::vector<BiasHypothesis::Tokens> tokens_of(const BiasObservation& observation) {
  const BiasShape& shape = observation.shape;
  std::vector<BiasHypothesis::Tokens> tokens;
  bool padded = false;
  for (const std::vector<double>& row : observation.first_rows) {
    const auto open = [](double value) { return value != 0; };
    const auto first = std::ranges::find_if(row, open) - row.begin(),
               end = std::find_if(row.rbegin(), row.rend(), open).base() - row.begin();
    if (first == std::ssize(row)) return {};  // no more than one token: nothing to be seen
    tokens.push_back({shape.first_key + std::max<Index>(first - 1, 0), shape.first_key + end});
    padded = padded || first > 1 || end < std::ssize(row);
  }
  return padded ? tokens : std::vector<BiasHypothesis::Tokens>{};
}

// A dump that is padded holds slope·key from each batch's first token on.
std::optional<Equivalent> padded(const BiasObservation& observation, const Equivalent& from) {
  Equivalent other = from;
  other.hypothesis.tokens = tokens_of(observation);
  if (other.hypothesis.tokens.empty()) return {};
  other.hypothesis.constant = Constant::key;
  std::string counts;
  for (const auto& [first, end] : other.hypothesis.tokens)
    counts += fmt::format("{}{}", counts.empty() ? "" : ", ", end - first);
  other.notes.push_back(fmt::format(
      "the bias is slope*(key - first token), and 0 at keys of padding: {} of {} keys are tokens",
      counts, observation.shape.keys));
  return other;
}

bool is_causal(const Expectation& expected) {
  const Parameters& meant = expected.parameters;
  return std::get<Bias>(expected.effect).causal || (meant.has("causal") && meant.flag("causal")) ||
         (meant.has("bidirectional") && !meant.flag("bidirectional"));
}

}  // namespace

// Heads hide different cells; tokens see themselves alone; keys after the query are hidden from
// some distance on, and those before that are seen; or the token that is decoded does not see
// itself.
std::optional<Reason> wrong_mask(const Expectation& expected, const DumpMask& mask,
                                 const ScoreAxes& axes) {
  if (const auto heads = mask.heads_that_differ())
    return Reason{Cause::wrong_mask,
                  fmt::format("the dump's mask hides other cells of head {} than of head {}",
                              heads->first, heads->second)};
  if (mask.isolates())
    return Reason{Cause::wrong_mask,
                  axes.queries > 1
                      ? "by the mask of the dump every query sees its own key alone: "
                        "nothing of the bias is left to attention"
                      : "by the mask of the dump the query sees one key alone: nothing "
                        "of the bias is left to attention"};
  if (!is_causal(expected)) return {};
  if (const auto open = mask.opens_future())
    return Reason{Cause::mask_open,
                  fmt::format("the mask of the dump hides keys from {} after the query on, where "
                              "none after it is to be seen",
                              *open + 1)};
  if (mask.hides_own())
    return Reason{Cause::wrong_mask,
                  "the mask of the dump hides every query's own key, and shows those before it"};
  const Index own = axes.first_query - axes.first_key;
  if (axes.queries != 1 || own < 0 || own >= axes.keys) return {};
  for (Index plane = 0; plane < axes.planes(); ++plane) {
    bool any = false;
    for (Index key = 0; key < axes.keys && !any; ++key) any = !mask.hides(plane, 0, key);
    if (any && mask.hides(plane, 0, own))
      return Reason{
          Cause::wrong_mask,
          fmt::format("the mask of the dump hides the query's own key, {}", axes.first_query)};
  }
  return {};
}

// −inf, or one number far below any bias, in every cell: no row could tell it from a mask.
bool is_hidden_throughout(const Stored& array) {
  constexpr Index block = 1 << 16;
  constexpr double least = -900;
  if (array.size() < 2 || array.shape.size() < 2) return false;
  std::vector<double> values(static_cast<std::size_t>(std::min(block, array.size())));
  for (Index first = 0; first < array.size(); first += block) {
    const Index count = std::min(block, array.size() - first);
    double before = values[0];
    array.read(first, count, values.data());
    if (first == 0) before = values[0];
    if (!(before <= least) || std::any_of(values.begin(), values.begin() + count,
                                          [&](double value) { return value != before; }))
      return false;
  }
  return true;
}

std::vector<Equivalent> equivalents(const BiasObservation& observation) {
  std::vector<Equivalent> all;
  const bool linear = !observation.base.slopes.empty(), causal = observation.base.masked;
  const auto with = [&](const Equivalent& from, Constant constant, std::int64_t steps,
                        std::string note) {
    Equivalent other = from;
    other.hypothesis.constant = constant;
    other.hypothesis.constant_steps = steps;
    if (!note.empty()) other.notes.push_back(std::move(note));
    all.push_back(std::move(other));
  };
  for (const Equivalent& choice : head_choices(observation)) {
    all.push_back(choice);
    if (observation.shape.slopes) {
      Equivalent negative = choice;
      negative.hypothesis.scale = -1;
      negative.doubts.emplace_back(
          "every slope is negative: right where they are multiplied by the distance, as in "
          "JinaBERT; where slopes are subtracted distant keys get a bonus");
      all.push_back(std::move(negative));
      continue;
    }
    if (linear && causal) {
      if (observation.base.constant == Constant::key)
        with(choice, Constant::none, 0,
             "the bias is -slope*distance: slope*key less a constant for each query, which softmax "
             "cannot see");
      else
        with(choice, Constant::key, 0,
             "the bias is slope*key: -slope*distance and a constant for each query, which softmax "
             "cannot see");
      with(choice, Constant::key_from_last, 0,
           "the bias is slope*(key - last key): -slope*distance and a constant for each query, "
           "which softmax cannot see");
      if (auto other = padded(observation, choice)) all.push_back(std::move(*other));
    }
    if (linear)
      for (const int steps : {-1, 1})
        with(
            choice, Constant::none, steps,
            fmt::format("every distance is counted as one {}: a constant, which softmax cannot see",
                        steps < 0 ? "more" : "less"));
  }
  if (!observation.shape.slopes && observation.shape.keys > 1)
    for (const Equivalent& choice : head_choices(observation))
      with(choice, Constant::any, 0,
           "each query's row has a constant of its own added, which softmax cannot see");
  return all;
}

}  // namespace pe
