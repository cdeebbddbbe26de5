// What is said of the columns of a table that hold something else.
#include "pe/diagnosis/rotations/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/column_search.hpp"
#include "pe/diagnosis/rotations/verdict.hpp"
#include "pe/diagnosis/spelled.hpp"

namespace pe {
namespace {

using Source = ColumnSource;

// What is said of some columns.
struct Told {
  Cause cause;
  std::string words;
  std::vector<Index> cosines, sines;
};

class ColumnWords {
 public:
  ColumnWords(std::vector<ColumnFault> found, bool angles)
      : found_(std::move(found)), angles_(angles) {}

  std::vector<Reason> reasons() {
    for (const ColumnFault& one : found_) {
      const auto [cause, words] = told_of(one);
      const Told told{cause, words, {}, {}};
      auto place = std::ranges::find_if(
          told_, [&](const Told& t) { return t.cause == told.cause && t.words == told.words; });
      if (place == told_.end()) place = told_.insert(told_.end(), told);
      (one.column.sine ? place->sines : place->cosines)
          .push_back(static_cast<Index>(one.column.pair));
    }
    std::vector<Reason> all;
    for (const Told& one : told_) {
      const auto same = std::ranges::find(all, one.cause, &Reason::cause);
      const std::string clause = fmt::format("{} {}", spell_columns(one), one.words);
      if (same == all.end())
        all.push_back({one.cause, "the " + clause});
      else if (std::ranges::count(same->sentence, ',') < 6)
        same->sentence += ", " + clause;
      else if (!same->sentence.ends_with("…"))
        same->sentence += ", …";
    }
    if (!all.empty()) all.back().sentence += "; the others are right";
    return all;
  }

 private:
  const Source* other_side(const PairSide& column) const {
    const auto place =
        std::ranges::find(found_, PairSide{column.pair, !column.sine}, &ColumnFault::column);
    return place == found_.end() ? nullptr : &place->source;
  }
  bool also(const PairSide& column, double a, double b) const {
    const Source* other = other_side(column);
    return other && other->kind == Source::Kind::mixed && other->a == a && other->b == b;
  }

  // "cosines of pair 3", "cosines and sines of pairs 3–5", "cosines of pair 3 and sines of pair 4".
  std::string spell_columns(const Told& told) const {
    const auto of = [](const char* sides, const std::vector<Index>& pairs) {
      return fmt::format("{} of pair{} {}", sides, pairs.size() == 1 ? "" : "s",
                         spell_numbers(pairs));
    };
    if (told.sines.empty()) return of("cosines", told.cosines);
    if (told.cosines.empty()) return of("sines", told.sines);
    if (told.cosines == told.sines)
      return of(angles_ ? "angles" : "cosines and sines", told.cosines);
    return of("cosines", told.cosines) + " and " + of("sines", told.sines);
  }

  // So that several columns, each of its neighbour, are told at once.
  static std::string spell_other(std::size_t from, std::size_t pair) {
    if (from + 1 == pair) return "the pair before";
    return from == pair + 1 ? "the pair after" : fmt::format("pair {}", from);
  }

  std::pair<Cause, std::string> told_of(const ColumnFault& one) const {
    const auto& [column, source, frequency] = one;
    switch (source.kind) {
      case Source::Kind::constant:
        return told_of_constant(column, source.a);
      case Source::Kind::mixed:
        return told_of_turn(one);
      case Source::Kind::other:
        return {Cause::pairs_permuted, fmt::format("are {} {}",
                                                   source.from.sine == column.sine ? "those of"
                                                   : source.from.sine              ? "the sines of"
                                                                      : "the cosines of",
                                                   spell_other(source.from.pair, column.pair))};
      case Source::Kind::frequency:
        if (constexpr double nowhere = 1e-9; std::fabs(source.a) < nowhere * frequency)
          return {Cause::channels_not_rotated,
                  fmt::format("turn by {:.4g} radians a position, which is not at all", source.a)};
        return {Cause::pair_frequency,
                fmt::format("turn by {:.4g} times the pair's frequency", source.a / frequency)};
      case Source::Kind::anything:
        break;
    }
    return {Cause::damaged_cells, "hold something else in most rows"};
  }

  std::pair<Cause, std::string> told_of_constant(const PairSide& column, double value) const {
    const Source* other = other_side(column);
    const bool both = other && other->kind == Source::Kind::constant;
    if (value == 0 && (!both || other->a == 0))
      return {Cause::channels_zero, "are zeros in every row"};
    if (!both) return {Cause::channels_not_rotated, fmt::format("are {:.6g} in every row", value)};
    const double cosine = column.sine ? other->a : value, sine = column.sine ? value : other->a;
    return {Cause::channels_not_rotated,
            fmt::format("are {:.6g} and {:.6g} in every row", cosine, sine)};
  }

  std::pair<Cause, std::string> told_of_turn(const ColumnFault& one) const {
    const auto& [column, source, frequency] = one;
    const double own = column.sine ? source.b : source.a, other = column.sine ? source.a : source.b;
    if (other == 0 && own == -1)
      return {column.sine && !also(column, -1, 0) ? Cause::direction_reversed : Cause::pair_formula,
              "have the other sign"};
    if (other == 0)
      return {Cause::wrong_amplitude, fmt::format("are {:.4g} times what is meant", own)};
    const char* side = column.sine ? "cosines" : "sines";
    if (own == 0 && other == 1) {
      if (also(column, column.sine ? 0 : 1, column.sine ? 1 : 0))
        return {Cause::sin_cos_swapped, "stand in each other's place"};
      return {Cause::side_copied, fmt::format("are the pair's {}", side)};
    }
    if (own == 0 && other == -1)
      return {Cause::pair_formula, fmt::format("are the pair's {} with the other sign", side)};
    const double phase =
                     column.sine ? std::atan2(source.a, source.b) : std::atan2(-source.b, source.a),
                 places = phase / frequency, whole = std::round(places);
    constexpr double near = 0.05;
    if (std::fabs(std::hypot(own, other) - 1) > 0.01)
      return {Cause::pair_formula,
              fmt::format("are {:.4g}·cos(p·θ) + {:.4g}·sin(p·θ)", source.a, source.b)};
    if (whole != 0 && std::fabs(places - whole) <= near)
      return {Cause::position_offset,
              fmt::format("are those of {} position{} {}", std::fabs(whole),
                          std::fabs(whole) == 1 ? "" : "s", whole < 0 ? "before" : "behind")};
    return {Cause::pair_formula, fmt::format("turn by {:+.4g} radians more", phase)};
  }

  std::vector<ColumnFault> found_;
  bool angles_;
  std::vector<Told> told_;
};

}  // namespace

ColumnReport spoilt_columns(const ProbedDump& dump, const Attempt& attempt) {
  using Form = RotationReading::Form;
  const Form form = attempt.reading.form;
  if (form != Form::turns && form != Form::angles) return {};
  const auto pairs = static_cast<std::size_t>(attempt.reading.pairs);
  const std::vector<ColumnFault> found = column_faults(dump, attempt);
  return {found.size(), attempt.reading.is_one_sided() ? pairs : 2 * pairs,
          ColumnWords(found, form == Form::angles).reasons()};
}

}  // namespace pe
