// The grids that a dump's rows may be, each convention held against it, and the base out of the
// turns between neighbours on an axis.
#include "pe/diagnosis/diagnose.hpp"
#include "pe/diagnosis/identify/grids.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pe/base/error.hpp"
#include "pe/diagnosis/identify/candidate.hpp"
#include "pe/diagnosis/rotations/propose/coordinates.hpp"
#include "pe/diagnosis/rotations/rotations.hpp"
#include "pe/diagnosis/written.hpp"

namespace pe {
namespace {

constexpr Index most_rows = 1 << 16, most_grids = 48;

using Grid = std::vector<Index>;

// A candidate over one grid, the dump without its rows of tokens, and how far it is the
// candidate's as it stands.
struct Guess {
  Candidate candidate;
  Expectation expected;
  Dump dump;
  LikelyReading likely;
};

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
  std::erase_if(all, [](const Grid& grid) { return std::ranges::min(grid) < 2; });
  std::ranges::stable_sort(
      all, {}, [](const Grid& grid) { return std::ranges::max(grid) / std::ranges::min(grid); });
  if (std::ssize(all) > most_grids) all.resize(most_grids);
  return all;
}

std::vector<std::string> choices_of(const Encoding& encoding, std::string_view name) {
  for (const Parameter& row : schema_of(encoding))
    if (row.name == name && row.choices) return words(row.choices);
  return {};
}

// Heads, or rows of a table, that arrays of so many columns may be of.
std::vector<Index> dims_of(const Encoding& encoding, Index width) {
  if (encoding.kind == Kind::table) return {width};
  return {width, 2 * width};
}

std::vector<Candidate> candidates_of(const Encoding& encoding, Index dim, const Grid& grid) {
  std::vector<Candidate> all;
  const bool merges = std::ranges::any_of(schema_of(encoding), [](const Parameter& row) {
    return row.name == std::string_view("merge");
  });
  for (const std::string& convention : choices_of(encoding, "convention"))
    for (const Index merge : {1, 2}) {
      const bool whole = std::ranges::all_of(grid, [&](Index n) { return n % merge == 0; });
      if (merge > 1 && (!merges || !whole || convention != "qwen2-vl")) continue;
      Candidate one{.encoding = &encoding, .given = {}, .cost = 0, .model = {}};
      one.given = identified({{"dim", std::to_string(dim)},
                              {"grid", fmt::format("{}", fmt::join(grid, "x"))},
                              {"convention", convention}});
      if (merge > 1) one.given["merge"] = identified(std::to_string(merge));
      all.push_back(std::move(one));
    }
  return all;
}

std::optional<Guess> held(const Candidate& candidate, const Dump& dump, Index rows,
                          const std::string& layout) {
  auto expected = expectation_of(candidate, rows, 0, true);
  if (!expected || !rotation_truth(expected->effect)) return {};
  expected->rows = rows;
  expected->layout = layout;
  try {
    Dump written = as_written(*expected, dump).dump;
    LikelyReading likely = likely_reading(*expected, written);
    return Guess{candidate, std::move(*expected), std::move(written), std::move(likely)};
  } catch (const UsageError&) {
    return {};
  }
}

// Every value probed is the guess's own.
bool agrees(const Guess& guess) { return guess.likely.share == 1; }

Identification told(const Guess& guess, const Dump& dump, Index rows, Diagnosis diagnosis) {
  const Encoding& encoding = *guess.candidate.encoding;
  const auto& given = guess.candidate.given;
  Identification found;
  found.encoding = &encoding;
  found.family = encoding.kind == Kind::table ? "table of a grid" : "cache of a grid's turns";
  found.summary = fmt::format("{}, grid {}, convention {}, {} channels", encoding.name,
                              given.at("grid").text, given.at("convention").text,
                              given.at("dim").text);
  for (const char* name : {"base", "merge"})
    if (given.contains(name))
      found.summary += fmt::format(", {} {}", name, given.at(name).text);
  found.parameters = telling(guess.candidate, guess.expected);
  found.command =
      command_of(guess.candidate, guess.expected, rows, 0, "", dump.arrays[0].dtype);
  found.diagnosis = std::move(diagnosis);
  return found;
}

// The guess with the base that the dump shows; nothing where none agrees.
std::optional<Guess> rebased(const Guess& guess, Index rows, const std::string& layout) {
  const RotationObservation observation(guess.expected, guess.dump, guess.likely.reading,
                                        guess.likely.truth,
                                        probe_rows(guess.likely.reading, 0, {}));
  for (const auto& proposal : base_of_axes(observation, observation.start())) {
    if (!observation.agrees(proposal.hypothesis)) continue;
    Candidate other = guess.candidate;
    other.given["base"] = identified(proposal.hypothesis.changes.at("base").text);
    other.cost = proposal.cost;
    if (auto made = held(other, guess.dump, rows, layout); made && agrees(*made)) return made;
  }
  return {};
}

std::vector<Guess> guesses_of(const Dump& dump, std::span<const Index> leading, Index rows,
                              const std::string& layout) {
  const Index width = dump.arrays[0].shape.back();
  std::vector<Guess> all;
  for (const auto& [name, axes] :
       {std::pair{"sincos-2d", 2}, {"rope-2d", 2}, {"sincos-3d", 3}}) {
    const Encoding& encoding = find_encoding(name);
    if (encoding.kind == Kind::table && dump.arrays.size() != 1) continue;
    for (const Index dim : dims_of(encoding, width))
      for (const Grid& grid : grids_of(leading, rows, static_cast<std::size_t>(axes)))
        for (const Candidate& candidate : candidates_of(encoding, dim, grid))
          if (auto guess = held(candidate, dump, rows, layout)) all.push_back(std::move(*guess));
  }
  std::ranges::stable_sort(all, std::greater{},
                           [](const Guess& one) { return one.likely.share; });
  return all;
}

// Rows of zeros before any other, as class tokens have them.
Index rows_of_zeros(const Stored& array) {
  constexpr Index most = 64;
  const Index width = array.shape.back();
  std::vector<double> row(static_cast<std::size_t>(width));
  for (Index count = 0; count < std::min(most, array.size() / width); ++count) {
    array.read(count * width, width, row.data());
    if (std::ranges::any_of(row, [](double value) { return value != 0; })) return count;
  }
  return 0;
}

}  // namespace

std::optional<Identification> identify_grid(const Dump& dump, const std::string& layout) {
  if (!dump.before.empty() || dump.arrays.empty() || dump.arrays[0].shape.size() < 2) return {};
  const std::vector<Index> shape = squeezed(dump.arrays[0].shape);
  if (shape.size() < 2) return {};
  const std::span<const Index> leading(shape.data(), shape.size() - 1);
  const Index rows = product(leading) - rows_of_zeros(dump.arrays[0]);
  if (rows < 4 || rows > most_rows) return {};
  constexpr std::size_t most = 12;  // guesses whose base is looked for
  std::vector<Guess> guesses = guesses_of(dump, leading, rows, layout), agreeing;
  if (guesses.empty()) return {};
  for (std::size_t i = 0; i < guesses.size() && (i < most || agrees(guesses[i])); ++i) {
    const auto guess =
        agrees(guesses[i]) ? std::optional(guesses[i]) : rebased(guesses[i], rows, layout);
    if (guess) agreeing.push_back(*guess);
  }
  std::ranges::stable_sort(agreeing, {}, [](const Guess& one) { return one.candidate.cost; });
  std::optional<Identification> best;
  for (const Guess& guess : agreeing) {
    Diagnosis diagnosis = diagnose(guess.expected, dump);
    if (diagnosis.tier == Tier::wrong) continue;
    Identification found = told(guess, dump, rows, std::move(diagnosis));
    if (!best) {
      best = std::move(found);
      continue;
    }
    best->alternatives.push_back(found.summary + " holds the same numbers");
    best->equals.push_back(found.summary);
  }
  if (best || guesses[0].likely.share < 0.5) return best;
  Diagnosis faulty = diagnose(guesses[0].expected, dump);
  if (!faulty.reasons.empty()) best = told(guesses[0], dump, rows, std::move(faulty));
  return best;
}

}  // namespace pe
