// Readings of caches and vectors: shapes to places, places to turns.
#include "pe/diagnosis/rotations/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/error.hpp"

namespace pe {

std::vector<Index> squeezed(const std::vector<Index>& shape) {
  std::vector<Index> rest;
  for (const Index extent : shape)
    if (extent != 1) rest.push_back(extent);
  if (rest.empty()) rest.push_back(1);
  return rest;
}

namespace {

using Form = RotationReading::Form;

bool says(const Stored& stored, std::string_view word) {
  std::string name = stored.name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find(word) != std::string::npos;
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

void add_fused(std::vector<RotationReading>& all, Index rows, Index width,
               std::optional<Index> pairs, bool is_complex) {
  const Index n = width / 2;
  if (width % 2 == 0 && n > 0 && (!pairs || *pairs == n || *pairs != width)) {
    all.push_back(reading_of("turns", Form::turns, rows, width, n, {0, 0, 2}, {0, 1, 2}));
    if (is_complex) return;
    all.push_back(reading_of("cos-sin", Form::turns, rows, width, n, {0, 0, 1}, {0, n, 1}));
    all.push_back(reading_of("sin-cos", Form::turns, rows, width, n, {0, n, 1}, {0, 0, 1}));
    all.push_back(reading_of("turns-swapped", Form::turns, rows, width, n, {0, 1, 2}, {0, 0, 2}));
    auto halves = reading_of("angles-halves", Form::angles, rows, width, n, {0, 0, 1}, {0, 0, 1},
                             Pairing::halves);
    halves.cosine_copy = RotationReading::Place{0, n, 1};
    auto adjacent = reading_of("angles-adjacent", Form::angles, rows, width, n, {0, 0, 2},
                               {0, 0, 2}, Pairing::adjacent);
    adjacent.cosine_copy = RotationReading::Place{0, 1, 2};
    all.push_back(halves);
    all.push_back(adjacent);
  }
  if (!is_complex && (!pairs || *pairs == width || *pairs != n))
    all.push_back(reading_of("angles", Form::angles, rows, width, width, {0, 0, 1}, {0, 0, 1}));
}

void add_two(std::vector<RotationReading>& all, Index rows, Index width, std::size_t cosine,
             std::size_t sine) {
  const Index n = width / 2;
  all.push_back(reading_of("pairs", Form::turns, rows, width, width, {cosine, 0, 1}, {sine, 0, 1}));
  if (width % 2 != 0) return;
  auto halves = reading_of("halves", Form::turns, rows, width, n, {cosine, 0, 1}, {sine, 0, 1},
                           Pairing::halves);
  halves.cosine_copy = RotationReading::Place{cosine, n, 1};
  halves.sine_copy = RotationReading::Place{sine, n, 1};
  auto adjacent = reading_of("adjacent", Form::turns, rows, width, n, {cosine, 0, 2}, {sine, 0, 2},
                             Pairing::adjacent);
  adjacent.cosine_copy = RotationReading::Place{cosine, 1, 2};
  adjacent.sine_copy = RotationReading::Place{sine, 1, 2};
  all.push_back(halves);
  all.push_back(adjacent);
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

void add_vector_of_numbers(std::vector<RotationReading>& all, const Stored& array, Index n,
                           std::optional<Index> pairs) {
  const auto vector = [&](std::string layout, Form form) {
    all.push_back(reading_of(std::move(layout), form, 1, n, n, {0, 0, 1}, {0, 0, 1}));
  };
  const bool named = says(array, "freq") || says(array, "period") || says(array, "factor");
  if (!pairs || *pairs == n || named || n < 2 * *pairs) {
    const bool factors = says(array, "factor") || says(array, "rope_freqs");
    // A vector that grows is taken for periods first.
    std::vector<double> ends(static_cast<std::size_t>(n));
    array.read(0, n, ends.data());
    const bool grows = ends.back() > ends.front();
    for (const bool periods : {grows, !grows}) {
      if (factors) continue;
      if (!periods && !says(array, "period")) vector("inv_freq", Form::frequencies);
      if (periods && !says(array, "inv")) vector("periods", Form::periods);
    }
    if (factors || !named) vector("freq-factors", Form::factors);
    if (named) return;
  }
  if (pairs && n % (2 * *pairs) == 0 && n > 2 * *pairs)
    add_fused(all, n / (2 * *pairs), 2 * *pairs, pairs, array.is_complex);  // [1, P·R]
}

// Coordinates of rows beside a table (a CSV's position column) are no turns.
bool is_coordinate(const Stored& array) {
  for (const char* name : {"position", "pair", "dim", "row"})
    if (array.name == name) return true;
  return false;
}
bool is_table(const Stored& array) {
  return std::ranges::count_if(array.shape, [](Index extent) { return extent > 1; }) > 1;
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

const std::vector<Stored>& check_shapes(const Dump& dump) {
  for (const Stored& array : dump.arrays)
    if (array.size() == 0)
      throw UsageError(
          fmt::format("{} is empty: its shape is {}", array.shown, spell_shape(array.shape)));
  return dump.arrays;
}

}  // namespace

std::vector<RotationReading> turn_readings(const Dump& dump, std::optional<Index> pairs,
                                           const VectorQuestion& question) {
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
    const Index width = shape.back(), rows = arrays[*cosine].size() / width;
    add_two(all, rows, width, *cosine, *sine);
    add_runs(all, arrays[*cosine].shape);
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
  if (says(arrays[only], "cos") != says(arrays[only], "sin") && !arrays[only].is_complex)
    throw UsageError(fmt::format("{} holds one side of the turns: give both, --file cos --file sin",
                                 arrays[only].shown));
  if (shape.size() == 1)
    add_vector_of_numbers(all, arrays[only], shape[0], pairs);
  else
    add_fused(all, rows, width, pairs, arrays[only].is_complex);
  const bool angles = says(arrays[only], "angle") ||
                      says(arrays[only], "rotary_pos_emb");  // the latter is Megatron's name
  const bool turns = says(arrays[only], "cos") || says(arrays[only], "cis");
  std::erase_if(all, [&](const RotationReading& reading) {
    return reading.form == Form::turns ? angles : reading.form == Form::angles && turns;
  });
  for (RotationReading& reading : all) reading.cosine.array = reading.sine.array = only;
  if (shape.size() > 1) add_runs(all, arrays[only].shape);
  return all;
}

void read_turns(const Dump& dump, const RotationReading& reading, Index first, Index count,
                double* cosine, double* sine, double* slack, bool copy) {
  if (reading.form == Form::vectors)
    return read_vectors(dump, reading, first, count, cosine, sine, slack);
  const auto size = static_cast<std::size_t>(count * reading.width);
  const RotationReading::Place c =
      copy && reading.cosine_copy ? *reading.cosine_copy : reading.cosine;
  const RotationReading::Place s = copy && reading.sine_copy ? *reading.sine_copy
                                   : copy && reading.cosine_copy && reading.form == Form::angles
                                       ? c
                                       : reading.sine;
  std::vector<double> one(size), other;
  dump.arrays[c.array].read(first * reading.width, count * reading.width, one.data());
  if (s.array != c.array) {
    other.resize(size);
    dump.arrays[s.array].read(first * reading.width, count * reading.width, other.data());
  }
  const std::vector<double>& sines = s.array != c.array ? other : one;
  const double unit = unit_roundoff(dump.arrays[c.array].dtype);
  for (Index r = 0; r < count; ++r)
    for (Index j = 0; j < reading.pairs; ++j) {
      const Index at = r * reading.pairs + j;
      const double left = one[static_cast<std::size_t>(r * reading.width + c.at(j))];
      if (reading.form == Form::angles) {
        cosine[at] = std::cos(left);
        sine[at] = std::sin(left);
        slack[at] = unit * std::fabs(left);
      } else {
        cosine[at] = left;
        sine[at] = sines[static_cast<std::size_t>(r * reading.width + s.at(j))];
        slack[at] = 0;
      }
    }
}

std::vector<double> read_frequencies(const Dump& dump, const RotationReading& reading,
                                     const std::vector<double>& unscaled) {
  std::vector<double> values(static_cast<std::size_t>(reading.pairs));
  dump.arrays[reading.cosine.array].read(0, reading.pairs, values.data());
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (reading.form == Form::periods) values[j] = 1 / values[j];
    if (reading.form == Form::factors)
      values[j] = (j < unscaled.size() ? unscaled[j] : 0) / values[j];
  }
  return values;
}

namespace {

// "40 positions of 16 heads in 2 sequences".
std::string spell_axes(const RotationReading& reading) {
  const auto counted = [](Index count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = counted(reading.run, "position");
  for (std::size_t axis = reading.extents.size(); axis-- > 0;)
    if (axis != reading.axis)
      text += (name_of_axis(reading, axis) == "sequence" ? " in " : " of ") +
              counted(reading.extents[axis], name_of_axis(reading, axis));
  return fmt::format("{} (axis {})", text, reading.axis);
}

}  // namespace

std::string describe(const Dump& dump, const RotationReading& reading) {
  const Stored& array = dump.arrays[reading.form == Form::vectors ? 0 : reading.cosine.array];
  const std::string shape = fmt::format("{} [{}]", name_of(array.dtype), spell_shape(array.shape));
  switch (reading.form) {
    case Form::vectors:
      return fmt::format("{} before and after, {}, {}, pairs {}",
                         reading.side_said || !reading.key ? "vectors" : "vectors scaled as keys",
                         shape, spell_axes(reading), reading.layout);
    case Form::angles:
      return fmt::format("angles, {}, layout {}", shape, reading.layout);
    case Form::frequencies:
    case Form::periods:
    case Form::factors:
      return fmt::format("{}, {}", reading.layout, shape);
    case Form::turns:
      break;
  }
  return fmt::format("cosines and sines, {}, layout {}", shape, reading.layout);
}

}  // namespace pe
