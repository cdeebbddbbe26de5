// The slopes of a linear bias that are not those meant: other ladders, other powers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "pe/base/whole.hpp"
#include "pe/diagnosis/biases/proposals.hpp"

namespace pe {

const std::vector<Real>& slopes_of(const BiasObservation& observation, Index heads,
                                   const std::string& form) {
  const auto [place, made_now] = observation.ladders->try_emplace({heads, form});
  if (!made_now) return place->second;
  Settings changes{{"heads", static_cast<double>(heads)}};
  if (!form.empty()) changes["slopes"] = form;
  const auto made =
      observation.expected->remake ? observation.expected->remake(changes) : std::nullopt;
  if (made) place->second = std::get<Bias>(made->effect).slopes;
  return place->second;
}

BiasHypothesis with_slopes(const BiasObservation& observation, const BiasHypothesis& hypothesis,
                           std::vector<Real> slopes) {
  BiasHypothesis other = hypothesis;
  other.slopes = std::move(slopes);
  other.heads.resize(static_cast<std::size_t>(observation.shape.heads));
  std::iota(other.heads.begin(), other.heads.end(), Index{0});
  return other;
}

Index power_below(Index n) {
  Index power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

namespace {

BiasProposals ladders(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (!is_linear(hypothesis)) return proposals;
  const Index meant = observation.bias->heads, heads = observation.shape.heads;
  const auto offer = [&](Index of, const std::string& form, std::string sentence, double cost) {
    std::vector<Real> slopes = slopes_of(observation, of, form);
    if (std::ssize(slopes) >= heads)
      proposals.push_back(
          {with_slopes(observation, hypothesis, std::move(slopes)), std::move(sentence), cost});
  };
  const std::string form = observation.expected->parameters.choice("slopes"),
                    other = form == "code" ? "paper" : "code";
  const std::string names = "where those of {} are meant";
  if ((meant & (meant - 1)) != 0)
    offer(meant, other,
          other == "paper"
              ? fmt::format("one ladder 2^(-8h/{}) for all heads, where the authors' code has two "
                            "interleaved ladders",
                            meant)
              : fmt::format("the two ladders of the authors' code, where one, 2^(-8h/{}), is meant",
                            meant),
          1);
  const auto offer_count = [&](Index of, double cost) {
    if (of != meant)
      offer(of, "",
            fmt::format("the first slopes of {} heads, where those of {} are meant", of, meant),
            cost);
  };
  offer_count(2 * power_below(meant), 1);
  offer_count(power_below(meant), 1);
  offer(2 * meant, "paper",
        fmt::format("the first slopes of {0} heads by one ladder 2^(-8h/{0}), where those of {1} "
                    "are meant",
                    2 * meant, meant),
        1.1);
  for (Index of = heads; of <= 2 * std::max(heads, meant) && heads <= 256; ++of)
    offer_count(of, of % 8 == 0 ? 1.1 : 1.2);
  for (Index of = 4 * power_below(std::max(heads, meant)); of <= 256; of *= 2) offer_count(of, 1.2);
  // A later rank's part of a model of which this one would be the whole.
  for (const Index ranks : {2, 3, 4, 6, 8, 16}) {
    if (heads != meant || ranks * heads > 256) continue;
    const std::vector<Real> all = slopes_of(observation, ranks * heads, "");
    for (Index first = heads; first + heads <= std::ssize(all); first += heads)
      proposals.push_back(
          {with_slopes(observation, hypothesis, {all.begin() + first, all.begin() + first + heads}),
           fmt::format("slopes {} to {} of {} heads, where those of {} are meant", first,
                       first + heads - 1, ranks * heads, meant),
           1.2});
  }
  return proposals;
}

// A ladder of another first slope and another ratio, both powers of 2 with small fractions for
// exponents.
BiasProposals fitted_ladder(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const Index heads = observation.shape.heads;
  if (!is_linear(hypothesis) || heads < 3) return {};
  const std::vector<double> ratios = slope_ratios(observation, hypothesis);
  const auto slope = [&](Index head) {
    const auto h = static_cast<std::size_t>(head);
    return ratios[h] * to_double(hypothesis.slopes[static_cast<std::size_t>(hypothesis.heads[h])]);
  };
  const double first = std::log2(slope(0)), last = std::log2(slope(heads - 1));
  if (!std::isfinite(first) || !std::isfinite(last)) return {};
  BiasProposals proposals;
  const double step = (last - first) / static_cast<double>(heads - 1);
  // A slope is a cell over its distance: its logarithm is off by the cell's rounding.
  const double off = 2 * unit_roundoff(observation.dtype) / std::numbers::ln2 + 1e-5;
  for (const Index parts :
       std::set{heads - 1, heads, heads + 1, observation.bias->heads, Index{1}}) {
    const double over = step * static_cast<double>(parts),
                 start = first * static_cast<double>(parts),
                 loose = std::min(0.25, off * static_cast<double>(parts));
    if (std::fabs(over - std::nearbyint(over)) > 2 * loose / static_cast<double>(heads - 1) ||
        std::fabs(start - std::nearbyint(start)) > loose || std::nearbyint(over) == 0)
      continue;
    const auto up = saturated<std::int64_t>(std::nearbyint(over)),
               from = saturated<std::int64_t>(std::nearbyint(start));
    std::vector<Real> slopes;
    for (Index head = 0; head < heads; ++head)
      slopes.push_back(pow(Real(2), Real(from + up * head) / parts));
    const Index common = std::gcd(up, parts);
    const std::string power = fmt::format(
        "{} {} {}h{}",
        from % parts == 0 ? fmt::format("{}", from / parts) : fmt::format("{}/{}", from, parts),
        up < 0 ? "-" : "+",
        std::abs(up / common) == 1 ? "" : fmt::format("{}", std::abs(up / common)),
        parts == common ? "" : fmt::format("/{}", parts / common));
    const std::string meant = (observation.bias->heads & (observation.bias->heads - 1)) == 0
                                  ? fmt::format("2^(-8(h+1)/{})", observation.bias->heads)
                                  : std::string("the authors' two ladders");
    proposals.push_back(
        {with_slopes(observation, hypothesis, std::move(slopes)),
         fmt::format("slope h is 2^({}), h from 0, where {} is meant", power, meant), 1.4});
  }
  return proposals;
}

// 2^(−8h/n) for h = first, first + step, …
void add_ladder(Index n, Index first, Index step, Index count, std::vector<Real>& slopes) {
  for (Index h = 0; h < count; ++h)
    slopes.push_back(pow(Real(2), Real(-8 * (first + h * step)) / n));
}

// Of a head count that is no power of two: other slopes in the place of the second ladder.
BiasProposals second_ladders(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  const Index heads = observation.bias->heads, power = power_below(heads), more = heads - power;
  if (!is_linear(hypothesis) || more == 0 || observation.shape.heads != heads ||
      observation.expected->parameters.choice("slopes") == "paper")
    return {};
  BiasProposals proposals;
  const auto offer = [&](Index n, Index first, Index step, std::string_view words) {
    std::vector<Real> slopes;
    add_ladder(power, 1, 1, power, slopes);
    add_ladder(n, first, step, more, slopes);
    proposals.push_back(
        {with_slopes(observation, hypothesis, std::move(slopes)),
         fmt::format("the last {} {}, where every second slope of {} heads is meant, "
                     "from the first on",
                     more == 1 ? "head has" : fmt::format("{} heads have", more), words, 2 * power),
         1});
  };
  offer(2 * power, 2, 2,
        fmt::format("every second slope of {} heads from the second on", 2 * power));
  offer(2 * power, 1, 1, fmt::format("the first slopes of {} heads", 2 * power));
  offer(power, 1, 1, "the slopes of the first heads again");
  offer(more, 1, 1,
        more == 1 ? "the slope of one head" : fmt::format("the slopes of {} heads", more));
  return proposals;
}

// The slope of each head of the dump; empty where some head has none.
std::vector<double> slopes_seen(const BiasObservation& observation,
                                const BiasHypothesis& hypothesis) {
  std::vector<double> seen = slope_ratios(observation, hypothesis);
  for (std::size_t h = 0; h < seen.size(); ++h)
    seen[h] *= to_double(hypothesis.slopes[static_cast<std::size_t>(hypothesis.heads[h])]);
  if (!std::ranges::all_of(seen, [](double slope) { return std::isfinite(slope) && slope > 0; }))
    seen.clear();
  return seen;
}

// Every head has the same slope, one of those meant; and, last of all, slopes that no rule gives.
BiasProposals ruleless(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  if (!is_linear(hypothesis) || observation.shape.slopes || observation.shape.heads < 2) return {};
  const std::vector<double> seen = slopes_seen(observation, hypothesis);
  if (seen.empty()) return {};
  BiasProposals proposals;
  const auto [least, most] = std::ranges::minmax(seen);
  if (most / least < 1 + 8 * unit_roundoff(observation.dtype)) {
    const auto& slopes = observation.bias->slopes;
    const auto own = std::ranges::min_element(slopes, {}, [&](const Real& slope) {
      return std::fabs(std::log2(to_double(slope) / seen.front()));
    });
    proposals.push_back({with_slopes(observation, hypothesis, std::vector(seen.size(), *own)),
                         fmt::format("every head has the slope of head {}", own - slopes.begin()),
                         1});
    return proposals;
  }
  constexpr std::size_t few = 3;
  std::vector<Real> slopes(seen.begin(), seen.end());
  const std::span<const double> first(seen.data(), std::min(few, seen.size()));
  proposals.push_back({with_slopes(observation, hypothesis, std::move(slopes)),
                       fmt::format("the bias is linear, and no rule gives its slopes: {:.4g}{}",
                                   fmt::join(first, ", "), seen.size() > few ? ", …" : ""),
                       2.7});
  return proposals;
}

}  // namespace

BiasProposals offer_ladders(const BiasObservation& observation, const BiasHypothesis& hypothesis) {
  BiasProposals proposals = ladders(observation, hypothesis);
  for (const auto more : {&fitted_ladder, &second_ladders, &ruleless})
    for (auto& offer : more(observation, hypothesis)) proposals.push_back(std::move(offer));
  return proposals;
}

// 2^(−8(h + shift)/n) for h = 1 …; the second ladder is that of twice the power of two, every
// second slope.
BiasProposals offer_exponents(const BiasObservation& observation,
                              const BiasHypothesis& hypothesis) {
  BiasProposals proposals;
  if (!is_linear(hypothesis) || observation.shape.heads != observation.bias->heads)
    return proposals;
  const Index heads = observation.bias->heads;
  const bool paper = observation.expected->parameters.choice("slopes") == "paper";
  const Index power = paper ? heads : power_below(heads);
  for (const int most : {4, 16, 32}) {  // MPT's alibi_bias_max
    std::vector<Real> slopes;
    for (Index h = 1; h <= power; ++h) slopes.push_back(pow(Real(2), Real(-most * h) / power));
    for (Index h = 0; h < heads - power; ++h)
      slopes.push_back(pow(Real(2), Real(-most * (2 * h + 1)) / (2 * power)));
    proposals.push_back({with_slopes(observation, hypothesis, std::move(slopes)),
                         fmt::format("slopes fall to 2^-{}, where they fall to 2^-8", most), 1.05});
  }
  for (const int shift : {-1, 1}) {
    std::vector<Real> slopes;
    for (Index h = 1; h <= power; ++h)
      slopes.push_back(pow(Real(2), Real(-8 * (h + shift)) / power));
    for (Index h = 0; h < heads - power; ++h)
      slopes.push_back(pow(Real(2), Real(-8 * (2 * h + 1 + shift)) / (2 * power)));
    proposals.push_back(
        {with_slopes(observation, hypothesis, std::move(slopes)),
         shift < 0
             ? fmt::format("the powers of the slopes count from 0: 2^(-8h/{}), h = 0, 1, …", power)
             : fmt::format("the powers of the slopes count from 2: the first slope is missing, "
                           "2^(-8h/{}), h = 2, 3, …",
                           power),
         1});
    if (power == heads) continue;
    for (const bool first : {true, false}) {  // of one of the ladders
      std::vector<Real> mixed;
      add_ladder(power, first ? 1 + shift : 1, 1, power, mixed);
      add_ladder(2 * power, first ? 1 : 1 + shift, 2, heads - power, mixed);
      proposals.push_back(
          {with_slopes(observation, hypothesis, std::move(mixed)),
           fmt::format("the powers of the slopes count from {} in the {} ladder, that of the {} {} "
                       "heads",
                       1 + shift, first ? "first" : "second", first ? "first" : "last",
                       first ? power : heads - power),
           1});
    }
  }
  return proposals;
}

}  // namespace pe
