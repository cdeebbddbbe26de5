// Laws of every kind, measured on samples of what the effect stores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pe/base/narrow.hpp"
#include "pe/base/team.hpp"
#include "pe/properties/laws.hpp"

namespace pe::laws {
namespace {

// The first positions of a run, at most `count`.
PositionRange head_of(const PositionRange& positions, Index count) {
  return positions.slice(0, std::min(count, positions.count));
}

// The first term that has a table, or null.
const RelativeTerm* first_table(const Relative& relative) {
  for (const RelativeTerm& term : relative.terms)
    if (term.right == RelativeTerm::Right::table) return &term;
  return nullptr;
}

// What the effect stores at positions, as bytes of the dtype, row by row.
std::vector<std::byte> stored(const Effect& effect, const PositionRange& positions, DType dtype) {
  std::vector<std::byte> bytes;
  const auto more = [&](Index elements) {
    const std::size_t before = bytes.size();
    bytes.resize(before + static_cast<std::size_t>(elements) * size_of(dtype));
    return bytes.data() + before;
  };
  const auto buckets = [&](const Buckets& map, const PositionRange& square) {
    for (Index q = 0; q < square.count; ++q)
      for (Index k = 0; k < square.count; ++k) {
        const auto bucket = static_cast<double>(map.of(square.at(q), square.at(k)));
        narrow(std::span(&bucket, 1), dtype, more(1));
      }
  };
  std::visit(
      Match{[&](const Table& table) {
              const PositionRange rows = existing(table, positions);
              table.fill(rows, dtype, more(rows.count * table.width));
            },
            [&](const Rotation& rotation) {
              std::byte* cosine = more(2 * positions.count * rotation.pairs);
              rotation.fill(positions, dtype, cosine,
                            cosine + static_cast<std::size_t>(positions.count * rotation.pairs) *
                                         size_of(dtype));
              if (!rotation.scale) return;
              std::byte* query = more(2 * positions.count * rotation.pairs);
              rotation.scale(positions, dtype, query,
                             query + static_cast<std::size_t>(positions.count * rotation.pairs) *
                                         size_of(dtype));
            },
            [&](const Bias& bias) {
              const PositionRange square = head_of(existing(bias, positions), any_side);
              if (!bias.fill) return buckets(*bias.buckets, square);
              for (Index head = 0; head < bias.heads; ++head)
                for (Index q = 0; q < square.count; ++q)
                  bias.fill(head, square.at(q), square, dtype, more(square.count));
            },
            [&](const Relative& relative) {
              const PositionRange square = head_of(positions, any_side);
              const RelativeTerm* term = first_table(relative);
              if (!term) return buckets(relative.buckets, square);
              for (Index q = 0; q < square.count;
                   ++q)  // what the bucket holds: its number is only a name
                for (Index k = 0; k < square.count; ++k) {
                  double values[8];
                  const Index width = term->table.shape().back(), count = std::min<Index>(8, width);
                  term->table.read(term->buckets.of(square.at(q), square.at(k)) * width, count,
                                   values);
                  narrow(std::span(values, static_cast<std::size_t>(count)), dtype, more(count));
                }
            }},
      effect);
  return bytes;
}

Index width_of(const Effect& effect) {
  if (const Table* table = std::get_if<Table>(&effect)) return table->width;
  if (const Rotation* rotation = std::get_if<Rotation>(&effect))
    return (rotation->scale ? 4 : 2) * rotation->pairs;
  return 1 << 17;  // a bias: one block is enough, its square is bounded
}

std::string coverage_of(const Case& subject) {
  const bool square =
      kind_of(subject.effect) == Kind::bias || kind_of(subject.effect) == Kind::relative;
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  const Index there = bias ? existing(*bias, subject.positions).count : subject.positions.count;
  const Index count = square ? std::min(any_side, there) : there;
  return square ? fmt::format("the first {0} x {0} pairs of positions", count)
                : fmt::format("all {} positions", count);
}

// Walks the positions in blocks; for a bias or a relative encoding the first block's square is all
// there is.
void for_samples(const Case& subject, const PositionRange& positions,
                 const std::function<void(const PositionRange&)>& visit) {
  if (kind_of(subject.effect) == Kind::bias || kind_of(subject.effect) == Kind::relative)
    return visit(positions);
  for_blocks(positions, width_of(subject.effect),
             [&](Index, const PositionRange& block) { visit(block); });
}

}  // namespace

namespace {

// All of a dump's.
void look_for_infinite(const Bias& bias, const Case& subject, Measurement& result) {
  const PositionRange all = existing(bias, subject.positions);
  std::vector<std::byte> line(static_cast<std::size_t>(all.count) * size_of(subject.dtype));
  std::vector<double> row(static_cast<std::size_t>(all.count));
  for (Index head = 0; head < bias.heads; ++head)
    for (Index query = 0; query < all.count; ++query) {
      bias.fill(head, all.at(query), all, subject.dtype, line.data());
      widen(line.data(), subject.dtype, row);
      for (Index key = 0; key < all.count; ++key) {
        const double value = row[static_cast<std::size_t>(key)];
        const bool is_mask = bias.causal && value == -HUGE_VAL && all.at(key) > all.at(query);
        if (std::isfinite(value) || is_mask || result.worst++ > 0) continue;
        result.witness = fmt::format("{} at head {}, query {}, key {}", value, head,
                                     all.value(query), all.value(key));
      }
    }
  result.coverage = fmt::format("all {0} x {0} pairs of positions", all.count);
}

}  // namespace

Measurement finite(const Case& subject) {
  Measurement result;
  result.bound_from = "none may be";
  result.power = {HUGE_VAL, "only NaN and infinities are looked for"};
  if (const Bias* bias = std::get_if<Bias>(&subject.effect);
      subject.foreign && bias && bias->fill) {
    look_for_infinite(*bias, subject, result);
    result.exhaustive = true;
    return result;
  }
  result.coverage = coverage_of(subject);
  // Bytes of a bias are head by head, query by query, key by key.
  const Bias* bias = std::get_if<Bias>(&subject.effect);
  const auto is_mask = [&](std::size_t i, double value) {
    if (!bias || !bias->causal || !bias->fill || value != -HUGE_VAL) return false;
    const PositionRange square = head_of(existing(*bias, subject.positions), any_side);
    const auto side = static_cast<std::size_t>(square.count);
    return square.at(static_cast<Index>(i % side)) > square.at(static_cast<Index>(i / side % side));
  };
  result.exhaustive = true;
  for_samples(subject, subject.positions, [&](const PositionRange& block) {
    const auto bytes = stored(subject.effect, block, subject.dtype);
    std::vector<double> values(bytes.size() / size_of(subject.dtype));
    widen(bytes.data(), subject.dtype, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]) && !is_mask(i, values[i]) && result.worst++ == 0)
        result.witness = fmt::format(
            "{} near position {}", values[i],
            block.value(static_cast<Index>(i) /
                        std::max<Index>(1, static_cast<Index>(values.size()) / block.count)));
  });
  return result;
}

Measurement deterministic(const Case& subject) {
  if (subject.foreign) return not_told("a dump holds the same bytes however it is read");
  Measurement result;
  result.bound_from = "bytes that differ; none may";
  result.power = {0, "any cell"};
  result.exhaustive = true;
  if (kind_of(subject.effect) == Kind::bias || kind_of(subject.effect) == Kind::relative) {
    result.coverage = coverage_of(subject) + ", made twice";
    result.worst = stored(subject.effect, subject.positions, subject.dtype) !=
                   stored(subject.effect, subject.positions, subject.dtype);
    return result;
  }
  result.coverage =
      coverage_of(subject) + ", whole blocks against single rows and uneven parts, last part first";
  for_samples(subject, subject.positions, [&](const PositionRange& block) {
    // Tables lie row by row; a rotation's cosines come before its sines, so its halves are compared
    // in turn.
    const auto whole = stored(subject.effect, block, subject.dtype);
    const Rotation* rotation = std::get_if<Rotation>(&subject.effect);
    const std::size_t sides = rotation ? rotation->scale ? 4 : 2 : 1;
    const std::size_t side = whole.size() / sides,
                      line = side / static_cast<std::size_t>(block.count);
    Index end = block.count;
    for (Index part = 1; end > 0; part = 3 * part + 1) {
      const Index first = std::max<Index>(0, end - part);
      const auto piece = stored(subject.effect, block.slice(first, end - first), subject.dtype);
      const std::size_t of_side = piece.size() / sides;
      bool same = true;
      for (std::size_t which = 0; which < sides && same; ++which)
        same = std::memcmp(&piece[which * of_side],
                           &whole[which * side + static_cast<std::size_t>(first) * line],
                           of_side) == 0;
      end = same ? first : end;
      if (same) continue;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const std::size_t in_side = i % (piece.size() / sides), which = i / (piece.size() / sides);
        if (piece[i] != whole[which * side + static_cast<std::size_t>(first) * line + in_side] &&
            result.worst++ == 0)
          result.witness =
              fmt::format("position {}", block.value(first + static_cast<Index>(in_side / line)));
      }
      end = first;
    }
  });
  return result;
}

namespace {

// The first of these positions whose values at another length are others.
void compare_at(const Case& subject, const PositionRange& positions, Index other_length,
                Measurement& result) {
  const Index length = subject.positions.length();
  const Effect other = subject.remake(other_length);
  const Table* table = std::get_if<Table>(&subject.effect);
  const bool follows_rows = table && table->solving;  // each is solved for from the one before
  for_samples(subject, positions, [&](const PositionRange& block) {
    std::vector<std::byte> here, there;
    const auto make = [&](bool at_length) {
      (at_length ? here : there) = stored(at_length ? subject.effect : other, block, subject.dtype);
    };
    if (follows_rows) {
      side_by_side(2, [&](std::size_t member) { make(member == 0); });
    } else {
      make(true);
      make(false);
    }
    if (here.size() == there.size() && std::memcmp(here.data(), there.data(), here.size()) == 0)
      return;
    const std::size_t size = size_of(subject.dtype),
                      count = std::min(here.size(), there.size()) / size;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::memcmp(&here[i * size], &there[i * size], size) == 0 || result.worst++ > 0) continue;
      double values[2];
      widen(&here[i * size], subject.dtype, std::span(values, 1));
      widen(&there[i * size], subject.dtype, std::span(values + 1, 1));
      const Index row =
          static_cast<Index>(i) / std::max<Index>(1, static_cast<Index>(count) / block.count);
      result.witness = fmt::format("position {}: {} at length {}, {} at length {}",
                                   block.value(row), values[0], length, values[1], other_length);
    }
  });
}

}  // namespace

// At twice the length; and turns, whose scalings may wait for the length that a model was trained
// on, beyond that of any, and within that of all.
Measurement length_invariant(const Case& subject) {
  if (subject.foreign) return not_told("a dump is of one length");
  Measurement result;
  const Index length = subject.positions.length(), longer = 2 * length + 1;
  result.power = {0, "any cell"};
  result.coverage = coverage_of(subject);
  result.exhaustive = true;
  compare_at(subject, subject.positions, longer, result);
  constexpr Index beyond_any = (Index{1} << 24) + 1, within_all = 64;
  std::string others;
  if (kind_of(subject.effect) == Kind::rotation) {
    const PositionRange few = head_of(subject.positions, within_all);
    const auto look = [&](const PositionRange& positions, Index other) {
      if (!result.holds()) return;
      compare_at(subject, positions, other, result);
      others += fmt::format(" or {}", other);
    };
    if (few.length() < length) look(few, few.length());
    if (longer < beyond_any) look(subject.positions, beyond_any);
  }
  result.bound_from = fmt::format("values that differ between length {} and length {}{}; none may",
                                  length, longer, others);
  return result;
}

}  // namespace pe::laws
