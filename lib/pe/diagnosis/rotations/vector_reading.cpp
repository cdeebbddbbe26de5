// Readings of vectors before and after their turns: which axis counts positions, which channels
// pair up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pe/base/error.hpp"
#include "pe/diagnosis/rotations/reading.hpp"

namespace pe {
namespace {

struct PositionAxis {
  std::size_t axis;
  double cost;
  std::string from;
};

// The axis that --axes calls s. Throws UsageError where the letters do not fit.
std::size_t named_axis(const std::string& axes, const Stored& array) {
  const auto times = [&](char letter) { return std::ranges::count(axes, letter); };
  if (axes.size() != array.shape.size() || !axes.ends_with('d') || times('s') != 1 ||
      times('d') != 1 || times('b') > 1 || times('h') > 1 ||
      axes.find_first_not_of("bhsd") != std::string::npos)
    throw UsageError(
        fmt::format("--axes {} does not suit {} of shape {}: each axis has one letter of b h s d",
                    axes, array.shown, spell_shape(array.shape)));
  return axes.find('s');
}

// Which axes may count positions: the one that is named, else those that have as many as are meant,
// else any, the one before the channels first ([batch, head, position, channel]).
std::vector<PositionAxis> position_axes(const Stored& array, const TurnQuestion& question) {
  if (!question.axes.empty()) return {{named_axis(question.axes, array), 0, "--axes"}};
  constexpr double unusual = 0.02;  // less than any cause
  const std::size_t usual = array.shape.size() - 2;
  const auto length = question.rows.value_or(-1);
  const bool told = std::ranges::find(array.shape.begin(), array.shape.end() - 1, length) !=
                    array.shape.end() - 1;
  std::vector<PositionAxis> axes;
  for (std::size_t axis = usual + 1; axis-- > 0;)
    if (told ? array.shape[axis] == length : axis == usual || array.shape[axis] > 1)
      axes.push_back({axis, axis == usual ? 0 : unusual, ""});
  // Axes of one hold the same position, whichever counts it; a single candidate leaves no doubt.
  if (told && length == 1) axes.resize(1);
  if (axes.size() == 1) axes[0].from = told ? "the count of positions" : "no other axis";
  return axes;
}

}  // namespace

std::string letters_of(std::size_t rank, std::size_t position) {
  if (rank == 2) return "sd";
  if (rank == 3) return position == 1 ? "hsd" : "shd";
  if (rank != 4) return "";
  return position == 2 ? "bhsd" : position == 1 ? "bshd" : "sbhd";
}

std::string name_of_axis(const RotationReading& reading, std::size_t axis) {
  if (!reading.is_vectors()) return axis == reading.axis ? "position" : "sequence";
  const std::string letters = letters_of(reading.extents.size() + 1, reading.axis);
  if (letters.empty()) return fmt::format("entries of axis {}", axis);
  return letters[axis] == 'h' ? "head" : letters[axis] == 'b' ? "sequence" : "position";
}

PairChannels channels_of(const RotationReading& reading, Index pair) {
  return channels_of(Rotation{.dim = reading.width,
                              .pairs = reading.pairs,
                              .pairing = *reading.pairing,
                              .waves = {},
                              .unscaled = {},
                              .fill = {},
                              .blocks = reading.blocks,
                              .last = reading.last,
                              .backward = reading.backward},
                     pair);
}

bool turns(const RotationReading& reading, Index channel) {
  const Index turning = 2 * reading.pairs;
  return reading.last ? channel >= reading.width - turning : channel < turning;
}

std::vector<RotationReading> vector_readings(const Dump& dump, std::optional<Index> pairs,
                                             const TurnQuestion& question) {
  if (dump.arrays.empty() || dump.arrays[0].shape.size() < 2)
    throw UsageError("vectors before and after need two axes or more, the last one channels");
  const Stored& array = dump.arrays[0];
  RotationReading reading;
  reading.form = RotationReading::Form::vectors;
  reading.width = array.shape.back();
  reading.rows = array.size() / std::max<Index>(1, reading.width);
  reading.pairs = std::min(pairs.value_or(reading.width / 2), reading.width / 2);
  reading.extents.assign(array.shape.begin(), array.shape.end() - 1);
  reading.backward = question.backward;
  reading.side_said = !question.scaled || question.side.has_value();
  std::vector<RotationReading> all;
  for (const PositionAxis& place : position_axes(array, question)) {
    reading.axis = place.axis;
    reading.axis_from = place.from;
    reading.run = array.shape[place.axis];
    reading.stride = reading.inner(place.axis);
    for (const Side side : {Side::query, Side::key}) {
      if (!question.scaled && side == Side::key) continue;
      if (question.scaled && question.side && *question.side != side) continue;
      if (question.scaled) reading.scales = side;
      reading.cost = place.cost + (side == Side::key && !question.side ? 0.01 : 0);
      const auto add = [&](std::string name, Pairing pairing, Index blocks) {
        reading.layout = std::move(name);
        reading.pairing = pairing;
        reading.blocks = blocks;
        all.push_back(reading);
      };
      for (const bool last : {false, true}) {
        if (last && 2 * reading.pairs == reading.width) continue;
        reading.last = last;
        if (question.blocks > 1) add("halves of each block", Pairing::halves, question.blocks);
        add("halves", Pairing::halves, 1);
        add("adjacent", Pairing::adjacent, 1);
        add("adjacent-to-halves", Pairing::adjacent_to_halves, 1);
      }
    }
  }
  return all;
}

namespace {

// √(a² + b²), by hypot only where the squares leave the range of numbers.
double length_of(double a, double b) {
  const double squares = a * a + b * b;
  return std::isnormal(squares) ? std::sqrt(squares) : std::hypot(a, b);
}

}  // namespace

// What rounding to the vectors' own type can have done to y/x: cosine and sine, two products and
// their sum each round once (4u), in each of two components (√2).
void read_vectors(const Dump& dump, const RotationReading& reading, Index first, Index count,
                  double* cosine, double* sine, double* slack) {
  const Index width = reading.width, n = reading.pairs;
  std::vector<double> x(static_cast<std::size_t>(count * width)), y = x;
  dump.before[0].read(first * width, count * width, x.data());
  dump.arrays[0].read(first * width, count * width, y.data());
  const double unit = 4 * std::sqrt(2.0) *
                      std::max({unit_roundoff(dump.arrays[0].dtype),
                                unit_roundoff(dump.before[0].dtype), unit_roundoff(DType::f32)});
  // Four more where numbers are as small as their type's least.
  const double least = dump.arrays[0].dtype == DType::f16 ? 4 * std::sqrt(2.0) * 0x1p-25 : 0;
  std::vector<PairChannels> channels;
  for (Index j = 0; j < n; ++j) channels.push_back(channels_of(reading, j));
  for (Index r = 0; r < count; ++r)
    for (Index j = 0; j < n; ++j) {
      const double *in = x.data() + r * width, *out = y.data() + r * width;
      const auto& [from, to] = channels[static_cast<std::size_t>(j)];
      const double a = in[from[0]], b = in[from[1]], c = out[to[0]], d = out[to[1]];
      const double norm = a * a + b * b, turned = length_of(c, d);
      const Index at = r * n + j;
      // Of zeros a turn makes zeros, whatever the angle; nothing else.
      if ((norm == 0 && turned == 0) || (dump.has_gaps && !std::isfinite(norm + turned))) {
        leave_open(cosine[at], sine[at], slack[at]);
        continue;
      }
      if (norm == 0) {
        cosine[at] = std::isfinite(turned) ? std::numeric_limits<double>::max() : turned;
        sine[at] = slack[at] = 0;
        continue;
      }
      cosine[at] = (a * c + b * d) / norm;
      sine[at] = (a * d - b * c) / norm;
      slack[at] = unit * (std::isfinite(turned) ? std::max(turned / std::sqrt(norm), 1.0) : 1.0) +
                  least / std::sqrt(norm);
      if (dump.coarse && std::isfinite(turned))
        slack[at] += length_of(dump.coarse->half_step((first + r) * width + to[0], c),
                               dump.coarse->half_step((first + r) * width + to[1], d)) /
                     std::sqrt(norm);
    }
  leave_open(reading, count, cosine, sine, slack);
}

}  // namespace pe
