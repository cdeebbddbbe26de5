// Rows of a dump of turns: those to probe, and passes over all of them.
#include <fmt/format.h>

#include <set>

#include "pe/base/error.hpp"
#include "pe/diagnosis/rotations/observation.hpp"

namespace pe {

namespace {

// The last of each axis by itself, of those before the one of positions, where there are several:
// what is off along one alone is told from what is off along another.
std::vector<Index> last_of_outer_axes(const RotationReading& reading) {
  std::vector<Index> all;
  Index runs = 1;
  for (std::size_t axis = std::min(reading.axis, reading.extents.size()); axis-- > 0;) {
    all.push_back((reading.extents[axis] - 1) * runs);
    runs *= reading.extents[axis];
  }
  return all.size() > 1 ? all : std::vector<Index>{};
}

}  // namespace

std::vector<Index> probe_rows(const RotationReading& reading, Index original,
                              const std::vector<Index>& more) {
  const bool vectors = reading.run > 0;
  const Index slots = vectors ? reading.run : reading.rows;
  std::set<Index> required(more.begin(), more.end());
  std::set<Index> places;
  for (Index p = 0; p < 10; ++p)
    places.insert(p);  // 1 and 1 + 8 are where phases are unwrapped from 1 + 4 to 1 + 16
  for (Index p = 16; p < slots && p < Index{1} << 40; p *= 2) places.insert({p - 1, p, p + 1});
  places.insert({255, 256, 257, 511, 2047, 2048, 2049, original - 1, original, original + 1,
                 slots - 2, slots - 1});
  for (Index i = 1; i < 24; ++i) places.insert(slots * i / 24 + i % 3);
  for (Index d = 1; slots >= 64 && slots / 2 + d < slots; d *= 2)
    places.insert({slots / 2, slots / 2 + d});  // where they are unwrapped from the middle

  constexpr Index some = 4;  // of the places
  const std::vector<Index> lasts = last_of_outer_axes(reading);
  Index looked = 0;
  for (const Index p : places) {
    if (p < 0 || p >= slots) continue;
    if (looked++ % some == 1)
      for (const Index o : lasts) required.insert((o * reading.run + p) * reading.stride);
    if (!vectors) {
      required.insert(p);
      continue;
    }
    // Row numbers of this position: (outer · run + p) · stride + inner.
    const Index inner = reading.stride, outer = reading.rows / (reading.run * inner);
    for (const Index o : {Index{0}, Index{1}, outer - 1})
      for (const Index i : {Index{0}, Index{1}, inner - 1})
        if (o >= 0 && o < outer && i >= 0 && i < inner)
          required.insert((o * reading.run + p) * inner + i);
  }
  std::vector<Index> rows;
  for (const Index row : required)
    if (row >= 0 && row < reading.rows) rows.push_back(row);
  return rows;
}

void RotationObservation::scan(const RowQuestion& look) const {
  scan([&](Index row, const double* cosine, const double* sine, const double*) {
    return look(row, cosine, sine);
  });
}

void RotationObservation::scan(const SlackQuestion& look) const {
  // Small blocks first: most questions are answered by the first rows.
  constexpr Index least = 16, most = 512;
  std::vector<double> c, s, slack;
  for (Index first = 0, block = least; first < reading_->rows; first += block) {
    if (first > 0) block = std::min(4 * block, most);
    const Index count = std::min(block, reading_->rows - first);
    for (std::vector<double>* side : {&c, &s, &slack})
      side->resize(static_cast<std::size_t>(count) * pairs_);
    read_turns(*dump_, *reading_, first, count, c.data(), s.data(), slack.data(), copy_);
    for (Index i = 0; i < count; ++i)
      if (const std::size_t at = static_cast<std::size_t>(i) * pairs_;
          !look(first + i, c.data() + at, s.data() + at, slack.data() + at))
        return;
  }
}

RowMarks::RowMarks(Index rows) {
  if (!held->take(static_cast<std::uint64_t>(rows)))
    throw FileError(fmt::format("the dump has too many rows, {}, to mark those that differ", rows));
  marked.resize(static_cast<std::size_t>(rows));
}

RowMarks RotationObservation::marked_rows(const RowQuestion& is) const {
  RowMarks marks(reading_->rows);
  scan([&](Index row, const double* cosine, const double* sine) {
    if (!is(row, cosine, sine)) return true;
    marks.marked[static_cast<std::size_t>(row)] = 1;
    if (marks.count++ == 0) marks.first = row;
    marks.last = row;
    return true;
  });
  return marks;
}

std::shared_ptr<const RowMarks> RotationObservation::marks(
    const std::pair<std::string_view, double>& question, const RowQuestion& is) const {
  const auto [place, is_new] = marks_.try_emplace(question);
  if (!is_new) return place->second;
  auto marks = std::make_shared<RowMarks>(marked_rows(is));
  if (marks->count > 0) place->second = std::move(marks);
  return place->second;
}

}  // namespace pe
