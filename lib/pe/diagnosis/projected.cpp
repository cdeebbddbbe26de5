// Every order of distances and every slip of the projection, against rows of heads and channels.
#include "pe/diagnosis/projected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pe/base/spread.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/residuals.hpp"
#include "pe/diagnosis/rotations/reading.hpp"
#include "pe/diagnosis/sinusoids.hpp"
#include "pe/kinds/relative.hpp"

namespace pe {
namespace {

using Distances = std::vector<std::int64_t>;

// What may have made the rows.
struct Projected {
  Distances distances;
  bool turned = false;  // R·W, where R·Wᵀ is meant
  double factor = 1;
  Index heads_on = 0;      // head h holds that of h + heads_on
  bool backwards = false;  // heads from the last to the first
  bool rises = false;
  std::optional<Reason> reason = {};
};

// W_R, the sinusoids that it is applied to, and how far float32 may take a product.
class Projection {
 public:
  Projection(const Expectation& expected, const Relative& relative)
      : sinusoids_(*relative.sinusoids),
        heads_(expected.parameters.integer("heads")),
        channels_(expected.parameters.integer("head-dim")) {
    const Array& weight = expected.parameters.tensor("projection");
    for (Index i = 0; i < weight.size(); ++i) weight_.push_back(weight.at(i));
    for (const Real& frequency : sinusoids_.waves->first.frequencies())
      frequencies_.push_back(to_double(frequency));
    halves_ = expected.parameters.choice("layout") == "halves";
  }

  Index columns() const { return heads_ * channels_; }
  Index heads() const { return heads_; }
  Index channels() const { return channels_; }
  bool is_square() const { return columns() == sinusoids_.width; }

  /// A row and its bound: n + 2 roundings of the sum of the magnitudes of n products, and 10 of
  /// each sinusoid's angle.
  void row(const Projected& made, Index index, std::vector<double>& truth,
           std::vector<double>& bound) const {
    const Index dim = sinusoids_.width;
    const std::int64_t distance = made.distances[static_cast<std::size_t>(index)];
    const auto found = rows_.find(distance);
    std::vector<double>& waves = found != rows_.end() ? found->second : rows_[distance];
    if (waves.empty()) {
      waves.resize(static_cast<std::size_t>(dim));
      sinusoids_.fill({distance, 1, 1, 0}, DType::f64, reinterpret_cast<std::byte*>(waves.data()));
    }
    truth.assign(static_cast<std::size_t>(columns()), 0.0);
    bound.assign(truth.size(), 0.0);
    for (Index column = 0; column < columns(); ++column) {
      const Index head = column / channels_;
      const Index from = made.backwards ? heads_ - 1 - head : (head + made.heads_on) % heads_;
      const Index source = from * channels_ + column % channels_;
      double sum = 0, size = 0;
      for (Index c = 0; c < dim; ++c) {
        const double weight = weight_[static_cast<std::size_t>(made.turned ? c * columns() + source
                                                                           : source * dim + c)];
        const double wave = waves[static_cast<std::size_t>(c)];
        const Index pair = halves_ ? c % (dim / 2) : c / 2;
        const double angle =
            std::fabs(static_cast<double>(distance)) * frequencies_[static_cast<std::size_t>(pair)];
        sum += weight * wave;
        size += std::fabs(weight) *
                ((static_cast<double>(dim) + 2) * std::fabs(wave) + 10 * (1 + angle));
      }
      truth[static_cast<std::size_t>(column)] = made.factor * sum;
      bound[static_cast<std::size_t>(column)] = std::fabs(made.factor) * half_ulp_f32 * size;
    }
  }

 private:
  const Table& sinusoids_;
  Index heads_, channels_;
  bool halves_ = true;
  std::vector<double> weight_, frequencies_;
  mutable std::map<std::int64_t, std::vector<double>> rows_;
};

// The first sequence of [row, sequence, column] where all are alike; nothing where they are not.
std::optional<Stored> first_sequence(const Stored& array) {
  const Index width = array.shape[2], count = array.shape[1];
  std::vector<double> row(static_cast<std::size_t>(count * width));
  for (Index r = 0; r < array.shape[0]; ++r) {
    array.read(r * count * width, count * width, row.data());
    for (Index i = width; i < std::ssize(row); ++i)
      if (row[static_cast<std::size_t>(i)] != row[static_cast<std::size_t>(i - width)]) return {};
  }
  Stored first = rows_of(array, 1, 0, 1);
  first.shape = {array.shape[0], width};
  return first;
}

// The dump as [row, head·channel], by each meaning that its axes may have.
std::vector<Stored> readings_of(const Stored& given, const Projection& projection) {
  Stored array = given;
  array.shape = squeezed(given.shape);
  const std::vector<Index> shape = array.shape;
  const Index columns = projection.columns(), heads = projection.heads(),
              channels = projection.channels();
  std::vector<Stored> all;
  const auto add = [&](Stored reading) {
    reading.shape = {reading.size() / columns, columns};
    all.push_back(std::move(reading));
  };
  if (shape.size() == 2 && shape[1] == columns) add(array);
  if (shape.size() == 3 && shape[1] == heads && shape[2] == channels) add(array);
  if (shape.size() == 3 && shape[0] == heads && shape[2] == channels)
    add(moved_last(moved_last(array, 0), 1));
  const bool has_heads = shape.size() == 4 && shape[2] == heads && shape[3] == channels;
  if ((shape.size() == 3 && shape[2] == columns) || has_heads) {
    array.shape = {shape[0], shape[1], columns};
    if (auto first = first_sequence(array)) add(std::move(*first));
  }
  return all;
}

Tally compare(const Projection& projection, const Stored& array, const Projected& made,
              const std::vector<Index>& rows) {
  Tally tally(array.dtype);
  const Index width = projection.columns();
  std::vector<double> got(static_cast<std::size_t>(width)), truth, bound, rounded(got.size());
  for (const Index row : rows) {
    array.read(row * width, width, got.data());
    projection.row(made, row, truth, bound);
    round_to(array.dtype, truth, rounded.data());
    for (std::size_t c = 0; c < truth.size(); ++c)
      bound[c] += rounding_error(std::fabs(truth[c]), array.dtype);
    tally.add({got.data(), truth.data(), rounded.data(), bound.data(), width, row, 0}, row);
  }
  return tally;
}

// What is right, and what may be wrong with each order of it.
std::vector<Projected> hypotheses(const std::vector<DistanceReading>& orders,
                                  const Projection& projection) {
  std::vector<Projected> right, wrong;
  for (const bool rises : {false, true})
    for (const DistanceReading& order : orders)
      if (order.rises == rises) right.push_back({.distances = order.distances, .rises = rises});
  const auto slip = [&](const Projected& of, Reason reason) -> Projected& {
    wrong.push_back(of);
    wrong.back().reason = std::move(reason);
    return wrong.back();
  };
  for (const Projected& one : right) {
    if (one.rises) continue;
    std::ranges::reverse(slip(one, {Cause::rows_permuted,
                                    "the rows stand in the reverse order: the smallest distance "
                                    "first, where it is the last"})
                             .distances);
    if (projection.is_square())
      slip(one, {Cause::transposed,
                 "the projection is transposed: R is multiplied by W, where its "
                 "transpose is meant"})
          .turned = true;
    slip(one, {Cause::heads_permuted, "the heads stand from the last to the first"}).backwards =
        true;
    for (Index on = 1; on < std::min<Index>(projection.heads(), 5); ++on)
      slip(one, {Cause::heads_permuted, fmt::format("each head holds that {} after it", on)})
          .heads_on = on;
    for (std::int64_t by = 1; by <= 4; ++by)
      for (const std::int64_t far : {by, -by})
        for (std::int64_t& distance :
             slip(one, {Cause::row_offset, fmt::format("each row is that of a distance {:+}", far)})
                 .distances)
          distance += far;
    const double root = std::sqrt(static_cast<double>(projection.channels()));
    for (const double factor : {2.0, 0.5, -1.0, 1 / root, root})
      slip(one, {Cause::wrong_amplitude, fmt::format("the rows are multiplied by {:.7g}", factor)})
          .factor = factor;
  }
  right.insert(right.end(), wrong.begin(), wrong.end());
  return right;
}

}  // namespace

std::optional<Diagnosis> diagnose_projected(const Expectation& expected, const Dump& dump) {
  constexpr Index largest = Index{1} << 22, glanced = 12;
  const Relative* relative = std::get_if<Relative>(&expected.effect);
  if (!relative || !relative->sinusoids || !relative->sinusoids->waves ||
      expected.encoding->name != "transformer-xl" || !expected.parameters.has("projection") ||
      !dump.before.empty() || dump.arrays.size() != 1)
    return {};
  const Stored array = dump.arrays[0].u16 ? as_bf16(dump.arrays[0]) : dump.arrays[0];
  if (is_integer(array.dtype) || array.is_complex || array.size() > largest) return {};
  const Projection projection(expected, *relative);
  std::optional<Diagnosis> best;
  for (const Stored& rows : readings_of(array, projection)) {
    const Index count = rows.shape[0];
    const std::int64_t clamp =
        expected.parameters.has("clamp-len") ? expected.parameters.integer("clamp-len") : 0;
    std::vector<Index> all;
    for (Index row = 0; row < count; ++row) all.push_back(row);
    const std::vector<Projected> may =
        hypotheses(distance_orders(*relative, count, expected, clamp), projection);
    const Projected* found = nullptr;
    for (const Projected& one : may) {
      if (!compare(projection, rows, one, spread_over(count, glanced)).agrees() ||
          !compare(projection, rows, one, all).agrees())
        continue;
      found = &one;
      break;
    }
    const Tally first =
        compare(projection, rows, found && !found->reason ? *found : may.front(), all);
    Diagnosis told;
    told.what = fmt::format("projected sinusoids of {} distances, {} heads, {} channels {}", count,
                            projection.heads(), projection.channels(), spell_array(array));
    told.layout = "projected";
    told.coverage = fmt::format("all {} numbers", rows.size());
    told.bound_from =
        "n + 2 roundings to float32 of the sum of the magnitudes of a product's n terms, and 10 of "
        "each sinusoid's angle";
    first.tell(told, [&](const Spot& spot) {
      return fmt::format("row {}, head {}, channel {}", spot.run,
                         spot.index / projection.channels(), spot.index % projection.channels());
    });
    told.tier = found && !found->reason ? (first.exact() ? Tier::exact : Tier::drift) : Tier::wrong;
    if (told.tier != Tier::wrong)
      told.arithmetic = first.exact() ? "correctly rounded" : "float32, of no known codebase";
    else if (found)
      told.reasons = {*found->reason};
    else if (is_few(first))
      told.reasons = {
          {Cause::damaged_cells, fmt::format("{} of {} cells", first.beyond(), first.cells())}};
    if (told.tier != Tier::wrong && found->rises)
      told.doubts.emplace_back(
          "rows go from the smallest distance on, as a program has them that looks them up; "
          "Transformer-XL's and XLNet's own go down to it");
    const bool is_better =
        !best || (best->tier == Tier::wrong && (told.tier != Tier::wrong || best->reasons.empty()));
    if (is_better) best = std::move(told);
  }
  return best;
}

}  // namespace pe
