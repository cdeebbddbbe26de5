// Turns of two positions held against each other.
#include "pe/analyze/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"

namespace pe {
namespace {

using Turns = std::vector<std::complex<double>>;

constexpr Index block = 1024;  // positions that are asked for at once

// Fills `count` rows of two arrays as stored in the dtype, widened.
template <typename Fill>
void stored_rows(const Fill& fill, const PositionRange& positions, Index pairs, DType dtype,
                 std::vector<double>& one, std::vector<double>& other) {
  const auto size = static_cast<std::size_t>(positions.count * pairs);
  std::vector<std::byte> first(size * size_of(dtype)), second(first.size());
  fill(positions, dtype, first.data(), second.data());
  one.resize(size);
  other.resize(size);
  widen(first.data(), dtype, one);
  widen(second.data(), dtype, other);
}

// Whole runs of chosen points at once: visit(first of the run, its length, index of the first).
template <typename Visit>
void for_runs(const std::vector<Index>& chosen, Visit visit) {
  for (std::size_t first = 0, end; first < chosen.size(); first = end) {
    end = first + 1;
    while (end < chosen.size() && chosen[end] == chosen[end - 1] + 1 &&
           end - first < static_cast<std::size_t>(block))
      ++end;
    visit(chosen[first], static_cast<Index>(end - first), first);
  }
}

// Positions of several axes: each pair turns by its own step of the coordinate, from zero on.
void along_axes(const Question& question, const Rotation& rotation, const std::string& axis,
                const std::vector<Index>& chosen,
                const std::function<void(std::size_t, const Turns&)>& visit) {
  const Index pairs = rotation.pairs;
  std::vector<char> moves(static_cast<std::size_t>(pairs), axis == "all");
  for (const WavePart& part : rotation.parts)
    for (Index j = 0; j < part.waves.pairs(); ++j)
      if (rotation.coordinates->axes[part.axis] == axis)
        moves[static_cast<std::size_t>(part.layout.sine->offset + j * part.layout.sine->step)] = 1;
  const WaveLayout sines{.width = pairs, .sine = Place{}, .cosine = {}},
      cosines{.width = pairs, .sine = {}, .cosine = Place{}};
  const auto fill = [&](const PositionRange& run, DType dtype, std::byte* c, std::byte* s) {
    rotation.waves->fill(run, cosines, dtype, c);
    rotation.waves->fill(run, sines, dtype, s);
  };
  std::vector<double> cosine, sine;
  Turns turns(static_cast<std::size_t>(pairs));
  for_runs(chosen, [&](Index first, Index count, std::size_t point) {
    question.advance(static_cast<double>(point) / static_cast<double>(chosen.size()));
    stored_rows(fill, {first, 1, count, 0}, pairs, question.subject.dtype, cosine, sine);
    for (Index i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < turns.size(); ++j) {
        const std::size_t at = static_cast<std::size_t>(i * pairs) + j;
        turns[j] = moves[j] ? std::complex(cosine[at], sine[at]) : std::complex(1.0, 0.0);
      }
      visit(point + static_cast<std::size_t>(i), turns);
    }
  });
}

// xPos: the scales of a query and a key, with the position zero in the centre, which scores do not
// see: far from it a scale is larger than a double.
std::optional<Rotation> centred(const Subject& subject) {
  if (!subject.parameters.has("center")) return {};
  const std::optional<Subject> moved = with_changes(subject, {{"center", {"zero", "analysis"}}});
  return moved ? std::optional(std::get<Rotation>(moved->effect)) : std::nullopt;
}

}  // namespace

std::string axis_of_turns(const Rotation& rotation, const Question& question) {
  const std::string axis =
      question.options.has("axis") ? question.options.choice("axis") : std::string("all");
  if (!rotation.coordinates) {
    if (axis != "all")
      throw UsageError(
          fmt::format("--axis {} has no meaning here: positions stand on a line", axis));
    return axis;
  }
  if (!question.options.has("axis")) question.decide("axis", axis);
  if (!rotation.waves || question.of_file)
    throw UsageError("a file's turns along several axes have no one distance");
  if (axis != "all" &&
      std::ranges::find(rotation.coordinates->axes, axis) == rotation.coordinates->axes.end())
    throw UsageError(fmt::format("--axis must be all or one of {}, got {}",
                                 fmt::join(rotation.coordinates->axes, ", "), axis));
  return axis;
}

PositionRange distances_of(const Question& question) {
  const Rotation& rotation = std::get<Rotation>(question.subject.effect);
  const PositionRange& positions = question.subject.span.positions;
  const std::string axis = axis_of_turns(rotation, question);
  if (!rotation.coordinates) return positions;
  const Coordinates& grid = *rotation.coordinates;
  if (grid.extents.empty()) return first_positions(positions.count);
  const auto found = std::ranges::find(grid.axes, axis);
  return first_positions(found == grid.axes.end()
                             ? std::ranges::min(grid.extents)
                             : grid.extents[static_cast<std::size_t>(found - grid.axes.begin())]);
}

void for_turns(const Question& question, const std::vector<Index>& chosen,
               const std::function<void(std::size_t, const Turns&)>& visit) {
  const Subject& subject = question.subject;
  const Rotation& rotation = std::get<Rotation>(subject.effect);
  const std::string axis = axis_of_turns(rotation, question);
  if (rotation.coordinates) return along_axes(question, rotation, axis, chosen, visit);
  const std::optional<Rotation> moved = centred(subject);
  const auto& scale = moved ? moved->scale : rotation.scale;
  const PositionRange& positions = subject.span.positions;
  const Index pairs = rotation.pairs;
  const auto n = static_cast<std::size_t>(pairs);
  std::vector<double> cosine, sine, grow, shrink;
  stored_rows(rotation.fill, positions.slice(0, 1), pairs, subject.dtype, cosine, sine);
  Turns key(n), turns(n);
  for (std::size_t j = 0; j < n; ++j) key[j] = {cosine[j], -sine[j]};
  if (scale) {
    stored_rows(scale, positions.slice(0, 1), pairs, subject.dtype, grow, shrink);
    for (std::size_t j = 0; j < n; ++j) key[j] *= shrink[j];
  }
  for_runs(chosen, [&](Index first, Index count, std::size_t point) {
    question.advance(static_cast<double>(point) / static_cast<double>(chosen.size()));
    const PositionRange run = positions.slice(first, count);
    stored_rows(rotation.fill, run, pairs, subject.dtype, cosine, sine);
    if (scale) stored_rows(scale, run, pairs, subject.dtype, grow, shrink);
    for (Index i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(i) * n + j;
        turns[j] = std::complex(cosine[at], sine[at]) * key[j] * (scale ? grow[at] : 1.0);
        if (!std::isfinite(turns[j].real()) || !std::isfinite(turns[j].imag()))
          throw MathError(
              fmt::format("pair {} at position {} has no turn that is a number: its scale is "
                          "beyond the element type, or the file holds none",
                          j, run.value(i)));
      }
      visit(point + static_cast<std::size_t>(i), turns);
    }
  });
}

}  // namespace pe
