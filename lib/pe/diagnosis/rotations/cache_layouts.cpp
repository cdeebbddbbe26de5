// Where both sides of a pair lie in rows of a width, by every layout.
#include "pe/diagnosis/rotations/cache_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace pe {
namespace {

using Form = RotationReading::Form;

RotationReading::Place place_of(const ArrayLayout::Spot& spot, std::size_t array, Index pairs) {
  return {array, spot.at(0, pairs), spot.step};
}

}  // namespace

RotationReading reading_of(std::string layout, Form form, Index rows, Index width, Index pairs,
                           RotationReading::Place cosine, RotationReading::Place sine,
                           std::optional<Pairing> pairing) {
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

bool repeats(const Stored& array, const RotationReading& reading) {
  std::vector<double> row(static_cast<std::size_t>(reading.width));
  const auto same = [&](const RotationReading::Place& first, const RotationReading::Place& second) {
    Index other = 0;
    for (Index j = 0; j < reading.pairs; ++j) {
      const auto a = static_cast<std::size_t>(first.at(j)),
                 b = static_cast<std::size_t>(second.at(j));
      other += row[a] != row[b];
    }
    constexpr Index nearly_all = 10;  // a column may be spoilt
    return nearly_all * other <= reading.pairs;
  };
  for (const Index at : {Index{0}, reading.rows / 2, reading.rows - 1}) {
    array.read(at * reading.width, reading.width, row.data());
    if (same(reading.cosine, *reading.cosine_copy) && same(reading.sine, *reading.sine_copy))
      return true;
  }
  return false;
}

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

}  // namespace pe
