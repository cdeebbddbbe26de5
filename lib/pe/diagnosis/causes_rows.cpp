// Causes of rows: rows that are zero, not turned, or hold nothing that a turn could be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pe/diagnosis/turn_causes.hpp"

namespace pe {
namespace {

using Row = TurnStory::Row;

// One mark for each row that `is` says so of, by a scan of the whole dump; null when there is none.
struct Marks {
  std::vector<char> marked;
  Index count = 0, first = -1, last = -1;
};

template <typename Is>
std::shared_ptr<const Marks> mark(const TurnWorld& world, Is is) {
  auto marks = std::make_shared<Marks>();
  marks->marked.resize(static_cast<std::size_t>(world.reading().rows));
  world.scan([&](Index row, const double* cosine, const double* sine) {
    if (!is(row, cosine, sine)) return true;
    marks->marked[static_cast<std::size_t>(row)] = 1;
    if (marks->count++ == 0) marks->first = row;
    marks->last = row;
    return true;
  });
  return marks->count > 0 ? marks : nullptr;
}

TurnStory marked(const TurnStory& story, std::shared_ptr<const Marks> marks, Row as) {
  TurnStory other = story;
  other.row = [marks, as](Index row) {
    return marks->marked[static_cast<std::size_t>(row)] ? as : Row::turns;
  };
  return other;
}

std::string spell(const Marks& marks) {
  if (marks.count == 1) return fmt::format("row {}", marks.first);
  if (marks.count == marks.last - marks.first + 1)
    return fmt::format("rows {}–{}", marks.first, marks.last);
  return fmt::format("{} rows from {} to {}", marks.count, marks.first, marks.last);
}

// A scan costs a pass over the dump: only probes that show the fault are worth one.
template <typename Is>
bool shows(const TurnWorld& world, Is is) {
  std::vector<double> c(world.pairs()), s(world.pairs());
  for (std::size_t i = 0; i < world.rows().size(); ++i) {
    for (std::size_t j = 0; j < world.pairs(); ++j) {
      c[j] = world.cosine(i, j);
      s[j] = world.sine(i, j);
    }
    if (is(world.rows()[i], c.data(), s.data())) return true;
  }
  return false;
}

TurnProposals zero(const TurnWorld& world, const TurnStory& story, bool padding) {
  if (!world.has_rows()) return {};
  const auto is_zero = [&](Index, const double* c, const double* s) {
    for (std::size_t j = 0; j < world.pairs(); ++j)
      if (c[j] != 0 || s[j] != 0) return false;
    return true;
  };
  if (!shows(world, is_zero)) return {};
  const auto marks = mark(world, is_zero);
  if (!marks || (marks->count == 1) != padding) return {};
  return {{marked(story, marks, Row::blank),
           fmt::format("{} {} zero", spell(*marks), marks->count == 1 ? "is" : "are")}};
}

TurnProposals rows_zero(const TurnWorld& world, const TurnStory& story) {
  return zero(world, story, false);
}
TurnProposals padding_zero(const TurnWorld& world, const TurnStory& story) {
  return zero(world, story, true);
}

// Rows at position 0 that should stand elsewhere; `heads`: whole heads of them.
TurnProposals still(const TurnWorld& world, const TurnStory& story, bool heads) {
  if (!world.has_rows() || !story.axis.empty()) return {};
  const bool vectors = world.reading().run > 0;
  if (heads && !vectors) return {};
  const double a = story.cosine_magnitude, off = 1e-3 * a + 16 * unit_roundoff(world.dtype());
  const auto stands = [&](Index row, const double* c, const double* s) {
    if (story.position(row, 0) == 0) return false;
    for (std::size_t j = 0; j < world.pairs(); ++j)
      if (!(std::fabs(c[j] - a) <= off) || !(std::fabs(s[j]) <= off)) return false;
    return true;
  };
  if (!shows(world, stands)) return {};
  const auto marks = mark(world, stands);
  if (!marks) return {};
  std::string what = spell(*marks);
  if (vectors) {
    // Whole runs: every position but 0 of some (outer, inner) places.
    const Index run = world.reading().run, stride = world.reading().stride,
                turned = run - (world.expected().first == 0 ? 1 : 0);
    const bool whole = turned > 0 && marks->count % turned == 0 &&
                       marks->count < world.reading().rows - world.reading().rows / run;
    std::vector<Index> heads_still;
    for (Index row = 0; whole && row < world.reading().rows; ++row)
      if (row / stride % run == run - 1 && marks->marked[static_cast<std::size_t>(row)])
        heads_still.push_back(row / stride / run * stride + row % stride);
    const bool is_heads = whole && static_cast<Index>(heads_still.size()) * turned == marks->count;
    if (is_heads != heads) return {};
    if (heads)
      what = fmt::format(
          "heads (or sequences) {}",
          fmt::join(heads_still.begin(),
                    heads_still.begin() + std::min<std::ptrdiff_t>(8, std::ssize(heads_still)),
                    ", "));
  }
  return {{marked(story, marks, Row::still),
           fmt::format("{} {} not turned", what, !heads && marks->count == 1 ? "is" : "are")}};
}

TurnProposals rows_still(const TurnWorld& world, const TurnStory& story) {
  return still(world, story, false);
}
TurnProposals heads_still(const TurnWorld& world, const TurnStory& story) {
  return still(world, story, true);
}

// Rows most of whose pairs lie far off the circle.
TurnProposals uninitialised(const TurnWorld& world, const TurnStory& story) {
  if (!world.has_rows() || world.reading().form == TurnReading::Form::vectors ||
      world.reading().form == TurnReading::Form::angles)
    return {};
  const double a = world.amplitude() > 1e-6 && world.amplitude() < 1e6 ? world.amplitude()
                                                                       : story.cosine_magnitude;
  const auto is_garbage = [&](Index, const double* c, const double* s) {
    std::size_t off = 0;
    for (std::size_t j = 0; j < world.pairs(); ++j) {
      const double norm = std::hypot(c[j], s[j]);
      off += !(norm > a / 2) || norm > 2 * a;
    }
    return 2 * off > world.pairs();
  };
  if (!shows(world, is_garbage)) return {};
  const auto marks = mark(world, is_garbage);
  if (!marks) return {};
  return {{marked(story, marks, Row::free),
           fmt::format("{} {} no turns: numbers off the circle of radius {:g}, as memory that was "
                       "never written holds",
                       spell(*marks), marks->count == 1 ? "holds" : "hold", a),
           1.2}};
}

constexpr TurnCause causes[] = {
    {{"rows-zero", "rows hold zeros", "turns rows"}, "rows", rows_zero},
    {{"padding-row-zero", "one row holds zeros", "turns"}, "rows", padding_zero},
    {{"heads-not-rotated", "some heads are not turned", "turns"}, "rows", heads_still},
    {{"rows-not-rotated", "some rows are not turned", "turns"}, "rows", rows_still},
    {{"uninitialised", "numbers that no formula gives: memory that was never written", "turns"},
     "rows",
     uninitialised},
};

}  // namespace

std::span<const TurnCause> row_marks() { return causes; }

}  // namespace pe
