// The grids that a dump's rows may be, each convention held against it, and the base out of the
// turns between neighbours on an axis.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/grid_likelihood.hpp"
#include "pe/diagnosis/identify/guess.hpp"
#include "pe/diagnosis/rotations/propose/base.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"

namespace pe {
namespace {

constexpr Index most_rows = 1 << 16, most_grids = 48;

Index product(std::span<const Index> extents) {
  Index all = 1;
  for (const Index extent : extents) all *= extent;
  return all;
}

// Grids of `rows` cells: as the array's own axes have them, then factors of the row count, the
// squarest first.
std::vector<Grid> grids_of(std::span<const Index> leading, Index rows, std::size_t axes) {
  std::vector<Grid> all;
  for (std::size_t first = 0; first + axes <= leading.size(); ++first)
    if (const auto part = leading.subspan(first, axes); product(part) == rows)
      all.emplace_back(part.begin(), part.end());
  if (!all.empty()) return all;
  const auto rest = [&](Index frames) {
    for (Index height = 1; height <= rows / frames; ++height)
      if (rows / frames % height == 0) {
        Grid grid{height, rows / frames / height};
        if (axes == 3) grid.insert(grid.begin(), frames);
        all.push_back(std::move(grid));
      }
  };
  for (Index frames = 1; frames <= (axes == 3 ? rows : 1); ++frames)
    if (rows % frames == 0) rest(frames);
  // An image is one frame.
  const auto plane = [](const Grid& grid) { return std::span(grid).last(2); };
  std::erase_if(all, [&](const Grid& grid) { return std::ranges::min(plane(grid)) < 2; });
  std::ranges::stable_sort(all, {}, [&](const Grid& grid) {
    return std::ranges::max(grid) / std::ranges::min(grid[0] > 1 ? std::span(grid) : plane(grid));
  });
  if (std::ssize(all) > most_grids) all.resize(most_grids);
  return all;
}

std::vector<std::string> choices_of(const Encoding& encoding, std::string_view name) {
  for (const Parameter& row : schema_of(encoding))
    if (row.name == name && row.choices) return words(row.choices);
  return {};
}

std::vector<Candidate> candidates_of(const Encoding& encoding, Index dim, const Grid& grid,
                                     const std::function<bool(Index merge)>& may_be) {
  std::vector<Candidate> all;
  const bool merges = std::ranges::any_of(schema_of(encoding), [](const Parameter& row) {
    return row.name == std::string_view("merge");
  });
  for (const std::string& convention : choices_of(encoding, "convention"))
    for (const Index merge : {1, 2}) {
      const bool whole = std::ranges::all_of(grid, [&](Index n) { return n % merge == 0; });
      if (merge > 1 && (!merges || !whole || convention != "qwen2-vl")) continue;
      if (!may_be(merge)) continue;
      Candidate one{.encoding = &encoding, .given = {}, .cost = 0, .model = {}};
      one.given = identified({{"dim", std::to_string(dim)},
                              {"grid", fmt::format("{}", fmt::join(grid, "x"))},
                              {"convention", convention}});
      if (merge > 1) one.given["merge"] = identified(std::to_string(merge));
      all.push_back(std::move(one));
    }
  return all;
}

// The guess with the base that the dump shows; nothing where none agrees.
std::optional<Guess> rebased(const Guess& guess, const std::string& layout) {
  const RotationObservation observation = guess.observe(probe_rows(guess.likely.reading, 0, {}));
  for (const auto& proposal : base_of_axes(observation, observation.start())) {
    if (!observation.agrees(proposal.hypothesis)) continue;
    Candidate other = guess.candidate;
    other.given["base"] = identified(spell(proposal.hypothesis.changes.at("base")));
    other.cost = proposal.cost;
    if (auto made = held(other, guess.dump, *guess.expected.rows, layout); made && made->agrees())
      return made;
  }
  return {};
}

bool is_square(const Candidate& candidate) {
  const std::string& grid = candidate.given.at("grid").text;
  const std::size_t cross = grid.rfind('x');
  const std::string_view columns = std::string_view(grid).substr(cross + 1),
                         before = std::string_view(grid).substr(0, cross);
  return before == columns || before.ends_with("x" + std::string(columns));
}

// The guess with the part of the grid that a mask left to be counted; its base, where it is
// another.
std::optional<Guess> masked(const Guess& guess, const std::string& layout) {
  const RotationObservation observation = guess.observe(probe_rows(guess.likely.reading, 0, {}));
  for (const auto& proposal : other_mask(observation, observation.start())) {
    Candidate other = guess.candidate;
    other.given["valid"] = identified(spell(proposal.hypothesis.changes.at("valid")));
    auto made = held(other, guess.dump, *guess.expected.rows, layout);
    if (made && made->agrees()) return made;
    if (made && made->likely.share > 0.2) return rebased(*made, layout);
  }
  return {};
}

// Whether the last axis holds cosine and sine.
bool is_complex(const Dump& dump) {
  const std::vector<Index>& shape = dump.arrays[0].shape;
  return shape.size() > 2 && shape.back() == 2 && dump.before.empty();
}

// Whether so many rows would part the channels of one.
bool cuts_rows(const Dump& dump, Index rows) {
  const std::vector<Index>& shape = dump.arrays[0].shape;
  return is_complex(dump) && dump.arrays[0].size() / rows < 2 * shape.end()[-2];
}

std::vector<Guess> guesses_of(const Dump& dump, std::span<const Index> leading, Index rows,
                              const std::string& layout) {
  const std::vector<Index>& shape = dump.arrays[0].shape;
  const bool complex = is_complex(dump);
  const Index width = complex ? shape.end()[-2] : shape.back();
  std::vector<Guess> all;
  std::map<std::pair<Grid, Index>, bool> known;
  const GridLikelihood likelihood(dump, rows, complex);
  const auto may_be = [&](const Grid& grid) {
    return [&, grid](Index merge) {
      const auto [place, is_new] = known.try_emplace({grid, merge}, true);
      if (is_new) place->second = likelihood.may_be(grid, merge);
      return place->second;
    };
  };
  for (const auto& [name, axes] :
       {std::pair{"sincos-2d", 2}, {"rope-2d", 2}, {"sincos-3d", 3}, {"rope-3d", 3}}) {
    const Encoding& encoding = find_encoding(name);
    const bool is_table = encoding.kind == Kind::table;
    if (is_table && (dump.arrays.size() != 1 || !dump.before.empty())) continue;
    const std::vector<Index> dims =
        is_table || !dump.before.empty() ? std::vector{width} : std::vector{width, 2 * width};
    for (const Index dim : dims)
      for (const Grid& grid : grids_of(leading, rows, static_cast<std::size_t>(axes)))
        for (const Candidate& candidate : candidates_of(encoding, dim, grid, may_be(grid)))
          if (auto guess = held(candidate, dump, rows, layout, true))
            all.push_back(std::move(*guess));
  }
  return all;
}

// A class token has a row beside the grid's: of zeros in a table, which does not turn in others.
std::vector<Index> row_counts_without_tokens(const Dump& dump, Index count) {
  constexpr Index most = 4096;  // FLUX has 512 of text
  const Stored& array = dump.arrays[0];
  if (!dump.before.empty()) return {count, count - 1};
  // The axis that counts them; channels may be as many.
  const auto channels = array.shape.end() - 1,
             axis = std::find(array.shape.begin(), channels, count);
  Index width = *channels;
  if (axis != channels)
    for (auto after = axis + 1; after != channels; ++after) width *= *after;
  std::vector<double> row(static_cast<std::size_t>(width));
  // Zeros or ones at so many rows in turn: rows of tokens, and maybe the first cell of a grid.
  const auto plain = [&](bool from_the_end) {
    for (Index rows = 0; rows < std::min(most, count); ++rows) {
      const Index at = from_the_end ? count - 1 - rows : rows;
      array.read(at * std::ssize(row), std::ssize(row), row.data());
      if (std::ranges::any_of(row, [](double value) { return value != 0 && value != 1; }))
        return rows;
    }
    return most;
  };
  const Index before = plain(false), behind = plain(true);
  if (before == most || behind == most) return {};
  std::vector<Index> counts{count - before - behind};
  if (before > 0) counts.push_back(counts.front() + 1);
  if (behind > 0) counts.push_back(count);  // padding that a mask left out holds no count
  return counts;
}

}  // namespace

std::optional<Identification> identify_grid(const Dump& dump, const std::string& layout) {
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (shape.size() < 2 || is_integer(dump.arrays[0].dtype)) return {};
  const std::span<const Index> leading(shape.data(), dump.before.empty() ? shape.size() - 1 : 0);
  std::vector<Guess> guesses;
  for (const Index count : counts_of_rows(dump)) {
    if (cuts_rows(dump, count)) continue;
    for (const Index rows : row_counts_without_tokens(dump, count))
      if (rows >= 4 && rows <= most_rows)
        std::ranges::move(guesses_of(dump, leading, rows, layout), std::back_inserter(guesses));
  }
  if (guesses.empty()) return {};
  std::ranges::stable_sort(guesses, std::greater{},
                           [](const Guess& one) { return one.likely.share; });
  constexpr std::size_t most = 12;  // guesses whose base is looked for
  std::vector<Guess> agreeing;
  for (std::size_t i = 0; i < guesses.size() && (i < most || guesses[i].agrees()); ++i)
    if (auto guess = guesses[i].agrees() ? std::optional(guesses[i]) : rebased(guesses[i], layout))
      agreeing.push_back(std::move(*guess));
  if (auto best = told(std::move(agreeing), dump)) return best;
  agreeing.clear();
  // A base far from the usual one leaves nothing alike: squares, which most pictures are.
  for (std::size_t i = most; i < std::min(guesses.size(), 2 * most) && agreeing.empty(); ++i)
    if (is_square(guesses[i].candidate))
      if (auto guess = rebased(guesses[i], layout)) agreeing.push_back(std::move(*guess));
  if (auto best = told(std::move(agreeing), dump)) return best;
  agreeing.clear();
  for (const Guess& guess : guesses)
    if (auto other = masked(guess, layout)) agreeing.push_back(std::move(*other));
  if (auto best = told(std::move(agreeing), dump)) return best;
  if (guesses[0].likely.share < 0.5) return {};
  Diagnosis faulty = diagnose(guesses[0].expected, dump);
  // A grid that has not as many cells as there are rows was not seen.
  const auto is_short = [](const Reason& reason) { return reason.cause == Cause::table_short; };
  if (faulty.reasons.empty() || std::ranges::any_of(faulty.reasons, is_short)) return {};
  return told(guesses[0], dump, std::move(faulty));
}

}  // namespace pe
