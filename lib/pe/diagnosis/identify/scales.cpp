// xpos: vectors whose pairs grow as they turn, and caches that carry the scales, by the base and
// the scale base that they show.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pe/base/spread.hpp"
#include "pe/diagnosis/identify/axes.hpp"
#include "pe/diagnosis/identify/guess.hpp"
#include "pe/diagnosis/identify/ladder.hpp"
#include "pe/scalings/fit.hpp"

namespace pe {
namespace {

// What a dump leaves open of xpos before anyone has looked at its numbers.
struct Form {
  Index dim;
  const char *name, *channels;  // of vectors --pairing, of caches --layout
};

// How channels pair up in vectors; the columns of a cache, for channels where its last row has each
// number twice.
std::vector<Form> forms_of(const Dump& dump) {
  const Stored& array = dump.arrays[0];
  const Index width = array.shape.back();
  if (!dump.before.empty()) return {{width, "pairing", "adjacent"}, {width, "pairing", "halves"}};
  std::vector<double> row(static_cast<std::size_t>(width));
  array.read(array.size() - width, width, row.data());
  const auto twice = [&](std::size_t step, std::size_t to) {
    for (std::size_t j = 0; j < row.size() / 2; ++j)
      if (row[step * j] != row[step * j + to]) return false;
    return width % 2 == 0;
  };
  if (twice(1, row.size() / 2)) return {{width, "layout", "halves"}};
  if (twice(2, 1)) return {{width, "layout", "adjacent"}};
  return {{2 * width, "layout", "pairs"}};
}

Candidate xpos_of(const Form& form, const char* center) {
  return {.encoding = &find_encoding("xpos"),
          .given = identified(
              {{"dim", std::to_string(form.dim)}, {"center", center}, {form.name, form.channels}}),
          .cost = 0,
          .model = {}};
}

// Whether some vectors are longer or shorter than they were by more than two roundings.
bool have_grown(const Stored& before, const Stored& after) {
  constexpr Index most = 256;
  const Index width = after.shape.back();
  const double near = 2 * std::max(unit_roundoff(after.dtype), unit_roundoff(before.dtype));
  std::vector<double> x(static_cast<std::size_t>(width)), y = x;
  const auto length = [](const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  };
  for (const Index row : spread_over(after.size() / width, most)) {
    before.read(row * width, width, x.data());
    after.read(row * width, width, y.data());
    if (std::fabs(length(y) - length(x)) > near * length(x)) return true;
  }
  return false;
}

// Vectors, or cosines and sines, whose amplitude is not the same everywhere: all others are not
// worth the trouble.
bool may_grow(const Dump& dump) {
  if (!dump.before.empty()) return have_grown(dump.before[0], dump.arrays[0]);
  if (dump.arrays.size() != 2 || dump.arrays[0].shape != dump.arrays[1].shape ||
      dump.arrays[0].shape.size() < 2)
    return false;
  const Index count = std::min<Index>(dump.arrays[0].size(), 4096);
  std::vector<double> cosine(static_cast<std::size_t>(count)), sine(cosine.size());
  dump.arrays[0].read(0, count, cosine.data());
  dump.arrays[1].read(0, count, sine.data());
  double least = HUGE_VAL, most = 0;
  for (std::size_t i = 0; i < cosine.size(); ++i) {
    const double size = std::hypot(cosine[i], sine[i]);
    least = std::min(least, size);
    most = std::max(most, size);
  }
  return most > least * 1.01 + 8 * unit_roundoff(dump.arrays[0].dtype);
}

// The scale base B: the first pair grows by |ln ζ_0|/B from position to position, ζ_0 = 0.4/1.4.
// Nothing where it does not grow evenly.
std::optional<TidyNumber> scale_base_of(const RotationObservation& observation) {
  constexpr double uneven = 0.02;
  std::vector<std::pair<double, double>> seen;  // steps from the first row, and ln of the growth
  const auto size = [&](std::size_t i) {
    return std::log(std::hypot(observation.cosine(i, 0), observation.sine(i, 0)));
  };
  double above = 0, below = 0;
  for (std::size_t i = 1; i < observation.rows().size(); ++i) {
    const double steps = static_cast<double>(observation.slot(observation.rows()[i]) -
                                             observation.slot(observation.rows()[0])),
                 grown = size(i) - size(0);
    seen.emplace_back(steps, grown);
    above += steps * grown;
    below += steps * steps;
  }
  const double slope = above / below;
  for (const auto& [steps, grown] : seen)
    if (!(std::fabs(grown - slope * steps) < uneven)) return {};
  const double value = std::fabs(std::log(0.4 / 1.4) / slope);
  return tidiest(value, 64 * unit_roundoff(observation.dtype()) * value / std::sqrt(below));
}

constexpr double longest = 1e6;  // positions; pairs that grow more slowly do not grow

// The guess with the scale base and the bases that the vectors show.
std::vector<Candidate> fitted(const Guess& guess) {
  const RotationObservation observation = guess.observe(probe_rows(guess.likely.reading, 0, {}));
  const auto scale_base = scale_base_of(observation);
  std::vector<Candidate> all;
  if (!scale_base || !(scale_base->value < longest)) return all;
  Measured measured;
  for (const double f : observation.measured()) measured.frequencies.push_back(std::fabs(f));
  measured.errors = observation.measured_errors(observation.start());
  for (const Candidate& ladder : plain_guesses(measured)) {
    Candidate one = guess.candidate;
    one.given["base"] = ladder.given.at("base");
    one.given["scale-base"] = identified(fmt::format("{}", scale_base->value));
    one.cost = 1 + ladder.cost;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

namespace {

// What agrees in one form, or agrees but for the position where scales are 1.
struct Found {
  std::vector<Guess> agreeing, others;
};

Found looked_for(const Form& form, const Dump& dump, Index rows, const std::string& layout) {
  Found found;
  for (const char* center : {"middle", "middle-floor", "zero"}) {
    if (rows % 2 == 0 && std::string_view(center) == "middle-floor") continue;  // the same one
    const auto guess = held(xpos_of(form, center), dump, rows, layout);
    if (!guess) continue;
    const std::vector<Candidate> candidates = fitted(*guess);
    if (candidates.empty()) break;
    if (guess->agrees()) found.agreeing.push_back(*guess);
    for (std::size_t i = 0; found.agreeing.empty() && i < candidates.size(); ++i)
      if (auto other = held(candidates[i], dump, rows, layout); other && other->agrees())
        found.agreeing.push_back(std::move(*other));
      else if (other && i == 0)
        found.others.push_back(std::move(*other));
  }
  return found;
}

}  // namespace

std::optional<Identification> identify_scales(const Dump& dump, const std::string& layout) {
  const Dump one = dump.before.empty() ? sided_caches(dump).front().dump : dump;
  if (!may_grow(one)) return {};
  for (const Index rows : counts_of_rows(one))
    for (const Form& form : forms_of(one)) {
      Found found = looked_for(form, one, rows, layout);
      for (auto* guesses : {&found.agreeing, &found.others})
        if (auto one_told = told(std::move(*guesses), dump)) return one_told;
    }
  return {};
}

}  // namespace pe
