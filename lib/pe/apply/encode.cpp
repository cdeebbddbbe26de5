// x ⊕ P(i) and R(i) x, each value with one rounding of every product and sum.
#include "pe/apply/encode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pe/base/error.hpp"

namespace pe {
namespace {

constexpr std::string_view combine_names[] = {"add", "multiply", "multiply-one", "concatenate"};

void check_rows(const Table& table, const Positions& positions) {
  if (!table.rows) {
    if (positions.decimals() != 0 && (!table.waves || table.tokens.count() > 0))
      throw UsageError("--positions must be whole numbers for this encoding");
    return;
  }
  if (positions.decimals() != 0)
    throw UsageError(
        "--positions must be whole numbers: the table has no rows between two positions");
  const auto [low, high] = positions.ends();
  if (low < 0 || high >= *table.rows)
    throw UsageError(fmt::format("position {} lies outside the table, which has {} rows (0 to {})",
                                 low < 0 ? low : high, *table.rows, *table.rows - 1));
}

double combined(double x, double p, Combine how) {
  switch (how) {
    case Combine::multiply:
      return x * p;
    case Combine::multiply_one:
      return x * (1 + p);
    default:
      return x + p;
  }
}

}  // namespace

Combine parse_combine(std::string_view name) {
  const auto found = std::ranges::find(combine_names, name);
  if (found == std::end(combine_names))
    throw UsageError(
        fmt::format("--combine must be one of {}, got {}", fmt::join(combine_names, ", "), name));
  return static_cast<Combine>(found - std::begin(combine_names));
}

Content rows_of(const Table& table, const Positions& positions) {
  check_rows(table, positions);
  Content rows{.name = "p",
               .axes = "sd",
               .length = positions.count(),
               .channels = table.width,
               .values = {}};
  rows.values.resize(static_cast<std::size_t>(positions.count() * table.width));
  double* out = rows.values.data();
  for (const PositionRange& run : positions.runs()) {
    table.fill(run, DType::f64, reinterpret_cast<std::byte*>(out));
    out += run.count * table.width;
  }
  return rows;
}

Content combine(const Content& content, const Content& rows, Combine how) {
  const Index d = content.channels, w = rows.channels;
  if (how != Combine::concatenate && d != w)
    throw UsageError(fmt::format(
        "the table's rows have {} channels and {} has {}: give --dim {}, or --combine concatenate",
        w, content.spell(), d, d));
  Content out = content;
  if (how == Combine::concatenate) {
    out.channels = d + w;
    out.values.resize(
        static_cast<std::size_t>(content.batch * content.heads * content.length * out.channels));
  }
  for (Index b = 0; b < content.batch; ++b)
    for (Index h = 0; h < content.heads; ++h)
      for (Index s = 0; s < content.length; ++s) {
        const double *x = content.row(b, h, s), *p = rows.row(0, 0, s);
        double* y = out.row(b, h, s);
        if (how == Combine::concatenate) {
          std::copy_n(x, d, y);
          std::copy_n(p, w, y + d);
        } else {
          for (Index c = 0; c < d; ++c) y[c] = combined(x[c], p[c], how);
        }
      }
  return out;
}

namespace {

// The cosines and sines that multiply the channels, [position, pair] each.
struct Turns {
  std::vector<double> cosine, sine;
};

Turns turns_of(const Rotation& given, const Positions& positions, Side side) {
  const Rotation rotation = given.scale ? carrying_scales(given, side) : given;
  Turns turns;
  turns.cosine.resize(static_cast<std::size_t>(positions.count() * rotation.pairs));
  turns.sine.resize(turns.cosine.size());
  Index done = 0;
  for (const PositionRange& run : positions.runs()) {
    check_positions(rotation, run);
    rotation.fill(run, DType::f64, reinterpret_cast<std::byte*>(turns.cosine.data() + done),
                  reinterpret_cast<std::byte*>(turns.sine.data() + done));
    done += run.count * rotation.pairs;
  }
  return turns;
}

}  // namespace

Content turn(const Content& content, const Rotation& rotation, const Positions& positions,
             Side side) {
  const Index pairs = rotation.pairs;
  if (content.channels != rotation.dim)
    throw UsageError(
        fmt::format("the rotation turns heads of {} channels and {} has {}: give --dim {}{}",
                    rotation.dim, content.spell(), content.channels, content.channels,
                    rotation.last && content.channels > rotation.dim
                        ? fmt::format(" --rotary-dim {}", 2 * pairs)
                        : ""));
  const auto [cosine, sine] = turns_of(rotation, positions, side);
  std::vector<PairChannels> channels;
  for (Index j = 0; j < pairs; ++j) channels.push_back(channels_of(rotation, j));
  Content out = content;
  for (Index b = 0; b < content.batch; ++b)
    for (Index h = 0; h < content.heads; ++h)
      for (Index s = 0; s < content.length; ++s) {
        const double* x = content.row(b, h, s);
        double* y = out.row(b, h, s);
        for (Index j = 0; j < pairs; ++j) {
          const auto& [in, to] = channels[static_cast<std::size_t>(j)];
          const double c = cosine[static_cast<std::size_t>(s * pairs + j)],
                       r = sine[static_cast<std::size_t>(s * pairs + j)];
          const double first = x[in[0]], second = x[in[1]];
          y[to[0]] = first * c - second * r;  // Su et al. 2021, eq. 15
          y[to[1]] = first * r + second * c;
        }
      }
  return out;
}

Content encode(const Effect& effect, const Content& content, const Positions& positions,
               Combine how, Side side) {
  return std::visit(
      Match{[&](const Table& table) { return combine(content, rows_of(table, positions), how); },
            [&](const Rotation& rotation) { return turn(content, rotation, positions, side); },
            [&](const auto&) { return content; }},
      effect);
}

}  // namespace pe
