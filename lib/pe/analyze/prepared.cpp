// Numbers drawn, lengths changed, values narrowed.
#include "pe/analyze/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "pe/base/error.hpp"
#include "pe/base/narrow.hpp"
#include "pe/subject/drawn_numbers.hpp"

namespace pe {
namespace {

using Bytes = std::byte*;

// Widens what `fill` writes in the dtype.
template <typename Fill>
void fill_stored(Index count, DType stored, DType wanted, Bytes out, const Fill& fill) {
  if (!out) return;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size_of(stored));
  std::vector<double> values(static_cast<std::size_t>(count));
  fill(bytes.data());
  widen(bytes.data(), stored, values);
  narrow(values, wanted, out);
}

Table stored(Table table, DType dtype) {
  table.fill = [fill = table.fill, width = table.width, dtype](const PositionRange& positions,
                                                               DType wanted, Bytes out) {
    fill_stored(positions.count * width, dtype, wanted, out,
                [&](Bytes bytes) { fill(positions, dtype, bytes); });
  };
  return table;
}

Rotation stored(Rotation rotation, DType dtype) {
  using Fill = std::function<void(const PositionRange&, DType, Bytes, Bytes)>;
  const auto both = [dtype, pairs = rotation.pairs](const Fill& fill) -> Fill {
    return [=](const PositionRange& positions, DType wanted, Bytes first, Bytes second) {
      const Index count = positions.count * pairs;
      fill_stored(count, dtype, wanted, first,
                  [&](Bytes bytes) { fill(positions, dtype, bytes, nullptr); });
      fill_stored(count, dtype, wanted, second,
                  [&](Bytes bytes) { fill(positions, dtype, nullptr, bytes); });
    };
  };
  rotation.fill = both(rotation.fill);
  if (rotation.scale) rotation.scale = both(rotation.scale);
  return rotation;
}

Bias stored(Bias bias, DType dtype) {
  if (!bias.fill) return bias;
  bias.fill = [fill = bias.fill, dtype](Index head, std::int64_t query, const PositionRange& keys,
                                        DType wanted, Bytes out) {
    fill_stored(keys.count, dtype, wanted, out,
                [&](Bytes bytes) { fill(head, query, keys, dtype, bytes); });
  };
  return bias;
}

Array stored(const Array& array, DType dtype) {
  if (array.size() == 0) return array;
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  array.read(0, array.size(), values.data());
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  narrow(values, dtype, bytes.data());
  return {dtype, array.shape(), std::move(bytes)};
}

Relative stored(Relative relative, DType dtype) {
  for (RelativeTerm& term : relative.terms) {
    term.fixed = stored(term.fixed, dtype);
    term.table = stored(term.table, dtype);
  }
  if (relative.values) relative.values = stored(*relative.values, dtype);
  return relative;
}

}  // namespace

bool lacks_numbers(const Effect& effect) {
  if (const Bias* bias = std::get_if<Bias>(&effect)) return !bias->fill;
  const Relative* relative = std::get_if<Relative>(&effect);
  return relative && relative->terms.empty();
}

Prepared with_numbers(const Subject& subject, const std::string& seed) {
  if (!lacks_numbers(subject.effect)) return {subject, ""};
  const bool has_seed = std::ranges::any_of(subject.encoding->parameters, [](const Parameter& row) {
    return std::string_view(row.name) == "seed";
  });
  Subject drawn = has_seed ? changed(subject, {{"seed", {seed, for_want_of_weights}}}) : subject;
  if (lacks_numbers(drawn.effect))
    throw UsageError(
        fmt::format("the numbers of this {} are trained and were not given: give them (see --help)",
                    subject.encoding->name));
  std::string note = doubt_of_numbers(drawn);
  return {std::move(drawn), std::move(note)};
}

Subject of_length(const Subject& subject, Index length) {
  Subject other = subject;
  other.length = length;
  other.span = span_of_length(length);
  other.effect = within_budget(subject.encoding->make(subject.parameters, length));
  return other;
}

PositionRange rising(const PositionRange& positions) {
  if (positions.step > 0) return positions;
  return {positions.at(positions.count - 1), -positions.step, positions.count, positions.decimals};
}

Effect stored_as(const Effect& effect, DType dtype) {
  if (dtype == DType::f64) return effect;
  return std::visit([&](const auto& kind) -> Effect { return stored(kind, dtype); }, effect);
}

// Where the row claims a correct rounding or an exact copy, one rounding. Else what it derives for
// an evaluation in float32, which is a number of roundings of the same steps: those of double are
// 2^-29 of them.
double bias_error(const Subject& subject, const Bias& bias, double magnitude, double distance) {
  constexpr double u = 0x1p-53, of_double = 0x1p-29;
  if (claim_of(*subject.encoding, "bias") == "correctly-rounded") return 2 * u * magnitude;
  const Drift drift =
      subject.encoding->drift(subject.parameters, subject.effect, {bias.heads, distance});
  double worst = 0;
  for (Index head = 0; head < bias.heads; ++head)
    worst = std::max(worst, drift.at(head, magnitude, distance));
  return of_double * worst + 2 * u * magnitude;
}

}  // namespace pe
