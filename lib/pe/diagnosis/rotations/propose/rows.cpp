// Causes of rows: rows that are zero, not turned, or hold nothing that a turn could be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "pe/base/median.hpp"
#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/marks.hpp"
#include "pe/diagnosis/rotations/propose.hpp"

namespace pe {
namespace {

using Row = RotationHypothesis::Row;

RotationHypothesis marked(const RotationHypothesis& hypothesis,
                          std::shared_ptr<const RowMarks> marks, Row as) {
  RotationHypothesis other = hypothesis;
  other.row = [marks, as](Index row) {
    return marks->marked[static_cast<std::size_t>(row)] ? as : Row::turns;
  };
  return other;
}

// A scan costs a pass over the dump: only probes that show the fault are worth one.
template <typename Is>
bool shows(const RotationObservation& observation, Is is) {
  std::vector<double> c(observation.pairs()), s(observation.pairs());
  for (std::size_t i = 0; i < observation.rows().size(); ++i) {
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      c[j] = observation.cosine(i, j);
      s[j] = observation.sine(i, j);
    }
    if (is(observation.rows()[i], c.data(), s.data())) return true;
  }
  return false;
}

RotationProposals zero(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  if (!observation.has_rows()) return {};
  // Sines alone are 0 at position 0.
  const bool sines = observation.reading().side == RotationReading::Side::sine;
  const auto is_zero = [&](Index row, const double* c, const double* s) {
    if (sines && position_of(hypothesis, row, 0) == 0) return false;
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (c[j] != 0 || s[j] != 0) return false;
    return true;
  };
  if (!shows(observation, is_zero)) return {};
  const auto marks = observation.marks({"zero", 0}, is_zero);
  if (!marks) return {};
  // A padding row is one that embeddings keep at 0 (padding_idx is 0 or 1 in most).
  const bool is_padding =
      marks->count == 1 &&
      (marks->first <= 1 ||
       (observation.expected().encoding->kind == Kind::table && observation.truth().axis.empty()));
  return {
      {marked(hypothesis, marks, Row::blank),
       fmt::format("{} {} zero", spell_rows(observation.expected(), observation.reading(), *marks),
                   marks->count == 1 ? "is" : "are"),
       1, is_padding ? Cause::padding_row_zero : Cause::rows_zero}};
}

// Whether the same heads of every sequence are marked.
bool are_heads(const RotationReading& reading, const RowMarks& marks) {
  for (std::size_t axis = 0; axis < reading.extents.size(); ++axis) {
    if (name_of_axis(reading, axis) != "head" || reading.extents[axis] < 2) continue;
    for (Index row = 0; row < reading.rows; ++row)
      if (marks.marked[static_cast<std::size_t>(row)] !=
          marks.marked[static_cast<std::size_t>(reading.along(row, axis) * reading.inner(axis))])
        return false;
    return true;
  }
  return false;
}

// The heads, or sequences, of which every vector is marked (`first`: that of the first position,
// too); none where others are marked, too.
std::vector<Index> whole_runs(const RotationObservation& observation, const RowMarks& marks,
                              bool first) {
  const RotationReading& reading = observation.reading();
  const Index run = reading.run, turned = run - (first ? 0 : 1);
  if (run == 0 || turned <= 0 || marks.count % turned != 0 ||
      marks.count >= reading.rows / run * turned)
    return {};
  if (run == 1 && !are_heads(reading, marks)) return {};
  std::vector<Index> runs;
  for (Index row = 0; row < reading.rows; ++row)
    if (reading.slot(row) == run - 1 && marks.marked[static_cast<std::size_t>(row)])
      runs.push_back(row / reading.stride / run * reading.stride + row % reading.stride);
  return std::ssize(runs) * turned == marks.count ? runs : std::vector<Index>{};
}

// The marked rows that a hypothesis has doubts about, or null.
std::shared_ptr<const RowMarks> of_those(std::shared_ptr<const RowMarks> marks,
                                         const std::function<bool(Index)>& doubts) {
  if (!marks) return {};
  auto some = std::make_shared<RowMarks>(std::ssize(marks->marked));
  for (Index row = marks->first; row <= marks->last; ++row) {
    if (!marks->marked[static_cast<std::size_t>(row)] || !doubts(row)) continue;
    some->marked[static_cast<std::size_t>(row)] = 1;
    if (some->count++ == 0) some->first = row;
    some->last = row;
  }
  return some->count > 0 ? some : nullptr;
}

// Vectors of zeros before, which turn by any angle: nothing is seen of them. Empty: there is none.
std::vector<char> unseen_rows(const RotationObservation& observation) {
  const RotationReading& reading = observation.reading();
  std::vector<char> unseen(static_cast<std::size_t>(reading.rows));
  bool any = false;
  if (!reading.is_vectors()) return {};
  observation.scan([&](Index row, const double*, const double*, const double* slack) {
    const bool is_unseen =
        std::all_of(slack, slack + observation.pairs(), [](double one) { return std::isinf(one); });
    unseen[static_cast<std::size_t>(row)] = is_unseen;
    any = any || is_unseen;
    return true;
  });
  return any ? unseen : std::vector<char>{};
}

// The heads, or sequences, of which every vector that is seen and should turn is marked, where no
// other is; none of others.
bool are_whole_runs(const RotationReading& reading, const RowMarks& marks,
                    const std::function<bool(Index)>& counts) {
  std::map<Index, std::pair<Index, Index>> runs;  // how many count, and how many are marked
  if (reading.run == 0 || reading.rows == reading.run) return false;
  for (Index row = 0; row < reading.rows; ++row) {
    if (!counts(row)) continue;
    auto& [all, marked] =
        runs[row / reading.stride / reading.run * reading.stride + row % reading.stride];
    ++all;
    marked += marks.marked[static_cast<std::size_t>(row)];
  }
  Index whole = 0;
  for (const auto& [run, count] : runs) {
    if (count.second != 0 && count.second != count.first) return false;
    whole += count.second != 0;
  }
  return whole > 0 && whole < std::ssize(runs);
}

// Rows at position 0 that should stand elsewhere, and vectors that are what they were.
RotationProposals still(const RotationObservation& observation,
                        const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_rows()) return all;
  for (const Row as : {Row::still, Row::untouched}) {
    const bool untouched = as == Row::untouched;
    if (untouched && !(observation.reading().is_vectors() && hypothesis.multiplies())) break;
    const double a = untouched ? 1 : hypothesis.cosine_magnitude,
                 off = 1e-3 * a + 16 * observation.grain();
    const auto stands = [&](Index, const double* c, const double* s) {
      for (std::size_t j = 0; j < observation.pairs(); ++j)
        if (!(std::fabs(c[j] - a) <= off) || !(std::fabs(s[j]) <= off)) return false;
      return true;
    };
    const auto should_turn = [&](Index row) {
      if (untouched) return true;
      for (std::size_t axis = 0; axis < hypothesis.axes(); ++axis)
        if (hypothesis.position(row, axis) != 0) return true;
      return false;
    };
    if (!shows(observation, [&](Index row, const double* c, const double* s) {
          return should_turn(row) && stands(row, c, s);
        }))
      continue;
    // The dump is passed once; which row stands at position 0 by right, the hypothesis says.
    const std::vector<char> unseen = unseen_rows(observation);
    const auto counts = [&](Index row) {
      return should_turn(row) && (unseen.empty() || !unseen[static_cast<std::size_t>(row)]);
    };
    const auto marks = of_those(observation.marks({"stands", a}, stands), counts);
    if (!marks) continue;
    const bool are_runs =
        unseen.empty()
            ? !whole_runs(observation, *marks, should_turn(observation.row_of_slot(0))).empty()
            : are_whole_runs(observation.reading(), *marks, counts);
    all.push_back({marked(hypothesis, marks, as),
                   fmt::format("{} {} not turned",
                               spell_rows(observation.expected(), observation.reading(), *marks),
                               marks->count == 1 ? "is" : "are"),
                   1,
                   !are_runs || !observation.reading().is_vectors() ? Cause::rows_not_rotated
                                                                    : Cause::heads_not_rotated});
  }
  return all;
}

// Memory is left unwritten in one piece: a few rows among many marked ones hold the like of them.
std::shared_ptr<const RowMarks> in_one_piece(std::shared_ptr<const RowMarks> marks) {
  const Index reach = marks ? marks->last - marks->first + 1 : 0;
  if (!marks || marks->count == reach || 10 * marks->count < 9 * reach) return marks;
  auto whole = std::make_shared<RowMarks>(*marks);
  std::fill_n(whole->marked.begin() + whole->first, reach, 1);
  whole->count = reach;
  return whole;
}

// Whether some number is none, or of a size that no side of a turn has.
bool has_wild(const RotationObservation& observation, const RotationHypothesis& hypothesis) {
  const double most = 100 * std::max(1.0, hypothesis.cosine_magnitude), least = 1e-12;
  const auto is_wild = [&](double x) {
    return !(std::fabs(x) <= most) || (x != 0 && std::fabs(x) < least);
  };
  for (std::size_t i = 0; i < observation.rows().size(); ++i)
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (is_wild(observation.cosine(i, j)) || is_wild(observation.sine(i, j))) return true;
  return false;
}

// Rows most of whose pairs lie far off the circle.
RotationProposals uninitialised(const RotationObservation& observation,
                                const RotationHypothesis& hypothesis) {
  if (!observation.has_rows() || observation.reading().is_vectors() ||
      observation.reading().form == RotationReading::Form::angles)
    return {};
  const double a = observation.amplitude() > 1e-6 && observation.amplitude() < 1e6
                       ? observation.amplitude()
                       : hypothesis.cosine_magnitude;
  const double least = observation.reading().is_one_sided() ? -1 : a * a / 4;
  const auto is_garbage = [&](Index, const double* c, const double* s) {
    std::size_t off = 0, zero_cosines = 0, zero_sines = 0;
    for (std::size_t j = 0; j < observation.pairs(); ++j) {
      const double norm = c[j] * c[j] + s[j] * s[j];
      off += !(norm > least) || norm > 4 * a * a;
      zero_cosines += c[j] == 0;
      zero_sines += s[j] == 0;
    }
    // A side of zeros was written.
    const bool is_half =
        (zero_cosines == observation.pairs()) != (zero_sines == observation.pairs());
    return 2 * off > observation.pairs() && (least < 0 || !is_half);
  };
  // Rows of zeros alone have a cause of their own.
  const auto is_written = [&](Index row, const double* c, const double* s) {
    const auto is_something = [](double value) { return value != 0; };
    const std::size_t n = observation.pairs();
    return is_garbage(row, c, s) &&
           (std::any_of(c, c + n, is_something) || std::any_of(s, s + n, is_something));
  };
  if (!shows(observation, is_written)) return {};
  // One side that stands in the place of the other, too, was written.
  const auto is_of_two_sides = [&](Index, const double* c, const double* s) {
    for (std::size_t j = 0; j < observation.pairs(); ++j)
      if (c[j] != s[j]) return true;
    return false;
  };
  if (observation.has_cosine() && observation.has_sine() && !shows(observation, is_of_two_sides))
    return {};
  const auto marks = in_one_piece(observation.marks({"off the circle", a}, is_garbage));
  if (!marks) return {};
  // All of it: numbers of every size, for those of the size of turns may be turns of another kind.
  if (marks->count == observation.reading().rows && !has_wild(observation, hypothesis)) return {};
  return {{marked(hypothesis, marks, Row::free),
           fmt::format("{} {} no turns: numbers off the circle of radius {:g}, as memory that was "
                       "never written holds",
                       spell_rows(observation.expected(), observation.reading(), *marks),
                       marks->count == 1 ? "holds" : "hold", a),
           1.2}};
}

// Of vectors the positions at which nearly every one is marked, for all heads and sequences; null
// where they are not one piece, or where others are marked too.
std::shared_ptr<const RowMarks> whole_slots(const RotationObservation& observation,
                                            std::shared_ptr<const RowMarks> marks) {
  const RotationReading& reading = observation.reading();
  if (!marks || reading.run == 0) return marks;
  const Index each = reading.rows / reading.run;
  std::vector<Index> counts(static_cast<std::size_t>(reading.run));
  for (Index row = 0; row < reading.rows; ++row)
    counts[static_cast<std::size_t>(reading.slot(row))] +=
        marks->marked[static_cast<std::size_t>(row)];
  const auto is_whole = [&](Index count) { return 10 * count >= 9 * each; };
  const auto first = std::ranges::find_if(counts, is_whole);
  const auto last = std::find_if_not(first, counts.end(), is_whole);
  const auto few = [&](Index count) { return 10 * count <= each; };
  if (first == last || !std::all_of(counts.begin(), first, few) ||
      !std::all_of(last, counts.end(), few))
    return {};
  auto whole = std::make_shared<RowMarks>(reading.rows);
  const Index from = first - counts.begin(), to = last - counts.begin();
  for (Index row = 0; row < reading.rows; ++row)
    whole->marked[static_cast<std::size_t>(row)] =
        reading.slot(row) >= from && reading.slot(row) < to;
  whole->first = from;
  whole->last = to - 1;
  whole->count = to - from;
  return whole;
}

// Numbers of the size of turns, in a piece of the rows: most of each row lie on no circle.
RotationProposals unwritten(const RotationObservation& observation,
                            const RotationHypothesis& hypothesis) {
  if (!observation.has_rows() || observation.reading().is_one_sided() ||
      observation.reading().form == RotationReading::Form::angles || observation.pairs() < 4)
    return {};
  // A few pairs tell, for every row is looked at.
  constexpr std::size_t enough = 16;
  const std::size_t n = observation.pairs(), step = std::max<std::size_t>(1, n / enough);
  std::vector<double> norms;
  const auto is_zero = [](double value) { return value == 0; };
  const auto is_on_none = [&](Index, const double* c, const double* s) {
    // A side of zeros was written.
    if (std::all_of(c, c + n, is_zero) != std::all_of(s, s + n, is_zero)) return false;
    norms.clear();
    for (std::size_t j = 0; j < n; j += step) norms.push_back(c[j] * c[j] + s[j] * s[j]);
    const double middle = median_of(norms);
    return 2 * std::ranges::count_if(
                   norms, [&](double norm) { return std::fabs(norm - middle) > 0.2 * middle; }) >
           std::ssize(norms);
  };
  const auto is_on_one = [&](Index row, const double* c, const double* s) {
    return !is_on_none(row, c, s);
  };
  if (!shows(observation, is_on_none) || !shows(observation, is_on_one)) return {};
  const auto scattered = observation.marks({"on no circle", 0}, is_on_none);
  const bool are_vectors = observation.reading().is_vectors();
  const auto marks = are_vectors ? whole_slots(observation, scattered) : in_one_piece(scattered);
  const Index least = are_vectors ? 1 : 4;
  if (!marks || marks->count != marks->last - marks->first + 1 || marks->count < least ||
      4 * marks->count > 3 * observation.slots())
    return {};
  return {{marked(hypothesis, marks, Row::free),
           fmt::format("no turns at {}: most of each row lie on no circle, as memory that was "
                       "never written holds",
                       spell_rows(observation.expected(), observation.reading(), *marks)),
           1.2}};
}

constexpr RotationProposer causes[] = {
    {Cause::rows_zero, "rows", zero},          // or padding_row_zero
    {Cause::rows_not_rotated, "rows", still},  // or heads_not_rotated
    {Cause::uninitialised, "rows", uninitialised},
    {Cause::uninitialised, "rows", unwritten},
};

}  // namespace

std::span<const RotationProposer> row_marks() { return causes; }

}  // namespace pe
