// Readings of caches, angles and frequencies: every layout that the shapes allow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/letters.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/dialects/layouts.hpp"

namespace pe {
namespace {

using Form = RotationReading::Form;

// Sinusoids are both sides.
bool says(const Stored& stored, std::string_view word) {
  const std::string name = in_small_letters(stored.name);
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1))
    if (name.compare(at, 5, "sinus") != 0) return true;
  return false;
}

// Whether the name has that word by itself.
bool is_called(const Stored& stored, std::string_view word) {
  const std::string& name = stored.name;
  const auto is_letter = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

// Whether an array of one side has the other's name.
bool is_misnamed(const Stored& stored, RotationReading::Side side) {
  const bool cosine = is_called(stored, "cos"), sine = is_called(stored, "sin");
  return cosine != sine && side != RotationReading::Side::both &&
         cosine == (side == RotationReading::Side::sine);
}

// A reading of [rows, width] arrays with one place for each side.
RotationReading reading_of(std::string layout, Form form, Index rows, Index width, Index pairs,
                           RotationReading::Place cosine, RotationReading::Place sine,
                           std::optional<Pairing> pairing = {}) {
  return {.layout = std::move(layout),
          .form = form,
          .rows = rows,
          .pairs = pairs,
          .width = width,
          .cosine = cosine,
          .sine = sine,
          .cosine_copy = {},
          .sine_copy = {},
          .pairing = pairing};
}

RotationReading::Place place_of(const ArrayLayout::Spot& spot, std::size_t array, Index pairs) {
  return {array, spot.at(0, pairs), spot.step};
}

// A layout of arrays whose rows have `width` elements; nothing where pairs do not come out whole.
std::optional<RotationReading> reading_of(const ArrayLayout& layout, Index rows, Index width,
                                          std::size_t cosine, std::size_t sine) {
  if (width % layout.width != 0 || width == 0) return {};
  const Index n = width / layout.width;
  RotationReading reading = reading_of(
      std::string(layout.name), layout.angles ? Form::angles : Form::turns, rows, width, n,
      place_of(layout.cosine, cosine, n), place_of(layout.sine, sine, n), layout.pairing);
  if (layout.copy) reading.cosine_copy = place_of(*layout.copy, cosine, n);
  if (const auto copy = layout.sine_copy()) reading.sine_copy = place_of(*copy, sine, n);
  return reading;
}

// Whether both sides' second columns repeat the first ones in the first row, the middle one or the
// last. Of an array that nowhere does, four columns belong to two pairs, not to one.
bool repeats(const Stored& array, const RotationReading& reading) {
  std::vector<double> row(static_cast<std::size_t>(reading.width));
  const auto same = [&](const RotationReading::Place& first, const RotationReading::Place& second) {
    for (Index j = 0; j < reading.pairs; ++j) {
      const auto a = static_cast<std::size_t>(first.at(j)),
                 b = static_cast<std::size_t>(second.at(j));
      if (row[a] != row[b]) return false;
    }
    return true;
  };
  for (const Index at : {Index{0}, reading.rows / 2, reading.rows - 1}) {
    array.read(at * reading.width, reading.width, row.data());
    if (same(reading.cosine, *reading.cosine_copy) && same(reading.sine, *reading.sine_copy))
      return true;
  }
  return false;
}

// One array: both sides in it, or angles.
void add_fused(std::vector<RotationReading>& all, const Stored& array, Index rows, Index width,
               std::optional<Index> pairs) {
  for (const ArrayLayout& layout : all_layouts()) {
    if (layout.arrays != 1 || (array.is_complex && layout.keeping != Keeping::turns)) continue;
    // Where the width suits both sides of the pairs that are meant, it holds no angles of others.
    if (pairs && layout.width == 1 && *pairs == width / 2) continue;
    const auto reading = reading_of(layout, rows, width, 0, 0);
    if (reading && (!reading->sine_copy || repeats(array, *reading))) all.push_back(*reading);
  }
}

void add_two(std::vector<RotationReading>& all, Index rows, Index width, std::size_t cosine,
             std::size_t sine) {
  for (const ArrayLayout& layout : all_layouts())
    if (layout.arrays == 2)
      if (const auto reading = reading_of(layout, rows, width, cosine, sine))
        all.push_back(*reading);
}

// Cosines whose second columns are halves, and sines that repeat by neighbours, or the reverse:
// tables of two programs.
void add_mixed(std::vector<RotationReading>& all, const std::vector<Stored>& arrays, Index rows,
               Index width, std::size_t cosine, std::size_t sine) {
  constexpr double two_causes = 2;
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(all_layouts(), name, &ArrayLayout::name);
  };
  if (width % 2 != 0 || width < 4 || rows < 3) return;
  const RotationReading halves = *reading_of(named("halves"), rows, width, cosine, sine),
                        adjacent = *reading_of(named("adjacent"), rows, width, cosine, sine);
  std::vector<double> row(static_cast<std::size_t>(width));
  const auto are = [&](const Stored& array, const RotationReading::Place& first,
                       const RotationReading::Place& second) {
    return std::ranges::all_of(std::array{rows / 2, rows - 1}, [&](Index at) {
      array.read(at * width, width, row.data());
      for (Index j = 0; j < width / 2; ++j)
        if (row[static_cast<std::size_t>(first.at(j))] !=
            row[static_cast<std::size_t>(second.at(j))])
          return false;
      return true;
    });
  };
  for (const auto& [of_cosine, of_sine, name] :
       {std::tuple{&halves, &adjacent, "halves-adjacent"},
        std::tuple{&adjacent, &halves, "adjacent-halves"}}) {
    if (!are(arrays[cosine], of_cosine->cosine, *of_cosine->cosine_copy) ||
        !are(arrays[sine], of_sine->sine, *of_sine->sine_copy) ||
        are(arrays[sine], of_cosine->sine, *of_cosine->sine_copy))
      continue;
    RotationReading mixed = *of_cosine;
    mixed.sine = of_sine->sine;
    mixed.sine_copy = of_sine->sine_copy;
    mixed.layout = name;
    mixed.cost = two_causes;
    all.push_back(std::move(mixed));
  }
}

// One array that holds one side of as many pairs as are meant: cosines, or sines.
void add_one_side(std::vector<RotationReading>& all, Index rows, Index width, Index pairs) {
  constexpr double unusual = 0.3;  // less than a cause, more than any other reading
  for (const ArrayLayout& layout : all_layouts()) {
    if (layout.arrays != 2 || width != layout.width * pairs) continue;
    RotationReading reading = *reading_of(layout, rows, width, 0, 0);
    reading.cost = unusual;
    for (const bool sine : {false, true}) {
      reading.side = sine ? RotationReading::Side::sine : RotationReading::Side::cosine;
      reading.layout = fmt::format("{}-{}", sine ? "sin" : "cos", layout.name);
      all.push_back(reading);
    }
  }
}

// Columns for channels whose halves pair up within blocks of them: pair j's are those that it is
// written to.
void add_blocks(std::vector<RotationReading>& all, Index blocks) {
  if (blocks < 2) return;
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    if (all[i].pairing != Pairing::halves || all[i].pairs % blocks != 0) continue;
    RotationReading reading = all[i];
    reading.blocks = blocks;
    reading.layout += " of each block";
    std::vector<Index> first, second;
    for (Index j = 0; j < reading.pairs; ++j) {
      first.push_back(channels_of(reading, j).out[0]);
      second.push_back(channels_of(reading, j).out[1]);
    }
    reading.cosine.columns = reading.sine.columns = first;
    for (auto* copy : {&reading.cosine_copy, &reading.sine_copy})
      if (*copy) (*copy)->columns = second;
    all.push_back(reading);
  }
}

// Rows and width of a cache: the last axis is the width, or the last two where it holds the parts
// of a turn.
std::pair<Index, Index> rows_of(const std::vector<Index>& shape, std::optional<Index> pairs) {
  const std::vector<Index> s = squeezed(shape);
  Index width = s.back();
  if (s.size() >= 2 && (width == 2 || s[s.size() - 2] == 2) &&
      (s.size() > 2 || (pairs && s[0] == *pairs)))
    width *= s[s.size() - 2];
  Index size = 1;
  for (const Index extent : s) size *= extent;
  return {width == 0 ? 0 : size / width, width};
}

// How far apart the frequencies of two pairs stand where each stands twice, by halves or by
// neighbours; nothing where they do not.
std::optional<Index> step_of_twins(const std::vector<double>& numbers) {
  const std::size_t half = numbers.size() / 2;
  const bool is_constant =
      std::ranges::all_of(numbers, [&](double x) { return x == numbers.front(); });
  if (half < 2 || numbers.size() % 2 != 0 || is_constant) return {};
  if (std::equal(numbers.begin(), numbers.begin() + half, numbers.begin() + half)) return 1;
  for (std::size_t j = 0; j < half; ++j)
    if (numbers[2 * j] != numbers[2 * j + 1]) return {};
  return 2;
}

// A vector that grows is taken for periods first, or wavelengths. Factors that are all 1 are those
// of a plain ladder, and frequencies that lost their exponent: only a name makes factors of them,
// or the command. By their name what is wrong with factors is told of these. Of what is longer than
// any head's frequencies none is made: they are held in memory whole. Each number may stand twice,
// as columns of tables do.
void add_vector_of_numbers(std::vector<RotationReading>& all, const Stored& array, Index n,
                           std::optional<Index> pairs, bool said) {
  constexpr Index most_pairs = Index{1} << 20;
  if (n > most_pairs) return;
  std::vector<double> ends(static_cast<std::size_t>(n));
  array.read(0, n, ends.data());
  const auto step = !pairs || n == 2 * *pairs ? step_of_twins(ends) : std::nullopt;
  const bool factors = said || says(array, "factor") || says(array, "rope_freqs");
  constexpr double unnamed = 0.5;  // less than any cause
  const auto vector = [&](std::string layout, Form form, bool named) {
    const RotationReading::Place place{0, 0, step.value_or(1)};
    all.push_back(reading_of(std::move(layout), form, 1, n, step ? n / 2 : n, place, place));
    all.back().named = named;
    if (factors && form != Form::factors) all.back().cost = unnamed;
  };
  const bool grows = std::isfinite(ends.back()) && ends.back() > ends.front();
  const bool named = says(array, "period") || says(array, "wavelength");
  for (const bool reciprocals : {grows, !grows})
    if (reciprocals) {
      vector("periods", Form::periods, named);
      vector("wavelengths", Form::wavelengths, named);
    } else
      vector("inv_freq", Form::frequencies, says(array, "freq"));
  const bool plain = ends.front() == 1 && ends.back() == 1;
  if (factors || !plain) vector("freq-factors", Form::factors, factors);
}

// Numbers along one axis: one for each pair, or the row of one position, or rows without end.
void add_line(std::vector<RotationReading>& all, const Stored& array, Index n,
              std::optional<Index> pairs, bool factors) {
  add_vector_of_numbers(all, array, n, pairs, factors);
  if (!pairs || *pairs == 0) return;
  add_one_side(all, 1, n, *pairs);
  if (n == *pairs) add_fused(all, array, 1, n, pairs);
  if (n % (2 * *pairs) == 0) add_fused(all, array, n / (2 * *pairs), 2 * *pairs, pairs);
  for (const ArrayLayout& layout : all_layouts()) {
    const Index width = layout.width * *pairs;
    if (layout.arrays != 1 || layout.width <= 2 || n % width != 0 || array.is_complex) continue;
    const RotationReading reading = *reading_of(layout, n / width, width, 0, 0);
    if (repeats(array, reading)) all.push_back(reading);
  }
}

// What the name says are frequencies is anything else last: two causes more.
void prefer_frequencies(std::vector<RotationReading>& all) {
  constexpr double last = 2;
  for (RotationReading& reading : all)
    if (reading.form != Form::frequencies) reading.cost += last;
}

// Coordinates of rows beside a table (a CSV's position column) are no turns.
bool is_coordinate(const Stored& array) {
  for (const char* name : {"position", "pair", "dim", "row"})
    if (array.name == name) return true;
  return false;
}

// "cos_sin_cache".
bool says_cosines_first(const Stored& array) {
  const std::size_t cosines = array.name.find("cos"), sines = array.name.find("sin");
  return cosines < sines && sines < array.name.size();
}

// Where there are axes before that of the positions, the positions run anew for each.
void add_runs(std::vector<RotationReading>& all, const std::vector<Index>& shape) {
  const std::vector<Index> s = squeezed(shape);
  for (RotationReading& reading : all) {
    Index width = 1, last = static_cast<Index>(s.size());
    while (last > 0 && width < reading.width) width *= s[static_cast<std::size_t>(--last)];
    if (width == reading.width && last >= 2) reading.run = s[static_cast<std::size_t>(last - 1)];
  }
}

// Readings of turns that carry the scales of queries, or of keys, beside those that carry none.
void add_scales(std::vector<RotationReading>& all, const TurnQuestion& question) {
  if (!question.scaled) return;
  constexpr double unusual = 0.005;  // less than any cause
  std::vector<RotationReading> both;
  for (const RotationReading& bare : all) {
    if (bare.form != Form::turns || (!question.carried && !question.side)) both.push_back(bare);
    for (const Side side : {Side::query, Side::key}) {
      if (bare.form != Form::turns || question.side.value_or(side) != side) continue;
      both.push_back(bare);
      both.back().scales = side;
      both.back().side_said = question.side.has_value();
      both.back().cost += question.side ? 0 : side == Side::key ? 2 * unusual : unusual;
    }
  }
  all = std::move(both);
}

const std::vector<Stored>& check_shapes(const Dump& dump) {
  for (const Stored& array : dump.arrays)
    if (array.size() == 0)
      throw UsageError(
          fmt::format("{} is empty: its shape is {}", array.shown, spell_shape(array.shape)));
  return dump.arrays;
}

}  // namespace

bool is_table(const Stored& array) {
  return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) > 1;
}

std::optional<RotationReading::Side> side_said_by(const Stored& array) {
  const bool cosine = says(array, "cos");
  if (cosine == says(array, "sin")) return {};
  return cosine ? RotationReading::Side::cosine : RotationReading::Side::sine;
}

std::vector<RotationReading> turn_readings(const Dump& dump, std::optional<Index> pairs,
                                           const TurnQuestion& question) {
  std::vector<RotationReading> all;
  const std::vector<Stored>& arrays = check_shapes(dump);
  if (!dump.before.empty()) return vector_readings(dump, pairs, question);
  std::optional<std::size_t> cosine, sine;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool fused = says(arrays[i], "cos") && says(arrays[i], "sin");
    if (!cosine && says(arrays[i], "cos") && !fused) cosine = i;
    if (!sine && says(arrays[i], "sin") && !fused) sine = i;
  }
  std::vector<std::size_t> tables;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (is_table(arrays[i])) tables.push_back(i);
  // The rows of one position: two of one shape are its sides.
  if (tables.empty() && arrays.size() == 2 && arrays[0].shape == arrays[1].shape &&
      !is_coordinate(arrays[0]) && !is_coordinate(arrays[1]))
    tables = {0, 1};
  for (std::size_t i = 0; tables.empty() && i < arrays.size(); ++i)
    if (!is_coordinate(arrays[i])) tables.push_back(i);
  const std::size_t only = tables.empty() ? 0 : tables[0];
  if (tables.size() == 2 && !(cosine && sine)) {
    cosine = tables[0];
    sine = tables[1];
  }
  if (cosine && sine) {
    if (squeezed(arrays[*cosine].shape) != squeezed(arrays[*sine].shape))
      throw UsageError(fmt::format("{} is {} and {} is {}: cosines and sines must have one shape",
                                   arrays[*cosine].shown, spell_shape(arrays[*cosine].shape),
                                   arrays[*sine].shown, spell_shape(arrays[*sine].shape)));
    const std::vector<Index> shape = squeezed(arrays[*cosine].shape);
    // A single pair's column has an axis of its own, or none.
    const bool is_column = pairs == 1 && arrays[*cosine].shape.back() == 1;
    const Index width = is_column ? 1 : shape.back(), rows = arrays[*cosine].size() / width;
    add_two(all, rows, width, *cosine, *sine);
    add_mixed(all, arrays, rows, width, *cosine, *sine);
    add_blocks(all, question.blocks);
    add_runs(all, arrays[*cosine].shape);
    add_scales(all, question);
    return all;
  }
  if (arrays.size() != 1 && tables.size() != 1) {
    std::vector<std::string> names;
    for (const Stored& array : arrays)
      names.push_back(fmt::format("{} ({})", array.name, spell_shape(array.shape)));
    throw UsageError(
        fmt::format("{} arrays and no cos and sin among them: {}; name one as FILE:NAME",
                    arrays.size(), fmt::join(names, ", ")));
  }
  const std::vector<Index> shape = squeezed(arrays[only].shape);
  const auto [rows, width] = rows_of(arrays[only].shape, pairs);
  // Without the number of pairs one side is no less than a smaller table of both.
  if (!pairs && side_said_by(arrays[only]) && !arrays[only].is_complex)
    throw UsageError(fmt::format("{} holds one side of the turns: give both, --file cos --file sin",
                                 arrays[only].shown));
  if (shape.size() == 1) {
    add_line(all, arrays[only], shape[0], pairs, question.factors);
    if (says(arrays[only], "inv_freq") && !question.factors) prefer_frequencies(all);
  } else {
    add_fused(all, arrays[only], rows, width, pairs);
    // Two rows of two pairs may be the parts of the turns of one row, or no parts at all.
    if (shape.size() == 2 && width != shape.back())
      add_fused(all, arrays[only], shape[0], shape[1], pairs);
    if (pairs && !arrays[only].is_complex) {
      add_one_side(all, arrays[only].size() / shape.back(), shape.back(), *pairs);
      add_blocks(all, question.blocks);
    }
  }
  for (RotationReading& reading : all) {
    reading.cosine.array = reading.sine.array = only;
    reading.misnamed = is_misnamed(arrays[only], reading.side) ||
                       (reading.layout == "sin-cos" && says_cosines_first(arrays[only]));
    reading.has_own_name = arrays[only].shown.ends_with(":" + arrays[only].name);
    for (auto* copy : {&reading.cosine_copy, &reading.sine_copy})
      if (*copy) (*copy)->array = only;
  }
  if (shape.size() > 1) add_runs(all, arrays[only].shape);
  add_scales(all, question);
  return all;
}

}  // namespace pe
