// Each channel of what was turned against that of what was not, by least squares.
#include "pe/diagnosis/rotations/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "pe/base/median.hpp"
#include "pe/base/narrow.hpp"
#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {
namespace {

constexpr double roundings = 16;  // that a norm and a turn may have, beside the angle's

enum class Norm { none, rms, rms_of_heads, layer };
enum class NormPlace { before, after, instead };  // of the turn

// Some vectors of a dump, and what the meant turn makes of them there and back.
struct Sample {
  std::size_t width = 0;
  std::vector<double> before, after;  // as they lie
  std::vector<double> turned, back;   // `before` turned, and `after` turned back
  std::vector<double> slack;          // what rounding leaves to each number of `after`
  std::vector<double> of_heads;       // mean square of all heads of each one's position
  std::vector<std::size_t> heads;     // whose each vector is, where heads have a name
  double unit = 0;
};

double mean_square(const Stored& array, Index row, Index width) {
  std::vector<double> x(static_cast<std::size_t>(width));
  array.read(row * width, width, x.data());
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / static_cast<double>(width);
}

// Which axis of the vectors is that of heads.
std::optional<std::size_t> axis_of_heads(const RotationReading& reading) {
  constexpr Index most = 256;
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis)
    if (axis != reading.axis && name_of_axis(reading, axis) == "head" &&
        reading.extents[axis] > 1 && reading.extents[axis] <= most)
      return axis;
  return {};
}

Sample sample_of(const RotationObservation& observation, const Dump& dump) {
  constexpr Index most = 2048;
  const RotationReading& reading = observation.reading();
  const RotationHypothesis start = observation.start();
  const RotationPrediction prediction(start, observation.truth().growth, 0x1p-24,
                                      dump.arrays[0].dtype, true);
  Sample sample;
  sample.width = static_cast<std::size_t>(reading.width);
  sample.unit = std::max({unit_roundoff(dump.arrays[0].dtype), unit_roundoff(dump.before[0].dtype),
                          unit_roundoff(DType::f32)});
  std::vector<PairChannels> pairs;
  for (Index j = 0; j < reading.pairs; ++j) pairs.push_back(channels_of(reading, j));
  std::vector<double> x(sample.width), y(sample.width), c(pairs.size()), s = c, bound = c;
  const auto axis = axis_of_heads(reading);
  for (const Index row : spread_over(reading.rows, most)) {
    if (axis) {
      const Index head = reading.along(row, *axis), inner = reading.inner(*axis);
      double sum = 0;
      for (Index other = 0; other < reading.extents[*axis]; ++other)
        sum += mean_square(dump.before[0], row + (other - head) * inner, reading.width);
      sample.of_heads.push_back(sum / static_cast<double>(reading.extents[*axis]));
      sample.heads.push_back(static_cast<std::size_t>(head));
    }
    dump.before[0].read(row * reading.width, reading.width, x.data());
    dump.arrays[0].read(row * reading.width, reading.width, y.data());
    prediction.row(row, c, s, bound);
    std::vector<double> turned = x, back = y, slack(sample.width);
    for (std::size_t k = 0; k < sample.width; ++k)
      slack[k] = roundings * sample.unit * std::fabs(y[k]);
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      const auto from = [&](int i) {
        return static_cast<std::size_t>(pairs[j].in[static_cast<std::size_t>(i)]);
      };
      const auto to = [&](int i) {
        return static_cast<std::size_t>(pairs[j].out[static_cast<std::size_t>(i)]);
      };
      const double squared = c[j] * c[j] + s[j] * s[j], first = y[to(0)], second = y[to(1)];
      turned[to(0)] = x[from(0)] * c[j] - x[from(1)] * s[j];
      turned[to(1)] = x[from(1)] * c[j] + x[from(0)] * s[j];
      back[from(0)] = (c[j] * first + s[j] * second) / squared;
      back[from(1)] = (c[j] * second - s[j] * first) / squared;
      slack[to(0)] = slack[to(1)] = slack[from(0)] = slack[from(1)] =
          (roundings * sample.unit + bound[j]) * std::hypot(first, second);
    }
    for (auto [all, one] : {std::pair(&sample.before, &x),
                            {&sample.after, &y},
                            {&sample.turned, &turned},
                            {&sample.back, &back},
                            {&sample.slack, &slack}})
      all->insert(all->end(), one->begin(), one->end());
  }
  return sample;
}

// So many vectors of a sample, from all over it.
Sample some_of(const Sample& sample, std::size_t most) {
  const std::size_t width = sample.width, rows = sample.before.size() / width;
  Sample some;
  some.width = width;
  some.unit = sample.unit;
  const auto take = [&](const auto& all, auto& to, std::size_t row, std::size_t count) {
    if (all.empty()) return;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * count);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(count));
  };
  for (std::size_t i = 0; i < std::min(most, rows); ++i) {
    const std::size_t row = i * rows / std::min(most, rows);
    for (const auto part :
         {&Sample::before, &Sample::after, &Sample::turned, &Sample::back, &Sample::slack})
      take(sample.*part, some.*part, row, width);
    take(sample.of_heads, some.of_heads, row, 1);
    take(sample.heads, some.heads, row, 1);
  }
  return some;
}

// What a norm without weights makes of each vector.
struct NormedVectors {
  std::vector<double> numbers;
  std::vector<double> means;  // that were taken away, of each vector
};

NormedVectors normed(const Sample& sample, std::vector<double> vectors, Norm norm, double eps) {
  std::vector<double> means(vectors.size() / sample.width);
  if (norm == Norm::none) return {std::move(vectors), std::move(means)};
  const std::size_t width = sample.width;
  for (std::size_t row = 0; row < vectors.size() / width; ++row) {
    const std::span<double> all = std::span(vectors).subspan(row * width, width);
    const auto count = static_cast<double>(width);
    const double mean =
        norm == Norm::layer ? std::accumulate(all.begin(), all.end(), 0.0) / count : 0;
    double square = 0;
    for (const double x : all) square += (x - mean) * (x - mean) / count;
    if (norm == Norm::rms_of_heads) square = sample.of_heads[row];
    const double deviation = std::sqrt(square + eps);
    for (double& x : all) x = (x - mean) / deviation;
    means[row] = mean / deviation;
  }
  return {std::move(vectors), std::move(means)};
}

// The weight and the bias of one channel.
struct Line {
  double weight = 1, bias = 0;
};

// The line through the numbers of one channel in some of the vectors.
class LineFit {
 public:
  void add(double from, double to) {
    ++count_;
    x_ += from;
    y_ += to;
    xx_ += from * from;
    xy_ += from * to;
  }
  Index count() const { return count_; }
  Line line(bool has_bias) const {
    if (!has_bias) return {xy_ / xx_, 0};
    const auto n = static_cast<double>(count_);
    const double weight = (n * xy_ - x_ * y_) / (n * xx_ - x_ * x_);
    return {weight, (y_ - weight * x_) / n};
  }

 private:
  Index count_ = 0;
  double x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

// The lines of all channels, of all heads alike or of each; nothing where a number lies off its
// own, or where there are too few.
std::optional<std::vector<Line>> lines_between(const Sample& sample, const NormedVectors& normed,
                                               const std::vector<double>& to, bool has_bias,
                                               bool by_head) {
  constexpr Index least = 8;
  const std::vector<double>& from = normed.numbers;
  const std::size_t heads = by_head ? std::ranges::max(sample.heads) + 1 : 1;
  std::vector<LineFit> fits(heads * sample.width);
  const auto place_of = [&](std::size_t i) {
    return (by_head ? sample.heads[i / sample.width] * sample.width : 0) + i % sample.width;
  };
  for (std::size_t i = 0; i < from.size(); ++i) fits[place_of(i)].add(from[i], to[i]);
  std::vector<Line> lines;
  for (const LineFit& fit : fits) {
    if (fit.count() < least) return {};
    lines.push_back(fit.line(has_bias));
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Line& line = lines[place_of(i)];
    const double lost = std::fabs(line.weight * normed.means[i / sample.width]) +
                        std::fabs(line.bias);  // to numbers of about their size
    if (!(std::fabs(line.weight * from[i] + line.bias - to[i]) <=
          sample.slack[i] + roundings * sample.unit * lost))
      return {};
  }
  return lines;
}

// What may stand between vectors.
struct Between {
  bool by_head;
  Norm norm;
  NormPlace place;
  double eps;

  std::optional<std::vector<Line>> lines(const Sample& sample) const {
    return lines_between(
        sample,
        normed(sample, place == NormPlace::after ? sample.turned : sample.before, norm, eps),
        place == NormPlace::before ? sample.back : sample.after, norm == Norm::layer, by_head);
  }
};

std::string spell(Norm norm, const std::vector<Line>& lines, NormPlace place, bool by_head,
                  double unit) {
  const double least = std::max(8 * unit, 5e-5);  // that four digits show
  const auto has = [&](double Line::*part, double none) {
    return std::ranges::any_of(
        lines, [&](const Line& line) { return std::fabs(line.*part - none) > least; });
  };
  constexpr const char* names[] = {"weights stand", "an RMS norm stands",
                                   "an RMS norm of all heads together stands",
                                   "a layer norm stands"};
  std::string text = fmt::format("{} {} the turn", names[static_cast<int>(norm)],
                                 place == NormPlace::before  ? "before"
                                 : place == NormPlace::after ? "after"
                                                             : "in the place of");
  const char* const whose = by_head ? "channels of each head" : "channels";
  if (has(&Line::weight, 1))
    text += fmt::format(": {} are multiplied by {:.4g}, {:.4g}, …, {:.4g}", whose, lines[0].weight,
                        lines[1].weight, lines.back().weight);
  if (has(&Line::bias, 0))
    text += fmt::format("; {:.4g}, {:.4g}, …, {:.4g} are added", lines[0].bias, lines[1].bias,
                        lines.back().bias);
  return text;
}

// What a norm has learned: no weight is 0, and no half of them is one number, but for signs, as an
// amplitude is of the channels that turn, and 1 of the others.
bool are_learned(const std::vector<Line>& lines, double unit) {
  constexpr double many = 8, nothing = 1e-3;
  std::vector<double> sizes;
  for (const Line& line : lines) sizes.push_back(std::fabs(line.weight));
  const double middle = median_of(sizes);
  std::ranges::sort(sizes);
  Index alike = 0;
  for (auto one = sizes.begin(); one != sizes.end();) {
    const auto next = std::upper_bound(one, sizes.end(), *one + 2 * many * unit * middle);
    alike = std::max<Index>(alike, next - one);
    one = next;
  }
  return sizes.front() > nothing * middle && 2 * alike < std::ssize(sizes);
}

}  // namespace

std::optional<Reason> weights_between(const Expectation& expected, const Dump& dump,
                                      const RotationReading& reading, const RotationTruth& truth) {
  constexpr Index least = 8;
  if (reading.rows < least || truth.log_scale || reading.width < 2) return {};
  const RotationObservation observation(expected, dump, reading, truth, {0});
  // What does not lie between some of the vectors does not lie between all of them.
  constexpr std::size_t few = 64;
  constexpr double loose = 4;
  const Sample sample = sample_of(observation, dump);
  Sample some = some_of(sample, few);
  for (double& slack : some.slack) slack *= loose;
  for (const bool by_head : {false, true})
    for (const Norm norm : {Norm::none, Norm::rms, Norm::rms_of_heads, Norm::layer})
      for (const NormPlace place : {NormPlace::before, NormPlace::after, NormPlace::instead})
        for (const double eps : {0.0, 1e-6, 1e-5}) {
          if (norm == Norm::none && eps > 0) break;
          if (sample.heads.empty() && (by_head || norm == Norm::rms_of_heads)) break;
          const Between between{by_head, norm, place, eps};
          if (!by_head && !between.lines(some)) continue;
          const auto lines = between.lines(sample);
          if (!lines) continue;
          const bool learned = are_learned(*lines, sample.unit);
          // One number, within the roundings of the dump: any norm would agree with it, too.
          if (norm == Norm::none && !learned) return {};
          if (norm == Norm::rms && !learned) continue;
          return Reason{place == NormPlace::instead ? Cause::not_rotated : Cause::wrong_amplitude,
                        spell(norm, *lines, place, by_head, sample.unit)};
        }
  return {};
}

}  // namespace pe
