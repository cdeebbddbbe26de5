// Sequences of a bias: which are as meant, and what the others are as a dump of their own.
#include "pe/diagnosis/biases/entries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"

namespace pe {
namespace {

// Some sequences of [sequence, head, query, key], as a dump of their own.
Dump of_sequences(const Stored& array, const ScoreAxes& axes, const std::vector<Index>& sequences) {
  Stored some = array;
  const Index own = axes.heads * axes.queries * axes.keys;
  some.shape = {std::ssize(sequences), axes.heads, axes.queries, axes.keys};
  some.fill = [fill = array.fill, sequences, own, size = size_of(array.dtype)](
                  Index first, Index count, std::byte* out) {
    while (count > 0) {
      const Index at = first % own, here = std::min(count, own - at);
      fill(sequences[static_cast<std::size_t>(first / own)] * own + at, here, out);
      first += here;
      count -= here;
      out += static_cast<std::size_t>(here) * size;
    }
  };
  Dump dump;
  dump.arrays.push_back(std::move(some));
  return dump;
}

std::string spell_sequences(const std::vector<Index>& sequences, Index all) {
  return fmt::format("sequence{} {} of {}", sequences.size() == 1 ? "" : "s",
                     fmt::join(sequences, ", "), all);
}

// Adds what is wrong with some sequences; whether anything is.
bool add_told(const Diagnosis& some, const std::string& whose, Diagnosis& told) {
  for (const Reason& reason : some.reasons) {
    const std::string sentence = fmt::format("{}: {}", whose, reason.sentence);
    const auto same = std::ranges::find(told.reasons, reason.cause, &Reason::cause);
    if (same == told.reasons.end())
      told.reasons.push_back({reason.cause, sentence});
    else
      same->sentence += "; " + sentence;
  }
  std::ranges::copy(some.notes, std::back_inserter(told.notes));
  return some.tier == Tier::wrong && !some.reasons.empty();
}

}  // namespace

std::optional<Diagnosis> judge_sequences(const Expectation& expected, const Stored& array,
                                         const Diagnosis& whole, const Judge& judge) {
  constexpr Index most = 16;
  const auto axes = score_axes(array.shape, std::get<Bias>(expected.effect).heads);
  if (!axes || axes->batch < 2 || axes->batch > most) return {};
  std::vector<Index> wrong;
  std::vector<Diagnosis> each;
  for (Index i = 0; i < axes->batch; ++i) {
    Diagnosis one = judge(expected, of_sequences(array, *axes, {i}));
    if (one.tier != Tier::wrong) continue;
    if (one.reasons.empty()) return {};  // before more time is lost on what stays unexplained
    wrong.push_back(i);
    each.push_back(std::move(one));
  }
  if (wrong.empty() || std::ssize(wrong) == axes->batch) return {};
  Diagnosis told = whole;
  told.reasons.clear();
  const Diagnosis together =
      wrong.size() == 1 ? each.front() : judge(expected, of_sequences(array, *axes, wrong));
  if (add_told(together, spell_sequences(wrong, axes->batch), told)) return told;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    add_told(each[i], spell_sequences({wrong[i]}, axes->batch), told);
  return told;
}

}  // namespace pe
