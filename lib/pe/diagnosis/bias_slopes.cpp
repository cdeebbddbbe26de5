// The slopes of a linear bias that are not those meant: other ladders, other powers, another order,
// a rank's slice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/diagnosis/bias_offers.hpp"

namespace pe {

const std::vector<Real>& slopes_of(const BiasWorld& world, Index heads, const std::string& form) {
  const auto [place, made_now] = world.ladders->try_emplace({heads, form});
  if (!made_now) return place->second;
  Given changes{{"heads", {std::to_string(heads), "diagnosis"}}};
  if (!form.empty()) changes["slopes"] = {form, "diagnosis"};
  const auto made = world.expected->remake ? world.expected->remake(changes) : std::nullopt;
  if (made) place->second = std::get<Bias>(made->effect).slopes;
  return place->second;
}

namespace {

BiasStory with_slopes(const BiasWorld& world, const BiasStory& story, std::vector<Real> slopes) {
  BiasStory other = story;
  other.slopes = std::move(slopes);
  other.heads.resize(static_cast<std::size_t>(world.shape.heads));
  std::iota(other.heads.begin(), other.heads.end(), Index{0});
  return other;
}

Index power_below(Index n) {
  Index power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

BiasOffers ladders(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers;
  if (!is_linear(story)) return offers;
  const Index meant = world.bias->heads, heads = world.shape.heads;
  const auto offer = [&](Index of, const std::string& form, std::string sentence, double cost) {
    std::vector<Real> slopes = slopes_of(world, of, form);
    if (std::ssize(slopes) >= heads)
      offers.push_back({with_slopes(world, story, std::move(slopes)), std::move(sentence), cost});
  };
  const std::string form = world.expected->parameters.choice("slopes"),
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
  for (Index of = heads; of <= 2 * std::max(heads, meant) && heads <= 256; ++of)
    offer_count(of, of % 8 == 0 ? 1.1 : 1.2);
  return offers;
}

// A ladder of another first slope and another ratio, both powers of 2 with small fractions for
// exponents.
BiasOffers fitted_ladder(const BiasWorld& world, const BiasStory& story) {
  const Index heads = world.shape.heads;
  if (!is_linear(story) || heads < 3) return {};
  const std::vector<double> ratios = slope_ratios(world, story);
  const auto slope = [&](Index head) {
    const auto h = static_cast<std::size_t>(head);
    return ratios[h] * to_double(story.slopes[static_cast<std::size_t>(story.heads[h])]);
  };
  const double first = std::log2(slope(0)), last = std::log2(slope(heads - 1));
  if (!std::isfinite(first) || !std::isfinite(last)) return {};
  BiasOffers offers;
  const double step = (last - first) / static_cast<double>(heads - 1);
  for (const Index parts : {heads - 1, heads, heads + 1, world.bias->heads, Index{1}}) {
    const double over = step * static_cast<double>(parts),
                 start = first * static_cast<double>(parts);
    if (std::fabs(over - std::nearbyint(over)) > 1e-3 ||
        std::fabs(start - std::nearbyint(start)) > 1e-3 || over == 0)
      continue;
    const auto up = static_cast<std::int64_t>(std::nearbyint(over)),
               from = static_cast<std::int64_t>(std::nearbyint(start));
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
    const std::string meant = (world.bias->heads & (world.bias->heads - 1)) == 0
                                  ? fmt::format("2^(-8(h+1)/{})", world.bias->heads)
                                  : std::string("the authors' two ladders");
    offers.push_back({with_slopes(world, story, std::move(slopes)),
                      fmt::format("slope h is 2^({}), h from 0, where {} is meant", power, meant),
                      1.4});
    break;
  }
  return offers;
}

}  // namespace

BiasOffers offer_ladders(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers = ladders(world, story);
  for (auto& offer : fitted_ladder(world, story)) offers.push_back(std::move(offer));
  return offers;
}

// 2^(−8(h + shift)/n) for h = 1 …; the second ladder is that of twice the power of two, every
// second slope.
BiasOffers offer_exponents(const BiasWorld& world, const BiasStory& story) {
  BiasOffers offers;
  if (!is_linear(story) || world.shape.heads != world.bias->heads) return offers;
  const Index heads = world.bias->heads;
  const bool paper = world.expected->parameters.choice("slopes") == "paper";
  const Index power = paper ? heads : power_below(heads);
  for (const int shift : {-1, 1}) {
    std::vector<Real> slopes;
    for (Index h = 1; h <= power; ++h)
      slopes.push_back(pow(Real(2), Real(-8 * (h + shift)) / power));
    for (Index h = 0; h < heads - power; ++h)
      slopes.push_back(pow(Real(2), Real(-8 * (2 * h + 1 + shift)) / (2 * power)));
    offers.push_back(
        {with_slopes(world, story, std::move(slopes)),
         shift < 0
             ? fmt::format("the powers of the slopes count from 0: 2^(-8h/{}), h = 0, 1, …", power)
             : fmt::format("the powers of the slopes count from 2: the first slope is missing, "
                           "2^(-8h/{}), h = 2, 3, …",
                           power),
         1});
  }
  return offers;
}

BiasOffers offer_orders(const BiasWorld& world, const BiasStory& story) {
  if (!is_linear(story) || world.shape.heads != world.bias->heads || world.shape.heads < 2)
    return {};
  const std::vector<double> ratios = slope_ratios(world, story);
  const auto heads = static_cast<std::size_t>(world.shape.heads);
  std::vector<double> meant(heads), got(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    meant[h] = to_double(story.slopes[h]);
    got[h] = ratios[h] * to_double(story.slopes[static_cast<std::size_t>(story.heads[h])]);
    if (!std::isfinite(got[h])) return {};
  }
  BiasStory other = story;
  std::vector<bool> taken(heads, false);
  for (std::size_t h = 0; h < heads; ++h) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < heads; ++i)
      if (std::fabs(std::log2(got[h] / meant[i])) < std::fabs(std::log2(got[h] / meant[nearest])))
        nearest = i;
    if (taken[nearest]) return {};
    taken[nearest] = true;
    other.heads[h] = static_cast<Index>(nearest);
  }
  if (other.heads == story.heads) return {};
  const auto half = static_cast<std::ptrdiff_t>(power_below(world.bias->heads));
  std::vector<Index> turned(heads);
  std::iota(turned.begin(), turned.end(), Index{0});
  std::vector<Index> behind = turned;
  std::ranges::reverse(turned);
  std::rotate(behind.begin(), behind.begin() + half, behind.end());
  std::string sentence = "the slopes are those meant, in another order";
  if (std::ranges::is_sorted(got, std::greater{}))
    sentence = "the slopes are sorted, where the second ladder follows the first";
  else if (std::ranges::is_sorted(got))
    sentence = "the slopes are sorted, the flattest first";
  if (other.heads == turned) sentence = "the heads are in reverse order";
  if (other.heads == behind) sentence = "the second ladder stands before the first";
  return {{std::move(other), std::move(sentence), 1}};
}

// The heads of one rank, or of all ranks one behind the other.
BiasOffers offer_head_slices(const BiasWorld& world, const BiasStory& story) {
  const Index heads = world.shape.heads, meant = world.bias->heads;
  if (!is_linear(story)) return {};
  BiasOffers offers;
  if (heads < meant) {
    const std::vector<Real>& slopes = slopes_of(world, heads, "");
    if (std::ssize(slopes) == heads)
      offers.push_back({with_slopes(world, story, slopes),
                        fmt::format("a rank's {} heads have the slopes of a model of {} heads, "
                                    "where a slice of those of {} is meant",
                                    heads, heads, meant),
                        1});
    return offers;
  }
  const auto repeated = [&](const std::vector<Real>& slopes, Index own) {
    std::vector<Real> all;
    while (std::ssize(all) < heads) all.insert(all.end(), slopes.begin(), slopes.begin() + own);
    return with_slopes(world, story, std::move(all));
  };
  for (Index own = heads / 2; own >= 1 && heads == meant; --own) {
    if (heads % own != 0) continue;
    offers.push_back(
        {repeated(world.bias->slopes, own),
         fmt::format("each of {} ranks has the first {} slopes, where it should have its own",
                     heads / own, own),
         1});
    if (const std::vector<Real>& slopes = slopes_of(world, own, ""); std::ssize(slopes) == own)
      offers.push_back({repeated(slopes, own),
                        fmt::format("each of {} ranks has the slopes of a model of {} heads, where "
                                    "it should have its part of those of {}",
                                    heads / own, own, meant),
                        1});
  }
  return offers;
}

}  // namespace pe
