// Causes of position: the place that a row stands for, found from its phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

// A probe whose phases say where it stands.
struct Seen {
  Index row;
  double meant, implied;
};

std::vector<Seen> seen(const TurnWorld& world, const TurnStory& story) {
  std::vector<Seen> all;
  if (!world.has_rows() || !story.axis.empty()) return all;
  const std::vector<double> implied = world.implied_positions(story);
  for (std::size_t i = 0; i < implied.size(); ++i)
    if (!std::isnan(implied[i]))
      all.push_back({world.rows()[i], story.position(world.rows()[i], 0), implied[i]});
  return all;
}

template <typename Value>
double most_frequent(const std::vector<Seen>& all, Value value, double* share) {
  std::map<double, std::size_t> counts;
  for (const Seen& one : all)
    if (const double v = value(one); std::isfinite(v)) ++counts[v];
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  *share = counts.empty() ? 0 : static_cast<double>(best->second) / static_cast<double>(all.size());
  return counts.empty() ? 0 : best->first;
}

using Map = std::function<double(double position)>;

Proposal<TurnStory> mapped(const TurnStory& story, const Map& map, std::string sentence,
                           double cost = 1) {
  TurnStory other = story;
  other.position = [before = story.position, map](Index row, std::size_t axis) {
    return map(before(row, axis));
  };
  return {other, std::move(sentence), cost};
}

// Where positions are whole numbers they are found to a quarter; halves are met by engines that
// take the middle of a token.
double nearest_half(double x) { return std::round(2 * x) / 2; }

TurnProposals offset(const TurnWorld& world, const TurnStory& story) {
  double share;
  const std::vector<Seen> all = seen(world, story);
  const double k = most_frequent(
      all, [](const Seen& one) { return nearest_half(one.implied - one.meant); }, &share);
  if (all.empty() || k == 0) return {};
  return {mapped(
      story, [k](double p) { return p + k; },
      fmt::format("row p holds position p {} {:g}", k < 0 ? "−" : "+", std::fabs(k)))};
}

TurnProposals constant(const TurnWorld& world, const TurnStory& story) {
  double share;
  const std::vector<Seen> all = seen(world, story);
  const double c = most_frequent(
      all, [](const Seen& one) { return nearest_half(one.implied); }, &share);
  if (all.empty() || share < 0.5 || c == 0) return {};
  return {mapped(
      story, [c](double) { return c; }, fmt::format("every row holds position {:g}", c))};
}

TurnProposals not_rotated(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_rows() || world.slots() < 2) return {};
  Proposal<TurnStory> one{story, "no row is turned: all stand at position 0"};
  one.story.row = [](Index) { return TurnStory::Row::still; };
  return {one};
}

TurnProposals doubled(const TurnWorld& world, const TurnStory& story) {
  double share;
  const std::vector<Seen> all = seen(world, story);
  const double m = most_frequent(
      all,
      [](const Seen& one) { return one.meant > 0 ? std::round(one.implied / one.meant) : NAN; },
      &share);
  TurnProposals some;
  for (const double times : {2.0, m})
    if (times > 1 && (some.empty() || times != 2) && times < 1e6)
      some.push_back(mapped(
          story, [times](double p) { return p * times; },
          times == 2 ? "positions are doubled: the turn was applied twice"
                     : fmt::format("positions are multiplied by {:g}", times)));
  return some;
}

TurnProposals floored(const TurnWorld& world, const TurnStory& story) {
  TurnProposals some;
  if (!world.has_rows() || !story.axis.empty()) return some;
  const std::vector<Seen> all = seen(world, story);
  double share;
  std::vector<double> divisors{2, 4, 8, 16, 32};
  const double m = most_frequent(
      all,
      [](const Seen& one) { return one.implied > 4 ? std::round(one.meant / one.implied) : NAN; },
      &share);
  if (m > 1 && m < 4096 && std::ranges::find(divisors, m) == divisors.end()) divisors.push_back(m);
  for (const double s : divisors)
    some.push_back(mapped(
        story, [s](double p) { return std::floor(p / s); },
        fmt::format("positions are divided by {:g} and rounded down: {:g} neighbours share a row",
                    s, s)));
  return some;
}

// The first row at or after `from` whose implied position parts from the meant one by other than
// `delta`, found by halving.
Index boundary(const TurnWorld& world, const TurnStory& story, Index good, Index bad,
               double delta) {
  while (bad - good > 1) {
    const Index middle = good + (bad - good) / 2;
    const double implied = world.implied_positions(story, {middle})[0];
    (std::fabs(implied - story.position(middle, 0) - delta) < 0.25 ? good : bad) = middle;
  }
  return bad;
}

// In order of rows: where the first probe parts from the one before. Vectors are looked at in their
// first run.
std::optional<std::pair<Seen, Seen>> first_parting(const TurnWorld& world,
                                                   const std::vector<Seen>& all, double delta) {
  const Seen* last = nullptr;
  for (const Seen& one : all) {
    if (world.reading().run > 0 && one.row != world.slot(one.row) * world.reading().stride)
      continue;
    if (std::fabs(one.implied - one.meant - delta) < 0.25)
      last = &one;
    else if (last)
      return std::pair{*last, one};
  }
  return {};
}

TurnProposals wrapped(const TurnWorld& world, const TurnStory& story, bool vectors) {
  if (!world.has_rows() || (world.reading().run > 0) != vectors) return {};
  const std::vector<Seen> all = seen(world, story);
  Index length = 0;  // greatest common divisor of what rows lack
  for (const Seen& one : all)
    if (const double lack = std::round(one.meant - one.implied); lack >= 1)
      length = std::gcd(length, static_cast<Index>(lack));
  if (length < 2) return {};
  const auto l = static_cast<double>(length);
  return {mapped(
      story, [l](double p) { return p - l * std::floor(p / l); },
      vectors
          ? fmt::format("positions start again from 0 every {} rows", length)
          : fmt::format("rows repeat from {} on: row p holds position p mod {}", length, length))};
}

TurnProposals wrapped_rows(const TurnWorld& world, const TurnStory& story) {
  return wrapped(world, story, false);
}
TurnProposals reset(const TurnWorld& world, const TurnStory& story) {
  return wrapped(world, story, true);
}

TurnProposals clamped(const TurnWorld& world, const TurnStory& story) {
  const std::vector<Seen> all = seen(world, story);
  if (all.empty()) return {};
  double last = -1;
  for (const Seen& one : all) last = std::max(last, std::round(one.implied));
  if (last < 1) return {};
  return {mapped(
      story, [last](double p) { return std::min(p, last); },
      fmt::format("every row after {:g} repeats it", last))};
}

TurnProposals jump(const TurnWorld& world, const TurnStory& story) {
  const std::vector<Seen> all = seen(world, story);
  if (all.empty() || world.reading().run > 0) return {};
  const double before = std::round(all.front().implied - all.front().meant);
  const auto parting = first_parting(world, all, before);
  if (!parting) return {};
  const double after = std::round(parting->second.implied - parting->second.meant);
  const Index at = boundary(world, story, parting->first.row, parting->second.row, before);
  const double from = story.position(at, 0);
  return {mapped(
      story, [=](double p) { return p + (p < from ? before : after); },
      fmt::format("row p holds position p {} {:g} from {:g} on{}", after < 0 ? "−" : "+",
                  std::fabs(after), from,
                  before == 0 ? ""
                              : fmt::format(", and p {} {:g} before", before < 0 ? "−" : "+",
                                            std::fabs(before))),
      before == 0 ? 1.1 : 1.2)};
}

TurnProposals left_padding(const TurnWorld& world, const TurnStory& story) {
  double share;
  const std::vector<Seen> all = seen(world, story);
  const double k = -most_frequent(
      all,
      [](const Seen& one) { return one.implied > 0.5 ? std::round(one.implied - one.meant) : NAN; },
      &share);
  if (all.empty() || k < 1) return {};
  TurnProposals some;
  for (const double pad : {0.0, 1.0})
    some.push_back(mapped(
        story, [=](double p) { return p < k ? pad : p - k; },
        fmt::format(
            "the first {:g} rows are padding (position {:g}); positions are counted from behind it",
            k, pad)));
  return some;
}

// Blocks of rows that hold other blocks' positions: every row is asked where it stands.
TurnProposals permuted(const TurnWorld& world, const TurnStory& story) {
  constexpr Index most = 1 << 18;
  if (!world.has_rows() || world.reading().run > 0 || world.reading().rows > most ||
      !story.axis.empty() || story.frequencies != world.truth().frequencies)
    return {};
  const std::vector<Seen> all = seen(world, story);
  const auto odd = std::ranges::count_if(
      all, [](const Seen& one) { return std::fabs(one.implied - one.meant) > 0.25; });
  if (all.size() < world.rows().size() * 9 / 10 || odd < 2) return {};
  const auto inside = [&](const Seen& one) {
    return one.implied > -0.5 &&
           one.implied < static_cast<double>(world.reading().rows + world.expected().first);
  };
  if (!std::ranges::all_of(all, inside)) return {};
  auto places = std::make_shared<std::vector<double>>();
  std::vector<Index> rows(static_cast<std::size_t>(world.reading().rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (std::size_t first = 0; first < rows.size(); first += 1024) {
    const std::vector<Index> block(
        rows.begin() + static_cast<std::ptrdiff_t>(first),
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + 1024, rows.size())));
    std::ranges::transform(world.implied_positions(story, block), std::back_inserter(*places),
                           [](double p) { return std::round(p); });
  }
  std::vector<double> sorted = *places;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return {};
  std::string runs;
  std::size_t count = 0;
  for (std::size_t start = 0, i = 1; i <= places->size(); ++i) {
    if (i < places->size() && (*places)[i] == (*places)[i - 1] + 1) continue;
    if (++count <= 6)
      runs += fmt::format("{}{}–{} hold {:g}–{:g}", runs.empty() ? "" : ", ", start, i - 1,
                          (*places)[start], (*places)[i - 1]);
    start = i;
  }
  TurnStory other = story;
  other.position = [places](Index row, std::size_t) {
    return (*places)[static_cast<std::size_t>(row)];
  };
  return {{other,
           fmt::format("rows stand in another order: {}{}", runs,
                       count > 6 ? fmt::format(" and {} runs more", count - 6) : ""),
           1.15}};
}

constexpr TurnCause rows[] = {
    {{"position-offset", "row p holds another position, by a constant", "turns"},
     "position",
     offset},
    {{"not-rotated", "no row is turned", "turns"}, "position", not_rotated},
    {{"position-constant", "every row holds the same position", "turns"}, "position", constant},
    {{"position-doubled", "positions are multiplied: the turn was applied more than once", "turns"},
     "position",
     doubled},
    {{"position-floored", "positions are divided and rounded down", "turns"}, "position", floored},
    {{"rows-clamped", "the last row is repeated", "turns rows"}, "position", clamped},
    {{"rows-wrapped", "rows start again from the first", "turns rows"}, "position", wrapped_rows},
    {{"position-reset", "positions start again from 0", "turns"}, "position", reset},
    {{"left-padding", "positions are counted from behind the padding", "turns"},
     "position",
     left_padding},
    {{"position-jump", "positions jump at a row", "turns"}, "position", jump},
    {{"rows-permuted", "rows stand in another order", "turns rows"}, "position", permuted},
};

}  // namespace

std::span<const TurnCause> position_causes() { return rows; }

}  // namespace pe
