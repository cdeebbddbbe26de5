// Causes of single pairs: turns of other pairs, of the other direction, or of no pair's frequency.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/measured.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"
#include "pe/diagnosis/rotations/propose/turn_formulas.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// Whether pairs of one axis were seen turning from row to row.
bool shows_turns(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return observation.has_rows() && hypothesis.axis.empty() &&
         hypothesis.frequencies.size() == observation.pairs() && observation.pairs() > 2;
}

// And both sides of them.
bool shows_pairs(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  return shows_turns(observation, hypothesis) && !observation.reading().is_one_sided();
}

std::string spell(const std::vector<std::size_t>& pairs) {
  constexpr std::size_t most = 6;
  std::string text;
  std::size_t runs = 0;
  for (std::size_t first = 0, i = 1; i <= pairs.size(); ++i) {
    if (i < pairs.size() && pairs[i] == pairs[i - 1] + 1) continue;
    if (++runs <= most)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", pairs[first]) +
              (i - first > 1 ? fmt::format("–{}", pairs[i - 1]) : "");
    first = i;
  }
  return runs > most ? fmt::format("{} and {} runs more", text, runs - most) : text;
}

// The pair that each turns as, no two as one, the sharply known first: of cosines alone many slow
// ones may be any. Empty where a pair is left without.
std::vector<double> one_to_one(const std::vector<double>& f, const std::vector<double>& seen,
                               const std::vector<double>& errors) {
  std::vector<std::size_t> order(f.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return errors[j] / f[j]; });
  std::vector<char> taken(f.size());
  std::vector<double> from(f.size());
  for (const std::size_t j : order) {
    const auto off = [&](std::size_t k) { return std::fabs(seen[j] - f[k]); };
    std::size_t best = j;
    if (!(off(j) <= errors[j]) || taken[j]) {
      best = f.size();
      for (std::size_t k = 0; k < f.size(); ++k)
        if (!taken[k] && (off(k) <= errors[j] || std::isnan(seen[j])) &&
            (best == f.size() || off(k) < off(best)))
          best = k;
    }
    if (best == f.size()) return {};
    taken[best] = 1;
    from[j] = static_cast<double>(best);
  }
  return from;
}

// Which pairs each pair agrees with at every probe, [pair, as which]; empty where one agrees with
// none.
std::vector<std::vector<char>> agreements(const RotationObservation& observation,
                                          const RotationHypothesis& hypothesis) {
  const std::size_t n = observation.pairs(), rows = observation.rows().size();
  const RotationPrediction prediction = observation.prediction(hypothesis);
  std::vector<std::vector<double>> c(rows, std::vector<double>(n)), s = c, bound = c;
  for (std::size_t i = 0; i < rows; ++i)
    prediction.row(observation.rows()[i], c[i], s[i], bound[i]);
  const auto agree = [&](std::size_t j, std::size_t k) {
    for (std::size_t i = rows; i-- > 0;) {
      const double allowed = bound[i][k] + observation.slack(i, j);
      if (observation.has_cosine() &&
          !prediction.allows(observation.cosine(i, j), c[i][k], allowed))
        return false;
      if (observation.has_sine() && !prediction.allows(observation.sine(i, j), s[i][k], allowed))
        return false;
    }
    return true;
  };
  std::vector<std::vector<char>> all(n, std::vector<char>(n));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) all[j][k] = agree(j, k);
    if (std::ranges::count(all[j], 1) == 0) return {};
  }
  return all;
}

// Of several axes each pair turns as another one, with its axis, and no two as one.
RotationProposals permuted_of_axes(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  constexpr std::size_t most = 1024;  // pairs, each of which is held against each
  const std::size_t n = hypothesis.axis.size();
  if (!observation.has_rows() || n != observation.pairs() || n < 3 || n > most) return {};
  const std::vector<std::vector<char>> agree = agreements(observation, hypothesis);
  if (agree.empty()) return {};
  // Those that agree with fewest choose first.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t j) { return std::ranges::count(agree[j], 1); });
  std::vector<char> taken(n);
  std::vector<double> from(n);
  for (const std::size_t j : order) {
    std::size_t as = j;
    if (!agree[j][j] || taken[j])
      for (as = 0; as < n && (!agree[j][as] || taken[as]); ++as) {
      }
    if (as == n) return {};
    taken[as] = 1;
    from[j] = static_cast<double>(as);
  }
  if (std::ranges::is_sorted(from)) return {};
  Proposal<RotationHypothesis> one{hypothesis, "pairs turn as others should: " + spell_runs(from),
                                   1.2};
  for (std::size_t j = 0; j < n; ++j) {
    one.hypothesis.axis[j] = hypothesis.axis[static_cast<std::size_t>(from[j])];
    one.hypothesis.frequencies[j] = hypothesis.frequencies[static_cast<std::size_t>(from[j])];
  }
  return {one};
}

// Numbers for each pair: each is some pair's, no two the same one's.
RotationProposals permuted_numbers(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  const std::size_t n = observation.pairs();
  if (n < 3 || hypothesis.frequencies.size() != n) return {};
  std::vector<double> want(n), bound(n);
  observation.prediction(hypothesis).frequencies(want.data(), bound.data());
  double widest = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (want[j] > 0) widest = std::max(widest, bound[j] / want[j]);
  const std::vector<double>& seen = observation.measured();
  std::vector<double> errors(n);
  for (std::size_t j = 0; j < n; ++j) errors[j] = widest * std::fabs(seen[j]);
  const std::vector<double> from = one_to_one(want, seen, errors);
  if (from.empty() || std::ranges::is_sorted(from) || std::ranges::is_sorted(from, std::greater{}))
    return {};
  Proposal<RotationHypothesis> one{hypothesis, "pairs turn as others should: " + spell_runs(from),
                                   1.2};
  for (std::size_t j = 0; j < n; ++j)
    one.hypothesis.frequencies[j] = hypothesis.frequencies[static_cast<std::size_t>(from[j])];
  return {one};
}

// Each pair turns as some pair should, its own where it may.
RotationProposals permuted(const RotationObservation& observation,
                           const RotationHypothesis& hypothesis) {
  if (!hypothesis.axis.empty()) return permuted_of_axes(observation, hypothesis);
  if (!observation.has_rows()) return permuted_numbers(observation, hypothesis);
  if (!shows_turns(observation, hypothesis)) return {};
  const std::vector<double>&f = hypothesis.frequencies, seen = observation.measured(hypothesis),
        errors = observation.measured_errors(hypothesis);
  const auto may_be = [&](std::size_t j, std::size_t k) {
    return std::fabs(seen[j] - f[k]) <= errors[j];
  };
  const auto proposed = [&](const std::vector<double>& pairs) {
    Proposal<RotationHypothesis> one{hypothesis,
                                     "pairs turn as others should: " + spell_runs(pairs), 1.2};
    for (std::size_t j = 0; j < f.size(); ++j)
      one.hypothesis.frequencies[j] = f[static_cast<std::size_t>(pairs[j])];
    return one;
  };
  if (observation.reading().is_one_sided()) {
    const std::vector<double> pairs = one_to_one(f, seen, errors);
    if (pairs.empty() || std::ranges::is_sorted(pairs)) return {};
    return {proposed(pairs)};
  }
  std::vector<double> from;
  std::size_t moved = 0;
  for (std::size_t j = 0; j < f.size(); ++j) {
    std::size_t best = j;
    if (!may_be(j, j))
      for (std::size_t k = 0; k < f.size(); ++k)
        if (std::fabs(seen[j] - f[k]) < std::fabs(seen[j] - f[best])) best = k;
    const bool stands = std::fabs(seen[j]) <= errors[j] && !may_be(j, j);  // another cause
    if (!may_be(j, best) || stands) return {};
    from.push_back(static_cast<double>(best));
    moved += best != j;
  }
  const auto [least, most] = std::ranges::minmax(from);
  const bool reversed = std::ranges::is_sorted(from, std::greater{});
  if (moved < 2 || least == most || reversed) return {};
  // A pair that turns too slowly to be told goes as those about it do.
  for (std::size_t j = 1; j < from.size(); ++j)
    if (const auto next = static_cast<std::size_t>(from[j - 1]) + 1;
        next < f.size() && from[j] == static_cast<double>(j) && may_be(j, next))
      from[j] = static_cast<double>(next);
  return {proposed(from)};
}

// Some pairs turn backwards: their sines, over all rows, are the others' with the other sign.
RotationProposals some_backwards(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  if (!shows_pairs(observation, hypothesis) || hypothesis.swapped) return {};
  const RotationPrediction prediction = observation.prediction(hypothesis);
  const std::size_t n = observation.pairs();
  std::vector<double> c(n), s(n), bound(n), along(n), square(n);
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    prediction.row(observation.rows()[i], c, s, bound);
    for (std::size_t j = 0; j < n; ++j)
      if (std::isfinite(bound[j]) && std::isfinite(observation.sine(i, j))) {
        along[j] += s[j] * observation.sine(i, j);
        square[j] += s[j] * s[j];
      }
  }
  std::vector<std::size_t> backwards;
  for (std::size_t j = 0; j < n; ++j) {
    if (!(std::fabs(along[j]) >= 0.9 * square[j])) return {};
    if (along[j] < 0) backwards.push_back(j);
  }
  if (backwards.empty() || backwards.size() == n) return {};
  Proposal<RotationHypothesis> one{hypothesis,
                                   fmt::format("the sines of pair{} {} have the other sign",
                                               backwards.size() == 1 ? "" : "s", spell(backwards)),
                                   1.1, Cause::direction_reversed};
  for (const std::size_t j : backwards) one.hypothesis.frequencies[j] *= -1;
  return {one};
}

// One pair, or a few, by a frequency of their own.
RotationProposals few_otherwise(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  if (!shows_pairs(observation, hypothesis) || hypothesis.swapped || !hypothesis.changes.empty())
    return {};
  const std::vector<double>&f = hypothesis.frequencies, seen = observation.measured(hypothesis),
        errors = observation.measured_errors(hypothesis);
  std::vector<std::size_t> odd;
  for (std::size_t j = 0; j < f.size(); ++j)
    if (!(std::fabs(seen[j] - f[j]) <= errors[j])) odd.push_back(j);
  if (odd.empty() || odd.size() > std::max<std::size_t>(1, f.size() / 8)) return {};
  Proposal<RotationHypothesis> one{hypothesis, "", 1.3 + 0.1 * static_cast<double>(odd.size())};
  for (const std::size_t j : odd) {
    const double own = sharpened(observation, hypothesis, j, seen[j]).value, ratio = own / f[j];
    if (!std::isfinite(own) || !(std::fabs(ratio) > 1e-6)) return {};  // what stands is another's
    one.hypothesis.frequencies[j] = own;
    one.sentence += fmt::format("{}pair {} turns by {:.6g} times its frequency",
                                one.sentence.empty() ? "" : ", ", j, ratio);
  }
  return {one};
}

// Sines stand where cosines are meant, too, or the reverse.
RotationProposals copied(const RotationObservation& observation,
                         const RotationHypothesis& hypothesis) {
  if (!observation.has_rows() || observation.reading().is_one_sided()) return {};
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (!(std::fabs(observation.cosine(i, j) - observation.sine(i, j)) <=
            2 * observation.slack(i, j)))
        return {};
  using Copied = RotationHypothesis::Copied;
  RotationProposals all{{hypothesis, "cosines stand where sines are meant, too"},
                        {hypothesis, "sines stand where cosines are meant, too"}};
  all[0].hypothesis.copied = Copied::cosine;
  all[1].hypothesis.copied = Copied::sine;
  return all;
}

// Sines that were read from a place further on in rows of cosines and sines: those of pair j are
// pair j + k's, and behind the row's end stand zeros, or the next row's cosines; behind the last
// row's, anything.
RotationProposals sines_further_on(const RotationObservation& observation,
                                   const RotationHypothesis& hypothesis) {
  if (!shows_pairs(observation, hypothesis) || observation.reading().is_one_sided() ||
      hypothesis.axes() > 1 || hypothesis.frequencies != observation.truth().frequencies)
    return {};
  const std::vector<double>& f = hypothesis.frequencies;
  const std::size_t n = f.size(), rows = observation.rows().size();
  bool any = false;  // zeros throughout were read from nowhere
  for (std::size_t i = 0; i < rows && !any; ++i)
    for (std::size_t j = 0; j < n && !any; ++j) any = observation.sine(i, j) != 0;
  if (!any) return {};
  const auto is_last = [&](Index row) { return observation.slot(row) == observation.slots() - 1; };
  const auto turns_as = [&](std::size_t j, double frequency, double phase, bool in_last = true) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (!in_last && is_last(observation.rows()[i])) continue;
      const double angle = position_of(hypothesis, observation.rows()[i], j) * frequency + phase;
      const double want = hypothesis.sine_magnitude * std::sin(angle);
      // Of few roundings; every cell is asked behind.
      const double loose = 1e-3 + 2 * observation.grain() + 2 * observation.slack(i, j);
      if (!(std::fabs(observation.sine(i, j) - want) <= loose)) return false;
    }
    return true;
  };
  for (std::size_t k = 1; k + 2 <= n; ++k) {
    std::size_t j = 0;
    while (j + k < n && turns_as(j, f[j + k], 0)) ++j;
    if (j + k < n) continue;
    constexpr double quarter = std::numbers::pi / 2;
    const bool zero = turns_as(j, 0, 0);
    if (!zero && !turns_as(j, f[0], f[0] + quarter, false)) continue;
    Proposal<RotationHypothesis> one{
        hypothesis, fmt::format("sines were read {} columns further on: those of pair j are pair "
                                "j + {}'s",
                                k, k)};
    one.hypothesis.sine_frequencies.assign(n, 0);
    std::copy(f.begin() + static_cast<std::ptrdiff_t>(k), f.end(),
              one.hypothesis.sine_frequencies.begin());
    if (!zero) {
      one.sentence += ", and behind the row's end the next row's cosines";
      one.hypothesis.sine_phases.assign(n, 0);
      for (std::size_t i = 0; i < k; ++i) {
        one.hypothesis.sine_frequencies[n - k + i] = f[i];
        one.hypothesis.sine_phases[n - k + i] = f[i] + quarter;
      }
      if (!turns_as(j, f[0], f[0] + quarter))
        one.hypothesis.row = [last = observation.slots() - 1,
                              reading = observation.reading()](Index row) {
          return reading.slot(row) == last ? RotationHypothesis::Row::free
                                           : RotationHypothesis::Row::turns;
        };
    }
    return {one};
  }
  return {};
}

// The exponent was counted by channels where it is by pairs: sin(p·b^(−2c/d)) in channel c = 2j,
// cos in channel 2j + 1.
RotationProposals by_channel(const RotationObservation& observation,
                             const RotationHypothesis& hypothesis) {
  const double base = number_of(observation, hypothesis, "base");
  if (!shows_pairs(observation, hypothesis) || !(base > 1) ||
      hypothesis.frequencies != observation.truth().frequencies || !(hypothesis.frequencies[1] > 0))
    return {};
  const double half = std::sqrt(hypothesis.frequencies[1] / hypothesis.frequencies[0]);
  Proposal<RotationHypothesis> one{
      hypothesis,
      "exponents are 2c/d by channel c, where 2j/d by pair j is meant: sines turn by "
      "b^(−4j/d), cosines by b^(−(4j+2)/d)"};
  one.hypothesis.sine_frequencies.resize(observation.pairs());
  for (std::size_t j = 0; j < observation.pairs(); ++j) {
    const auto channel = static_cast<double>(2 * j);
    one.hypothesis.sine_frequencies[j] = hypothesis.frequencies[0] * std::pow(half, 2 * channel);
    one.hypothesis.frequencies[j] = hypothesis.frequencies[0] * std::pow(half, 2 * channel + 2);
  }
  return {one};
}

constexpr RotationProposer rows[] = {
    {Cause::side_copied, "sides", copied},
    {Cause::pair_formula, "sides", other_formulas},
    {Cause::exponent_shifted, "ladder base", by_channel},
    {Cause::direction_reversed, "direction", some_backwards, may_be_by_angles},
    {Cause::pairs_permuted, "ladder pairing axes", permuted, may_be_by_angles},
    {Cause::pair_formula, "ladder pairing axes", sines_further_on},
    {Cause::pair_frequency, "ladder base scaling", few_otherwise},
};

}  // namespace

std::span<const RotationProposer> pair_causes() { return rows; }

}  // namespace pe
