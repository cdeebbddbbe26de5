// mrope: the sections of the models of the catalogue, and the text, images and videos that the
// positions on the three axes show.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/guess.hpp"
#include "pe/diagnosis/identify/ladder.hpp"

namespace pe {
namespace {

// Time and height of a row. Width is not read: its pairs may turn too slowly for a short type, and
// the row in which the height goes on says as much.
using Standing = std::array<std::int64_t, 2>;

// A run of rows: text where it has no extents, else frames of rows and columns.
struct Block {
  Index rows = 0;
  std::array<Index, 3> extents{};
};

// How many rows from `at` on have this standing.
Index run_from(const std::vector<Standing>& places, std::size_t at, const Standing& standing) {
  std::size_t end = at;
  while (end < places.size() && places[end] == standing) ++end;
  return static_cast<Index>(end - at);
}

// Rows that stand still are columns of a picture, runs of them its lines, and lines that begin
// again its frames. A picture of one column goes down and leaves the time where it is.
Block block_at(const std::vector<Standing>& places, std::size_t at, std::int64_t& interval) {
  const Standing first = places[at];
  const Index columns = run_from(places, at, first);
  const auto lines_from = [&](std::size_t start, std::int64_t time) {
    Index lines = 0;
    while (run_from(places, start + static_cast<std::size_t>(lines * columns),
                    {time, first[1] + lines}) >= columns)
      ++lines;
    return lines;
  };
  const Index lines = lines_from(at, first[0]);
  if (columns == 1 && lines == 1) return {1, {}};
  const auto plane = static_cast<std::size_t>(lines * columns);
  Index frames = 1;
  if (at + plane < places.size() && places[at + plane][1] == first[1] &&
      places[at + plane][0] > first[0]) {
    interval = places[at + plane][0] - first[0];
    while (lines_from(at + static_cast<std::size_t>(frames) * plane,
                      first[0] + frames * interval) >= lines)
      ++frames;
  }
  return {frames * static_cast<Index>(plane), {frames, lines, columns}};
}

// "text:5,image:4x6,text:3"; the last block may go on behind the rows that are there.
std::string segments_of(const std::vector<Standing>& places, std::int64_t& interval) {
  std::string text;
  Index words = 0;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  const auto end_text = [&] {
    if (words > 0) add(fmt::format("text:{}", words));
    words = 0;
  };
  for (std::size_t at = 0; at < places.size();) {
    const Block block = block_at(places, at, interval);
    const auto [frames, lines, columns] = block.extents;
    if (frames == 0) {
      ++words;
    } else {
      end_text();
      add(frames == 1 ? fmt::format("image:{}x{}", lines, columns)
                      : fmt::format("video:{}x{}x{}", frames, lines, columns));
    }
    at += static_cast<std::size_t>(block.rows);
  }
  end_text();
  return text;
}

// One row for each position; of caches that hold the axes one after another those of one axis.
std::vector<Index> first_rows(const Guess& guess, Index rows, std::size_t axis = 0) {
  const RotationReading& reading = guess.likely.reading;
  const Index before = reading.per_axis ? static_cast<Index>(axis) * reading.run : 0;
  std::vector<Index> all(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = before + static_cast<Index>(i) * (reading.run > 0 ? reading.stride : 1);
  return all;
}

// Where the rows stand in time and height, as their phases tell; nothing where those are no whole
// numbers. Vectors of short types leave a third of a step open.
std::vector<Standing> places_of(const Guess& guess, Index rows) {
  std::vector<Standing> places(static_cast<std::size_t>(rows));
  for (std::size_t axis = 0; axis < std::tuple_size_v<Standing>; ++axis) {
    const std::vector<Index> all = first_rows(guess, rows, axis);
    const RotationObservation observation = guess.observe(all);
    const std::vector<double> implied =
        observation.implied_positions(observation.start(), all, axis);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!(std::fabs(implied[i] - std::round(implied[i])) < 0.34)) return {};
      places[i][axis] = std::llround(implied[i]);
    }
  }
  return places;
}

// mrope as the models of the catalogue have it, once each, over text alone; each with the bases of
// the others, too.
std::vector<Candidate> candidates_of(Index rows) {
  std::vector<Candidate> all;
  for (const Candidate& model : guesses_of_models()) {
    if (model.encoding->name != "mrope") continue;
    for (const std::string& base :
         {model.given.at("base").text, std::string("10000"), std::string("500000"),
          std::string("1000000"), std::string("5000000")}) {
      Candidate one{.encoding = model.encoding, .given = model.given, .cost = 0, .model = {}};
      one.given["base"] = identified(base);
      one.given["segments"] = identified(fmt::format("text:{}", rows));
      for (const char* untold : {"max-position", "scaling"}) one.given.erase(untold);
      const auto same = [&](const Candidate& other) {
        return std::ranges::equal(one.given, other.given, [](const auto& a, const auto& b) {
          return a.first == b.first && a.second.text == b.second.text;
        });
      };
      if (std::ranges::none_of(all, same)) all.push_back(std::move(one));
    }
  }
  return all;
}

// What every pair is measured to turn by along its own axis.
Measured measured_by(const Guess& guess, Index rows) {
  const RotationObservation observation = guess.observe(first_rows(guess, rows));
  const RotationHypothesis start = observation.start();
  return {.frequencies = observation.measured(start),
          .amplitude = observation.amplitude(),
          .has_amplitude = observation.has_amplitude(),
          .exact = false,
          .errors = observation.measured_errors(start)};
}

// Text in front turns the first pair by 1 a position, or by 1/s where all positions are divided.
std::optional<Candidate> interpolated(const Guess& text, Index rows) {
  const Measured measured = measured_by(text, rows);
  const double first = measured.frequencies[0], error = measured.errors[0];
  if (!(first > 0) || !(first < 0.99) || !(error < 0.01 * first)) return {};
  Candidate slow = text.candidate;
  slow.given["scaling"] = identified("linear");
  slow.given["factor"] = identified(spell_number(tidiest(1 / first, error / first).value));
  slow.cost += 0.2;
  return slow;
}

// The same sections over every scaled ladder that comes near.
std::optional<Guess> scaled(const Guess& plain, const Dump& dump, Index rows,
                            const std::string& layout) {
  for (const Candidate& ladder : scaled_guesses(measured_by(plain, rows))) {
    Candidate one = plain.candidate;
    for (const auto& [name, value] : ladder.given)
      if (name != "dim" && name != "rotary-dim") one.given[name] = value;
    one.cost += ladder.cost;
    auto guess = held(one, dump, rows, layout);
    if (guess && guess->agrees()) return guess;
  }
  return {};
}

}  // namespace

std::optional<Identification> identify_sections(const Dump& dump, const std::string& layout) {
  constexpr Index most_rows = 1 << 14;
  std::vector<Guess> agreeing, near;
  for (const Index rows : counts_of_rows(dump)) {
    if (rows > most_rows) continue;
    for (Candidate candidate : candidates_of(rows)) {
      auto text = held(candidate, dump, rows, layout);
      const auto reads_rows = [&] {
        const RotationReading& reading = text->likely.reading;
        return (reading.run > 0 ? reading.run : reading.rows) == rows;
      };
      if (!text || !reads_rows()) continue;
      if (const auto slow = interpolated(*text, rows)) {
        candidate = *slow;
        text = held(candidate, dump, rows, layout);
        if (!text || !reads_rows()) continue;
      }
      std::int64_t interval = 1;
      const std::vector<Standing> places = places_of(*text, rows);
      // Where nothing moves, channels that do not turn were taken for those that do.
      const auto is_first = [&](const Standing& one) { return one == places.front(); };
      if (places.empty() || std::ranges::all_of(places, is_first)) continue;
      const std::string segments = segments_of(places, interval);
      // Text alone turns as plain rope does.
      if (segments.find("image") == std::string::npos &&
          segments.find("video") == std::string::npos)
        continue;
      candidate.given["segments"] = identified(segments);
      if (interval > 1) candidate.given["time-interval"] = identified(std::to_string(interval));
      for (const char* advance : {"space", "all"}) {
        candidate.given["advance"] = identified(advance);
        auto guess = held(candidate, dump, rows, layout);
        if (!guess) continue;
        if (!guess->agrees()) {
          near.push_back(std::move(*guess));
          continue;
        }
        agreeing.push_back(std::move(*guess));
        break;
      }
    }
  }
  // Of models whose sections and pairs are alike one is enough.
  std::set<std::vector<std::string>> asked;
  for (const Guess& plain : near) {
    std::vector<std::string> key{std::to_string(*plain.expected.rows)};
    for (const auto& [name, value] : plain.candidate.given)
      if (name != "base") key.push_back(value.text);
    if (!agreeing.empty() || !asked.insert(key).second) continue;
    if (auto guess = scaled(plain, dump, *plain.expected.rows, layout))
      agreeing.push_back(std::move(*guess));
  }
  const bool is_whole = !agreeing.empty() && agreeing.front().likely.reading.per_axis;
  auto found = told(std::move(agreeing), dump);
  if (found && is_whole)
    found->alternatives.push_back(
        "every axis has all of its pairs here: which of them each section takes shows later, and "
        "these sections are those of a model");
  return found;
}

}  // namespace pe
