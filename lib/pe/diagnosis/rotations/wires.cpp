// Rows of vectors held against what their channels may be made from.
#include "pe/diagnosis/rotations/wires.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pe {
namespace {

std::string spell(const Wire& term, std::string_view side) {
  if (term.sign == 0) return "";
  return fmt::format("{}x[{}]{}", term.sign < 0 ? "−" : "+", term.channel,
                     term.pair < 0 ? "" : fmt::format("·{}(p·θ_{})", side, term.pair));
}

}  // namespace

std::string spell(const ChannelSource& source) {
  const std::string text = spell(source.cosine, "cos") + spell(source.sine, "sin");
  return text.empty() ? "0" : text.starts_with("+") ? text.substr(1) : text;
}

std::vector<ChannelSource> sources_of(const RotationReading& reading, Pairing from, Pairing to) {
  std::vector<ChannelSource> sources(static_cast<std::size_t>(reading.width));
  for (Index k = 0; k < reading.width; ++k) sources[static_cast<std::size_t>(k)].cosine = {k, 1};
  RotationReading read = reading, written = reading;
  read.pairing = from;
  written.pairing = to;
  for (Index j = 0; j < reading.pairs; ++j) {
    const auto in = channels_of(read, j).in, out = channels_of(written, j).out;
    sources[static_cast<std::size_t>(out[0])] = {{in[0], 1, j}, {in[1], -1, j}};
    sources[static_cast<std::size_t>(out[1])] = {{in[1], 1, j}, {in[0], 1, j}};
  }
  return sources;
}

std::vector<ChannelSource> sources_of(const RotationReading& reading) {
  std::vector<ChannelSource> sources = sources_of(reading, Pairing::adjacent, Pairing::adjacent);
  for (Index j = 0; j < reading.pairs; ++j) {
    const auto [in, out] = channels_of(reading, j);
    sources[static_cast<std::size_t>(out[0])] = {{in[0], 1, j}, {in[1], -1, j}};
    sources[static_cast<std::size_t>(out[1])] = {{in[1], 1, j}, {in[0], 1, j}};
  }
  return sources;
}

WireObservation::WireObservation(Kept<Expectation> expected, Kept<Dump> dump,
                                 Kept<RotationReading> reading, Kept<RotationTruth> truth)
    : dump_(dump), reading_(reading) {
  const Expectation& meant = expected;
  hypothesis_ = hypothesis_of(truth, meant.first, [at = reading_, step = meant.step](Index row) {
    return step * at.slot(row);
  });
  prediction_.emplace(hypothesis_, truth.get().growth, 0x1p-24, dump_.arrays[0].dtype, false);
  unit_ = 8 * std::max({unit_roundoff(dump_.arrays[0].dtype), unit_roundoff(dump_.before[0].dtype),
                        unit_roundoff(DType::f32)});
}

void WireObservation::load(const std::vector<Index>& rows) {
  const auto width = static_cast<std::size_t>(reading_.width),
             pairs = static_cast<std::size_t>(reading_.pairs);
  count_ = rows.size();
  before_.resize(count_ * width);
  after_.resize(count_ * width);
  cosine_.resize(count_ * pairs);
  sine_.resize(count_ * pairs);
  doubt_.resize(count_);
  std::vector<double> bound(pairs);
  for (std::size_t i = 0; i < count_; ++i) {
    dump_.before[0].read(rows[i] * reading_.width, reading_.width, &before_[i * width]);
    dump_.arrays[0].read(rows[i] * reading_.width, reading_.width, &after_[i * width]);
    prediction_->row(rows[i], std::span(cosine_).subspan(i * pairs, pairs),
                     std::span(sine_).subspan(i * pairs, pairs), bound);
    doubt_[i] = unit_ + 2 * *std::ranges::max_element(bound);
  }
}

double WireObservation::off(Index channel, const ChannelSource& source) const {
  double most = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double a = source.cosine.sign * before(i, source.cosine.channel),
                 b = source.sine.sign * before(i, source.sine.channel);
    const double away = std::fabs(after(i, channel) - made(i, source));
    const bool is_copied =
        !source.turns() && source.cosine.pair == Wire::none && source.factor == 1;
    const double allowed = is_copied ? 0 : doubt_[i] * std::fabs(source.factor) * std::hypot(a, b);
    if (!(away <= allowed)) return std::numeric_limits<double>::infinity();
    most = std::max(most, away);
  }
  return most;
}

bool WireObservation::fit(const std::vector<ChannelSource>& sources) const {
  for (Index k = 0; k < width(); ++k)
    if (!fits(k, sources[static_cast<std::size_t>(k)])) return false;
  return true;
}

ChannelSource WireObservation::multiplied(Index channel, const ChannelSource& source) const {
  double along = 0, squares = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double one = made(i, source);
    along += after(i, channel) * one;
    squares += one * one;
  }
  // No more than its rounding allows is no factor.
  const double factor = along / squares, clear = 4 * unit_;
  return {source.cosine, source.sine,
          std::fabs(factor - 1) > clear ? source.factor * factor : source.factor};
}

Wire WireObservation::likeliest(const std::vector<double>& left, Index pair, bool sine) const {
  Wire best;
  double most = 0;
  for (Index a = 0; a < width(); ++a) {
    double along = 0, squares = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double x = before(i, a) * turn(i, pair, sine);
      along += left[i] * x;
      squares += x * x;
    }
    if (!(along * along > most * squares)) continue;
    most = along * along / squares;
    best = {a, along < 0 ? -1 : 1, pair};
  }
  return best;
}

}  // namespace pe
