// What a reading makes of a dump's numbers, and how it is described.
#include "pe/diagnosis/rotations/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pe {

void leave_open(const RotationReading& reading, Index count, double* cosine, double* sine,
                double* slack) {
  for (Index r = 0; r < count; ++r)
    for (const Index pair : reading.open) {
      const Index at = r * reading.pairs + pair;
      leave_open(cosine[at], sine[at], slack[at]);
    }
}

using Form = RotationReading::Form;
void read_turns(const Dump& dump, const RotationReading& reading, Index first, Index count,
                double* cosine, double* sine, double* slack, bool copy) {
  if (reading.is_vectors()) return read_vectors(dump, reading, first, count, cosine, sine, slack);
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
        slack[at] = std::isfinite(left) ? unit * std::fabs(left) : 0;  // no gap, but wrong
      } else {
        const double right = sines[static_cast<std::size_t>(r * reading.width + s.at(j))];
        cosine[at] = reading.side == RotationReading::Side::sine ? 0 : left;
        sine[at] = reading.side == RotationReading::Side::cosine ? 0 : right;
        slack[at] = 0;
      }
      if (dump.has_gaps && !std::isfinite(cosine[at] + sine[at]))
        leave_open(cosine[at], sine[at], slack[at]);
    }
  leave_open(reading, count, cosine, sine, slack);
}

std::vector<double> read_frequencies(const Dump& dump, const RotationReading& reading,
                                     const std::vector<double>& unscaled) {
  std::vector<double> numbers(static_cast<std::size_t>(reading.width)),
      values(static_cast<std::size_t>(reading.pairs));
  dump.arrays[reading.cosine.array].read(0, reading.width, numbers.data());
  for (std::size_t j = 0; j < values.size(); ++j) {
    values[j] = numbers[static_cast<std::size_t>(reading.cosine.at(static_cast<Index>(j)))];
    if (reading.form == Form::periods) values[j] = 1 / values[j];
    if (reading.form == Form::wavelengths) values[j] = 2 * std::numbers::pi / values[j];
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
  const Stored& array = dump.arrays[reading.is_vectors() ? 0 : reading.cosine.array];
  const std::string shape = fmt::format("{} [{}]", name_of(array.dtype), spell_shape(array.shape));
  switch (reading.form) {
    case Form::vectors:
      return fmt::format(
          "{} before and after, {}, {}, pairs {}",
          reading.side_said || reading.scales != Side::key ? "vectors" : "vectors scaled as keys",
          shape, spell_axes(reading), reading.layout);
    case Form::angles:
      return fmt::format("angles, {}, layout {}", shape, reading.layout);
    case Form::frequencies:
    case Form::periods:
    case Form::wavelengths:
    case Form::factors:
      return fmt::format("{}, {}{}", reading.layout, shape,
                         reading.width == 2 * reading.pairs ? ", each number twice" : "");
    case Form::turns:
      break;
  }
  return fmt::format("{}{}, {}, layout {}",
                     reading.side == RotationReading::Side::cosine ? "cosines alone"
                     : reading.side == RotationReading::Side::sine ? "sines alone"
                                                                   : "cosines and sines",
                     !reading.scales                 ? ""
                     : reading.scales == Side::query ? " times the scales of queries"
                                                     : " times the scales of keys",
                     shape, reading.layout);
}

}  // namespace pe
