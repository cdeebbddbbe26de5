// Turns that stand as matrices: R(p) of a whole head, or the 2 x 2 blocks of its pairs.
#include <fmt/format.h>

#include <array>

#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/rotations.hpp"

namespace pe {
namespace {

// Where the cosine and the sine of each pair stand in a position's numbers, and what else those
// hold: the cosine again, the sine with the other sign, zeros.
struct Places {
  std::vector<Index> cosine, sine, again, negative;
  Index numbers = 0;
  std::string sentence, flags;
};

// Channels a and b of each pair within d x d numbers.
Places within(Index d, bool adjacent) {
  Places places;
  places.numbers = d * d;
  for (Index j = 0; j < d / 2; ++j) {
    const Index a = adjacent ? 2 * j : j, b = adjacent ? a + 1 : j + d / 2;
    places.cosine.push_back(a * d + a);
    places.again.push_back(b * d + b);
    places.sine.push_back(b * d + a);
    places.negative.push_back(a * d + b);
  }
  places.sentence = fmt::format("each position is a matrix of {0} x {0} that turns channels {1}", d,
                                adjacent ? "2j and 2j+1" : fmt::format("j and j+{}", d / 2));
  places.flags = adjacent && d > 2 ? " --pairing adjacent" : "";
  return places;
}

Places blocks(Index pairs) {
  Places places;
  places.numbers = 4 * pairs;
  for (Index j = 0; j < pairs; ++j) {
    places.cosine.push_back(4 * j);
    places.negative.push_back(4 * j + 1);
    places.sine.push_back(4 * j + 2);
    places.again.push_back(4 * j + 3);
  }
  places.sentence = fmt::format("each position is {} matrices of 2 x 2, one for each pair", pairs);
  return places;
}

// Whether the numbers of some positions are turns at these places, and zeros elsewhere.
bool are_turns(const Stored& flat, const Places& places) {
  const Index rows = flat.shape[0];
  std::vector<double> row(static_cast<std::size_t>(places.numbers));
  const auto at = [&](Index place) { return row[static_cast<std::size_t>(place)]; };
  bool turns = false;
  for (const Index position : std::array{Index{0}, Index{1}, rows / 2, rows - 1}) {
    flat.read(position * places.numbers, places.numbers, row.data());
    Index zeros = 0, free = 0;
    for (std::size_t j = 0; j < places.cosine.size(); ++j) {
      if (at(places.cosine[j]) != at(places.again[j]) ||
          at(places.sine[j]) != -at(places.negative[j]))
        return false;
      for (const auto* side : {&places.cosine, &places.again, &places.sine, &places.negative})
        free += at((*side)[j]) == 0;
      turns = turns || at(places.sine[j]) != 0;
    }
    for (const double value : row) zeros += value == 0;
    if (zeros - free != places.numbers - 4 * std::ssize(places.cosine)) return false;
  }
  return turns;
}

Dump turns_at(const Stored& flat, const Places& places) {
  Dump dump;
  for (const auto& [name, entries] : {std::pair{"cos", &places.cosine}, {"sin", &places.sine}}) {
    dump.arrays.push_back(gathered(flat, 1, *entries));
    dump.arrays.back().name = name;
  }
  return dump;
}

}  // namespace

std::optional<Identification> identify_matrices(const Dump& dump) {
  constexpr Index largest = 1024;
  if (!dump.before.empty() || dump.arrays.size() != 1 || dump.arrays[0].is_complex) return {};
  const Stored& array = dump.arrays[0];
  const std::vector<Index>& shape = array.shape;
  if (shape.size() < 3 || shape.back() != shape.end()[-2] || is_integer(array.dtype)) return {};
  const Index d = shape.back();
  if (d % 2 != 0 || d > largest) return {};
  std::vector<Places> readings;
  if (d == 2 && shape.size() >= 4 && shape.end()[-3] <= largest)
    readings.push_back(blocks(shape.end()[-3]));
  for (const bool adjacent : {false, true}) readings.push_back(within(d, adjacent));
  for (const Places& places : readings) {
    Stored flat = array;
    flat.shape = {array.size() / places.numbers, places.numbers};
    if (flat.shape[0] < 3 || !are_turns(flat, places)) continue;
    auto found = identify_turns(turns_at(flat, places), "", Admit::whole_tables);
    if (!found || !found->encoding || found->diagnosis.tier == Tier::wrong) continue;
    found->family = "matrices of turns";
    found->diagnosis.notes.push_back(places.sentence);
    if (const auto fields = found->command.find(" --fields cos,sin"); fields != std::string::npos)
      found->command.replace(fields, 17, places.flags + " --fields matrix");
    return found;
  }
  return {};
}

}  // namespace pe
