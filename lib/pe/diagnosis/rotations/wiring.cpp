// The wiring of vectors, measured channel by channel, and told.
#include "pe/diagnosis/rotations/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pe/base/kept.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/attempts.hpp"
#include "pe/diagnosis/rotations/choice.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/rotations/sides.hpp"
#include "pe/diagnosis/rotations/wires.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

// The source of every channel, found at some rows.
class WireSearch {
 public:
  WireSearch(Kept<WireObservation> rows, Kept<std::vector<ChannelSource>> meant)
      : rows_(rows), meant_(meant) {}

  /// Nothing where one has none.
  std::optional<std::vector<ChannelSource>> found() {
    for (Index k = 0; k < rows_.width(); ++k) {
      const auto source = of(k);
      if (!source) return {};
      found_.push_back(*source);
    }
    return found_;
  }

 private:
  std::optional<ChannelSource> of(Index channel) {
    const ChannelSource& meant = meant_[static_cast<std::size_t>(channel)];
    std::vector<ChannelSource> likely{meant,
                                      meant.backward(),
                                      meant.negative(),
                                      {{channel, 1}, {}},
                                      {{channel, 1, Wire::still}, {}},
                                      {}};
    likely.insert(likely.end(), meant_.begin(), meant_.end());
    if (const auto next = as_before()) likely.push_back(*next);
    add_lost(meant, likely);
    for (const ChannelSource& source : likely)
      if (rows_.fits(channel, source)) return source;
    if (const ChannelSource source = rows_.multiplied(channel, meant); rows_.fits(channel, source))
      return source;
    return by_angles(channel);
  }

  // A cosine or a sine that was never multiplied by, a product that is missing, and those of
  // another pair, the nearest first.
  void add_lost(const ChannelSource& meant, std::vector<ChannelSource>& likely) const {
    if (!meant.turns()) return;
    const Wire &cosine = meant.cosine, &sine = meant.sine;
    for (const Wire& second : {sine, sine.negative()}) {
      likely.push_back({cosine.of(Wire::none), second});
      likely.push_back({cosine, second.of(Wire::none)});
      likely.push_back({{}, second});
    }
    likely.push_back({cosine, {}});
    for (Index away = 1; away < rows_.pairs(); ++away)
      for (const Index pair : {cosine.pair + away, cosine.pair - away}) {
        if (pair < 0 || pair >= rows_.pairs()) continue;
        for (const Wire& second : {sine, sine.negative()}) {
          likely.push_back({cosine, second.of(pair)});
          likely.push_back({cosine.of(pair), second});
          likely.push_back({cosine.of(pair), second.of(pair)});
        }
      }
  }

  // The two channels before went on by equal steps.
  std::optional<ChannelSource> as_before() const {
    if (found_.size() < 2) return {};
    const ChannelSource &a = found_[found_.size() - 2], &b = found_.back();
    const auto next = [](Index x, Index y) { return 2 * y - x; };
    const auto after = [&](const Wire& x, const Wire& y) {
      return y.sign == 0 ? y : Wire{next(x.channel, y.channel), y.sign, next(x.pair, y.pair)};
    };
    const ChannelSource source{after(a.cosine, b.cosine), after(a.sine, b.sine)};
    const auto is_inside = [&](const Wire& wire) {
      return wire.channel >= 0 && wire.channel < rows_.width() && wire.pair >= Wire::still &&
             wire.pair < rows_.pairs();
    };
    return is_inside(source.cosine) && is_inside(source.sine) ? std::optional(source)
                                                              : std::nullopt;
  }

  // Of every pair, the one that is meant first, the channel that goes best with its cosines, and
  // with its sines what that leaves.
  std::optional<ChannelSource> by_angles(Index channel) {
    constexpr int most = 24;  // of those that a pattern tells, few are looked for
    if (asked_ > most) return {};
    std::vector<double> all(rows_.count());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows_.after(i, channel);
    std::vector<Index> pairs{meant_[static_cast<std::size_t>(channel)].cosine.pair};
    for (Index pair = 0; pair < rows_.pairs(); ++pair) pairs.push_back(pair);
    for (const Index pair : pairs) {
      if (pair < 0) continue;
      for (const bool sine_first : {false, true}) {  // the larger of both, which tells more
        const Wire first = rows_.likeliest(all, pair, sine_first);
        std::vector<double> left = all;
        for (std::size_t i = 0; i < left.size(); ++i)
          left[i] -= first.sign * rows_.before(i, first.channel) * rows_.turn(i, pair, sine_first);
        const Wire second = rows_.likeliest(left, pair, !sine_first);
        const ChannelSource source =
            sine_first ? ChannelSource{second, first} : ChannelSource{first, second};
        if (first.channel != second.channel && rows_.fits(channel, source)) return source;
      }
      if (pair == pairs.front()) ++asked_;
    }
    return {};
  }

  const WireObservation& rows_;
  const std::vector<ChannelSource>& meant_;
  std::vector<ChannelSource> found_;
  int asked_ = 0;
};

const char* words_of(Pairing pairing) {
  return pairing == Pairing::adjacent ? "adjacent" : "halves";
}

// A way to wire vectors that has a name.
struct NamedWiring {
  std::vector<ChannelSource> sources;
  std::vector<Reason> reasons;
};

// Pairs that are read here and written there; partners out of the whole head.
std::vector<NamedWiring> named_wirings(const RotationReading& reading) {
  std::vector<NamedWiring> all;
  for (const Pairing from : {Pairing::halves, Pairing::adjacent})
    for (const Pairing to : {Pairing::halves, Pairing::adjacent})
      all.push_back({sources_of(reading, from, to),
                     {{Cause::wrong_pairing,
                       fmt::format("channels are read as {0} and written as {1} ({0}-to-{1}), "
                                   "where {2} is meant",
                                   words_of(from), words_of(to), reading.layout)}}});
  // rotate_half(x), with cosines and sines as halves need them or as neighbours do.
  const Index half = reading.width / 2;
  for (const Pairing table : {Pairing::halves, Pairing::adjacent}) {
    std::vector<ChannelSource> whole = sources_of(reading, table, table);
    for (Index k = 0; k < reading.width; ++k)
      if (ChannelSource& source = whole[static_cast<std::size_t>(k)]; source.turns())
        source = {{k, 1, source.cosine.pair},
                  {(k + half) % reading.width, (k < half) != reading.backward ? -1 : 1,
                   source.cosine.pair}};
    all.push_back(
        {std::move(whole),
         {{Cause::wrong_pairing,
           fmt::format("a channel's partner stands {} away, half of the head: rotate_half "
                       "goes over channels that do not turn, too",
                       half)}}});
  }
  return all;
}

// The sources of one vector's channels beside those that are meant.
class WiredChannels {
 public:
  WiredChannels(Kept<RotationReading> reading, Kept<WireObservation> rows,
                Kept<std::vector<ChannelSource>> meant, Kept<std::vector<ChannelSource>> found)
      : reading_(reading), rows_(rows), meant_(meant), found_(found) {
    for (Index k = 0; k < reading_.width; ++k)
      if (found_at(k) != meant_at(k)) wrong_.push_back(k);
  }

  /// What those that are made otherwise have in common; empty where all are as meant.
  std::vector<Reason> reasons() const {
    if (wrong_.empty()) return {};
    if (auto known = backward_or_left(); !known.empty()) return known;
    if (auto partners = other_partners()) return {std::move(*partners)};
    const bool lone = wrong_.size() == 1;
    if (all([&](Index k) { return found_at(k) == meant_at(k).negative(); }))
      return {{Cause::pair_formula,
               fmt::format("{} of every vector {} the other sign; the others are right",
                           spell_named(wrong_), lone ? "has" : "have")}};
    if (all([&](Index k) { return found_at(k).factor != 1; })) return multiplied();
    const std::string first = spell(found_at(wrong_[0]));
    if (all([&](Index k) { return !turns(reading_, k) && found_at(k).turns(); }))
      return {{Cause::wrong_channels,
               fmt::format("{}, which do not turn, hold turned ones: channel {} is {}",
                           spell_named(wrong_), wrong_[0], first)}};
    return {
        {Cause::pair_formula, fmt::format("channel {} is {}, where {} is meant; {}", wrong_[0],
                                          first, spell(meant_at(wrong_[0])),
                                          lone ? "the others are right"
                                               : fmt::format("{} of {} channels are made otherwise",
                                                             wrong_.size(), reading_.width))}};
  }

 private:
  const ChannelSource& found_at(Index channel) const {
    return found_[static_cast<std::size_t>(channel)];
  }
  const ChannelSource& meant_at(Index channel) const {
    return meant_[static_cast<std::size_t>(channel)];
  }
  bool all(const auto& holds) const { return std::ranges::all_of(wrong_, holds); }
  static std::string spell_named(const std::vector<Index>& channels) {
    return fmt::format("channel{} {}", channels.size() == 1 ? "" : "s", spell_numbers(channels));
  }

  // The whole of them is an amplitude, which others tell.
  std::vector<Reason> multiplied() const {
    if (2 * std::ssize(wrong_) > reading_.width) return {};
    const double first = found_at(wrong_[0]).factor;
    constexpr double about = 0.01;
    const bool same =
        all([&](Index k) { return std::fabs(found_at(k).factor / first - 1) <= about; });
    return {{Cause::wrong_amplitude,
             fmt::format("{} of every vector {} {:.3g} times what is meant{}; the others are right",
                         spell_named(wrong_), wrong_.size() == 1 ? "is" : "are", first,
                         same ? "" : ", and so on")}};
  }

  // Every pair turns as it is meant to, two channels of its own, and some have other ones.
  std::optional<Reason> other_partners() const {
    constexpr Index nobody = -1;
    const auto pairs = static_cast<std::size_t>(reading_.pairs);
    std::vector<Index> first(pairs, nobody), second(pairs, nobody);
    for (Index k = 0; k < reading_.width; ++k) {
      const Wire &cosine = found_at(k).cosine, &sine = found_at(k).sine;
      if (found_at(k) == ChannelSource{{k, 1}, {}}) continue;
      const bool is_of_a_turn = cosine.turns() && sine.turns() && cosine.channel == k &&
                                cosine.sign == 1 && cosine.pair == sine.pair;
      if (!is_of_a_turn) return {};
      const bool is_first = (sine.sign < 0) != reading_.backward;
      Index& place = (is_first ? first : second)[static_cast<std::size_t>(cosine.pair)];
      if (place != nobody) return {};
      place = k;
    }
    std::optional<Reason> told;
    for (std::size_t j = pairs; j-- > 0;) {
      const Index a = first[j], b = second[j];
      if (a == nobody || b == nobody || found_at(a).sine.channel != b ||
          found_at(b).sine.channel != a)
        return {};
      const std::array<Index, 2> from = channels_of(reading_, static_cast<Index>(j)).in;
      if (a != from[0] || b != from[1])
        told =
            Reason{Cause::wrong_pairing,
                   fmt::format("pair {} is channels {} and {}, where {} and {} are meant; {} of {} "
                               "channels are made otherwise",
                               j, a, b, from[0], from[1], wrong_.size(), reading_.width)};
    }
    return told;
  }

  // Every channel that turns turns the other way or is left as it was, and some do either.
  std::vector<Reason> backward_or_left() const {
    std::vector<Index> left;
    const auto is_left = [](const ChannelSource& is, Index k) {
      return !is.turns() && is.cosine == Wire{k, 1} && is.sine.sign == 0;
    };
    bool any_backward = false, all_backward = true;
    for (Index k = 0; k < reading_.width; ++k) {
      const ChannelSource &is = found_at(k), &should = meant_at(k);
      if (!should.turns()) {
        if (is != should) return {};
      } else if (is_left(is, k)) {
        left.push_back(k);
      } else {
        const bool is_backward = is == should.backward();
        if (!is_backward && is != should) return {};
        any_backward = any_backward || is_backward;
        all_backward = all_backward && rows_.fits(k, should.backward());  // slow pairs do both
      }
    }
    if (any_backward != all_backward && any_backward) return {};
    std::vector<Reason> reasons;
    if (any_backward) reasons.push_back({Cause::direction_reversed, std::string(goes_backwards)});
    if (!left.empty())
      reasons.push_back({Cause::channels_not_rotated,
                         fmt::format("{} of every vector {} not turn", spell_named(left),
                                     left.size() == 1 ? "does" : "do")});
    return reasons;
  }

  const RotationReading& reading_;
  const WireObservation& rows_;
  const std::vector<ChannelSource>&meant_, &found_;
  std::vector<Index> wrong_;
};

// A wiring that goes with the rows that were loaded, and what is wrong with it.
std::optional<NamedWiring> wiring_of(const RotationReading& reading, const WireObservation& rows) {
  const std::vector<ChannelSource> meant = sources_of(reading);
  for (NamedWiring& one : named_wirings(reading))
    if (one.sources != meant && rows.fit(one.sources)) return std::move(one);
  const auto found = WireSearch(rows, meant).found();
  if (!found) return {};
  std::vector<Reason> reasons = WiredChannels(reading, rows, meant, *found).reasons();
  if (reasons.empty()) return {};
  return NamedWiring{*found, std::move(reasons)};
}

}  // namespace

std::optional<Diagnosis> judge_wiring(const Expectation& expected, const Dump& dump,
                                      std::optional<Side> side) {
  constexpr Index most_rows = 384, block = 64, most_width = 1024;
  const std::vector<Attempt> attempts =
      attempts_of(expected, dump, truth_of(expected), required_layout(expected), side);
  const Attempt& attempt = *std::ranges::min_element(attempts, {}, &Attempt::cost);
  const RotationReading& reading = attempt.reading;
  if (!reading.is_vectors() || attempt.truth.log_scale || reading.width > most_width ||
      !expected.listed.empty() || reading.rows < 16)
    return {};
  WireObservation sample(expected, dump, reading, attempt.truth);
  std::vector<Index> rows = spread_over(reading.rows, most_rows);
  sample.load(rows);
  const auto wiring = wiring_of(reading, sample);
  if (!wiring) return {};
  double after = 0;
  for (Index first = 0; first < reading.rows; first += block) {
    rows.clear();
    for (Index row = first; row < std::min(first + block, reading.rows); ++row) rows.push_back(row);
    sample.load(rows);
    for (Index k = 0; k < reading.width; ++k)
      after = std::max(after, sample.off(k, wiring->sources[static_cast<std::size_t>(k)]));
    if (!std::isfinite(after)) return {};
  }
  Diagnosis told = compared_as_meant(expected, dump, side);
  told.tier = Tier::wrong;
  told.reasons = attempt.reasons;
  std::ranges::copy(wiring->reasons, std::back_inserter(told.reasons));
  told.before = told.worst;
  told.after = after;
  return told;
}

}  // namespace pe
