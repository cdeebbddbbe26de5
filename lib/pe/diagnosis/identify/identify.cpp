// Which kind of dump an array is, asked in an order in which the surest signs come first.
#include "pe/diagnosis/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/diagnosis/axes.hpp"
#include "pe/diagnosis/companions.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/grid_likelihood.hpp"
#include "pe/diagnosis/identify/rotations.hpp"
#include "pe/diagnosis/identify/scores.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/rotations/vector_names.hpp"
#include "pe/diagnosis/unseen.hpp"

namespace pe {
namespace {

// What an array holds that tells nothing: one number all over, or no numbers; "" where it may tell
// something. Beside NaN and infinities, too, but not beside -inf, which masks have.
std::string emptiness(const Stored& array) {
  constexpr Index most = 1 << 16;
  std::vector<double> some(static_cast<std::size_t>(std::min(array.size(), 2 * most)));
  if (std::ssize(some) == array.size()) {
    array.read(0, array.size(), some.data());
  } else {  // tokens of no position may fill either end
    array.read(0, most, some.data());
    array.read(array.size() - most, most, some.data() + most);
  }
  if (some.empty()) return fmt::format("{} is empty", array.shown);
  const std::string where = std::ssize(some) < array.size() ? " where it was looked at" : "";
  const auto first = std::ranges::find_if(some, [](double value) { return std::isfinite(value); });
  if (first == some.end()) return fmt::format("{} holds no finite number{}", array.shown, where);
  if (array.size() == 1) return fmt::format("{} is one number, {:g}", array.shown, *first);
  const double only = *first;
  const auto is_broken = [](double value) { return std::isnan(value) || value == HUGE_VAL; };
  if (!std::ranges::all_of(some, [&](double v) { return v == only || is_broken(v); })) return "";
  const auto broken = std::ranges::count_if(some, is_broken);
  return fmt::format("{} holds {:g} all over{}{}", array.shown, only, where,
                     broken == 0 ? ""
                                 : fmt::format(" but for {} that {} not finite", broken,
                                               broken == 1 ? "is" : "are"));
}

// Whether all that was looked at is what it was before.
bool are_unchanged(const Dump& dump) {
  for (std::size_t i = 0; i < dump.before.size(); ++i) {
    std::vector<double> before(
        static_cast<std::size_t>(std::min<Index>(dump.before[i].size(), 65536))),
        after = before;
    dump.before[i].read(0, std::ssize(before), before.data());
    dump.arrays[i].read(0, std::ssize(after), after.data());
    if (before != after) return false;
  }
  return !dump.before.empty();
}

// The column that says at which position each row stands, as our own CSV has one.
bool is_coordinate(const Stored& array, const Stored& beside) {
  if (array.name != "position" || array.is_complex || beside.shape.empty() ||
      array.shape != std::vector<Index>{beside.shape[0]})
    return false;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  array.read(0, std::ssize(some), some.data());
  for (std::size_t i = 2; i < some.size(); ++i)
    if (some[i] - some[i - 1] != some[1] - some[0]) return false;
  return some.size() < 2 || some[1] > some[0];
}

// Whether a row of numbers rises by one.
bool is_count(const Stored& array) {
  if (squeezed(array.shape).size() != 1 || array.size() < 3) return false;
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  array.read(0, std::ssize(some), some.data());
  return std::ranges::adjacent_find(some, [](double a, double b) { return b != a + 1; }) ==
         some.end();
}

Dump without_coordinates(Dump dump) {
  for (auto* arrays : {&dump.before, &dump.arrays})
    if (arrays->size() > 1)
      std::erase_if(*arrays, [&, beside = arrays->back()](const Stored& array) {
        return is_coordinate(array, beside);
      });
  return dump;
}

// Of queries, keys and values the first two.
Dump turning_of(const Dump& dump) {
  const auto named = vectors_by_name(dump);
  return named ? named->turning : dump;
}

// Without what stands beside tables: frequencies, slopes.
Dump tables_of(const Dump& dump) {
  Dump tables = dump;
  std::erase_if(tables.arrays, [](const Stored& array) { return !is_table(array); });
  return dump.before.empty() && !tables.arrays.empty() ? tables : dump;
}

// Cosines or sines alone whose name says neither, by the name that the first row says: that of
// position 0 is the amplitude itself, or zeros.
std::optional<Dump> with_side_named(Dump dump) {
  Stored& array = dump.arrays[0];
  if (!dump.before.empty() || dump.arrays.size() != 1 || array.is_complex || side_said_by(array) ||
      squeezed(array.shape).size() < 2)
    return {};
  std::vector<double> row(static_cast<std::size_t>(squeezed(array.shape).back()));
  array.read(0, std::ssize(row), row.data());
  if (std::ranges::any_of(row, [&](double value) { return value != row[0]; })) return {};
  array.name = row[0] == 0 ? "sin" : "cos";
  return dump;
}

// A table of both whose name says one of them, "sin_table", under one that says neither.
std::optional<Dump> with_sides_unnamed(Dump dump) {
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex ||
      !side_said_by(dump.arrays[0]))
    return {};
  dump.arrays[0].name = "pe";
  return dump;
}

// A picture that stands [channel, row, column], as DETR keeps it.
Dump with_channels_last(Dump dump) {
  Stored& array = dump.arrays[0];
  if (const std::size_t rank = array.shape.size(); rank >= 3) array = moved_last(array, rank - 3);
  return dump;
}

// What a guess refuses is no fault of the dump's: the guess was wrong.
template <typename Ask>
std::optional<Identification> asked(Ask ask) {
  try {
    return ask();
  } catch (const UsageError&) {
    return {};
  }
}

Identification identify_main(const Dump& dump, const std::string& layout) {
  if (dump.arrays.empty()) throw UsageError("there is no array to identify");
  if (!dump.before.empty() && dump.before.size() != dump.arrays.size())
    throw UsageError(
        fmt::format("{} arrays before and {} after: give as many of each, in the same order",
                    dump.before.size(), dump.arrays.size()));
  for (std::size_t i = 0; i < dump.before.size(); ++i)
    if (dump.before[i].shape != dump.arrays[i].shape)
      throw UsageError(
          fmt::format("{} is {} and {} is {}: vectors before and after must have one shape",
                      dump.before[i].shown, spell_shape(dump.before[i].shape), dump.arrays[i].shown,
                      spell_shape(dump.arrays[i].shape)));
  for (const auto* arrays : {&dump.before, &dump.arrays})
    for (const Stored& array : *arrays)
      if (std::string why = emptiness(array); !why.empty()) {
        Identification nothing;
        nothing.seen = std::move(why);
        return nothing;
      }
  if (are_unchanged(dump)) {
    Identification nothing;
    nothing.seen =
        "the vectors are what they were before: nothing is turned where it was looked at";
    return nothing;
  }
  if (is_integer(dump.arrays[0].dtype) && is_count(dump.arrays[0])) {
    Identification nothing;
    nothing.seen = fmt::format(
        "{}: whole numbers, each one more than the last: the positions of tokens, and no table",
        spell_array(dump.arrays[0]));
    return nothing;
  }
  if (auto matrices = identify_matrices(dump)) return *matrices;
  std::optional<Identification> found;
  if (dump.before.empty() && dump.arrays.size() == 1 && !dump.arrays[0].is_complex) {
    found = identify_scores(dump, layout);
    if (found && (found->encoding || is_masked(dump))) return *found;
  }
  if (auto scaled = asked([&] { return identify_scales(dump, layout); })) return *scaled;
  const auto is_whole = [](const std::optional<Identification>& one) {
    return one && one->encoding && one->diagnosis.reasons.empty();
  };
  std::optional<Identification> turns, grid;
  const std::array others{with_side_named(dump), with_sides_unnamed(dump), sides_apart(dump)};
  // Whether turns hold as they are, under any name.
  const auto turns_hold = [&](Admit admit) {
    try {
      turns = identify_turns(dump, layout, admit);
    } catch (const UsageError&) {
      if (!found) throw;
    }
    if (is_whole(turns)) return true;
    for (const auto& other : others)
      if (other) try {
          if (auto turned = identify_turns(*other, layout, admit); is_whole(turned)) {
            turns = std::move(turned);
            return true;
          }
        } catch (const UsageError&) {
        }
    return false;
  };
  // What holds before faults and lists are looked for, which takes long.
  if (turns_hold(Admit::whole_tables)) return *turns;
  const bool is_hopeless =
      dump.before.empty() && dump.arrays.size() == 1 && !may_be_turns(dump.arrays[0]);
  if (!is_hopeless)
    if (auto sections = asked([&] { return identify_sections(dump, layout); })) return *sections;
  if (!is_hopeless) grid = asked([&] { return identify_grid(dump, layout); });
  if (!grid && !is_hopeless && dump.before.empty() && dump.arrays.size() == 1)
    grid = asked([&] { return identify_grid(with_channels_last(dump), layout); });
  if (is_whole(grid)) return *grid;
  if (!is_hopeless)
    if (auto stacked = asked([&] { return identify_stacked(dump, layout); })) return *stacked;
  if (turns_hold(Admit::faults_and_lists)) return *turns;
  if (grid && !(turns && turns->encoding)) return *grid;
  if (!(turns && turns->encoding) && layout.empty())
    if (auto odd = identify_odd_sinusoid(dump)) return *odd;
  if (!(turns && turns->encoding))
    if (auto prefixed = identify_prefixed(dump, layout)) return *prefixed;
  if (!(turns && turns->encoding))
    if (auto rearranged = identify_rearranged(dump, layout)) return *rearranged;
  if (!(turns && turns->encoding) && layout.empty())
    if (auto near = identify_near_sinusoid(dump)) return *near;
  if (turns && (turns->encoding || !found)) return *turns;
  if (found) return *found;
  if (dump.arrays.size() == 1 && !turns && side_said_by(dump.arrays[0]))
    throw UsageError(
        fmt::format("{} holds one side of the turns, and tells no ladder: give both, --file cos "
                    "--file sin",
                    dump.arrays[0].shown));
  return identify_rows(dump);
}

}  // namespace

namespace {

// Integers of 16 bits that are bfloat16 numbers of a usual size: indices would be denormal ones.
bool are_bf16(const Stored& array) {
  constexpr double least = 0x1p-40, most = 0x1p20;
  if (!array.u16 || array.size() == 0) return false;
  const Stored numbers = as_bf16(array);
  std::vector<double> some(static_cast<std::size_t>(std::min<Index>(array.size(), 4096)));
  numbers.read(0, std::ssize(some), some.data());
  return std::ranges::all_of(
             some,
             [](double x) { return x == 0 || (std::fabs(x) >= least && std::fabs(x) <= most); }) &&
         std::ranges::any_of(some, [](double x) { return x != 0; });
}

Dump with_bf16(Dump dump) {
  for (auto* arrays : {&dump.arrays, &dump.before})
    for (Stored& array : *arrays)
      if (are_bf16(array)) array = as_bf16(array);
  return dump;
}

}  // namespace

Identification identify(const Dump& given, const std::string& layout) {
  refuse_long_rows(given.arrays);
  refuse_long_rows(given.before);
  refuse_same_names(given);
  const Dump whole = without_coordinates(turning_of(with_bf16(given))),
             dump = with_heads_apart(tables_of(whole));
  Identification found = identify_main(dump, layout);
  if (!found.encoding || !found.diagnosis.reasons.empty())
    if (auto blocks = asked([&] { return identify_blocks(dump, layout); })) found = *blocks;
  std::vector<std::string> beside;
  for (const Stored& array : whole.arrays)
    if (dump.arrays.size() < whole.arrays.size() && !is_table(array)) beside.push_back(array.name);
  if (!beside.empty()) found.diagnosis.notes.push_back(not_looked_at(std::move(beside)));
  return found;
}

}  // namespace pe
