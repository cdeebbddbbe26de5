// Stretches of rows that stand elsewhere: from a place on positions are off by so much, or go at
// another pace.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "pe/diagnosis/causes.hpp"
#include "pe/diagnosis/rotations/propose/positions.hpp"

namespace pe {
namespace {

// How far a whole position may seem to stand from itself: rounded angles know it by their mean.
double loose(const RotationObservation& observation, double position) {
  if (observation.reading().form != RotationReading::Form::angles) return 0.25;
  return 0.25 + 2 * observation.grain() * std::fabs(position) /
                    std::sqrt(static_cast<double>(observation.pairs()));
}

// From a place on, the position p that is meant is held as pace·p + off.
struct Course {
  Index place;
  double off;
  double pace = 1;

  double of(double meant) const { return pace * meant + off; }
};

// Where the first run's rows stand, asked one by one.
class Places {
 public:
  Places(Kept<RotationObservation> observation, Kept<RotationHypothesis> hypothesis)
      : observation_(observation), hypothesis_(hypothesis) {}

  double meant(Index place) const {
    return hypothesis_.position(observation_.row_of_slot(place), 0);
  }
  double implied(Index place) const {
    return observation_.implied_positions(hypothesis_,
                                          std::vector{observation_.row_of_slot(place)})[0];
  }
  bool follows(const Course& course, Index place, double implied) const {
    const double meant = this->meant(place);
    return std::fabs(implied - course.of(meant)) < loose(observation_, meant);
  }
  // The first place after `good` that leaves the course, found by halving.
  Index end_of(const Course& course, Index good, Index bad) const {
    while (bad - good > 1) {
      const Index middle = good + (bad - good) / 2;
      (follows(course, middle, implied(middle)) ? good : bad) = middle;
    }
    return bad;
  }
  // The course that begins at a place, by it and the two behind it; nothing where these go at no
  // pace of few.
  std::optional<Course> from(Index place) const {
    const double here = std::round(implied(place));
    if (std::isnan(here)) return {};
    for (const double pace : {1.0, 0.0, 2.0, -1.0}) {
      const Course one{place, here - pace * meant(place), pace};
      Index next = place + 1;
      while (next < observation_.slots() && next <= place + 2 && follows(one, next, implied(next)))
        ++next;
      if (next == std::min(place + 3, observation_.slots())) return one;
    }
    return {};
  }

 private:
  const RotationObservation& observation_;
  const RotationHypothesis& hypothesis_;
};

// Every change that the probes of the first run show; as many as there are before one that goes at
// no pace, or where one is shorter than a shift would be, or where there are many.
std::vector<Course> courses_of(const RotationObservation& observation,
                               const RotationHypothesis& hypothesis,
                               const std::vector<ProbeSpot>& all) {
  constexpr std::size_t most = 8;
  constexpr Index shortest = 3;
  const Places places(observation, hypothesis);
  std::vector<Course> courses{{0, std::round(all.front().implied - all.front().meant)}};
  if (const auto first = places.from(0)) courses.front() = *first;

  Index last = 0;
  for (const ProbeSpot& one : all) {
    const Index place = observation.slot(one.row);
    if (one.row != observation.row_of_slot(place)) continue;
    while (!places.follows(courses.back(), place, one.implied)) {
      const Index at = places.end_of(courses.back(), last, place);
      const std::optional<Course> next = places.from(at);
      if (!next || at - courses.back().place < shortest || courses.size() > most) return courses;
      courses.push_back(*next);
      last = at;
    }
    last = place;
  }
  return courses;
}

// "p + 40", "2p − 7", "120".
std::string spell(const Course& course) {
  if (course.pace == 0) return fmt::format("{:.15g}", course.off);
  const std::string p = course.pace == 1    ? "p"
                        : course.pace == -1 ? "−p"
                                            : fmt::format("{:.15g}p", course.pace);
  if (course.off == 0) return p;
  return fmt::format("{} {} {:.15g}", p, course.off < 0 ? "−" : "+", std::fabs(course.off));
}

Proposal<RotationHypothesis> piecewise(const RotationObservation& observation,
                                       const RotationHypothesis& hypothesis,
                                       const std::vector<Course>& courses) {
  const auto as_meant = [](const Course& one) { return one.off == 0 && one.pace == 1; };
  Proposal<RotationHypothesis> one{
      hypothesis, "row p holds position ",
      1 + 0.1 * static_cast<double>(courses.size() - 1) + (as_meant(courses.front()) ? 0 : 0.1)};
  for (std::size_t i = courses.size(); i-- > 0;) {
    if (i == 0 && as_meant(courses[i])) continue;
    one.sentence += fmt::format("{}{}", i + 1 < courses.size() ? ", " : "", spell(courses[i]));
    one.sentence +=
        i == 0 ? " before"
               : fmt::format(" from {:.15g} on",
                             hypothesis.position(observation.row_of_slot(courses[i].place), 0));
  }
  one.hypothesis.position = [before = hypothesis.position, courses,
                             reading = observation.reading()](Index row, std::size_t axis) {
    const auto next = std::ranges::upper_bound(courses, reading.slot(row), {}, &Course::place);
    return std::prev(next)->of(before(row, axis));
  };
  // One sequence behind another: each course starts where the first one does.
  const auto begins = [&](const Course& course) {
    return course.of(hypothesis.position(observation.row_of_slot(course.place), 0));
  };
  if (std::ranges::all_of(courses, [&](const Course& course) {
        return course.pace == 1 && begins(course) == begins(courses.front());
      }))
    one.cause = Cause::position_reset;
  return one;
}

// Where courses are all of one length and each is off by as much more than the one before: chunks
// that begin at the last place of the one before, or leave one out.
std::optional<Proposal<RotationHypothesis>> periodic(const RotationObservation& observation,
                                                     const RotationHypothesis& hypothesis,
                                                     const std::vector<Course>& courses) {
  if (courses.size() < 4) return {};
  const Index length = courses[2].place - courses[1].place, first = courses[1].place;
  const double more = courses[2].off - courses[1].off;
  for (std::size_t i = 1; i < courses.size(); ++i)
    if (courses[i].pace != 1 || courses[i].place != first + static_cast<Index>(i - 1) * length ||
        courses[i].off - courses[i - 1].off != more)
      return {};
  if (courses.front().pace != 1 || first > length) return {};
  Proposal<RotationHypothesis> one{
      hypothesis,
      fmt::format("positions jump by {:+.15g} every {} rows, at rows {}, {}, …{}", more, length,
                  first, first + length,
                  courses.front().off != 0
                      ? fmt::format("; the first holds its position {:+.15g}", courses.front().off)
                      : ""),
      1.2};
  one.hypothesis.position = [before = hypothesis.position, length, first, more,
                             off = courses.front().off,
                             reading = observation.reading()](Index row, std::size_t axis) {
    const Index slot = reading.slot(row), chunks = slot < first ? 0 : (slot - first) / length + 1;
    return before(row, axis) + off + more * static_cast<double>(chunks);
  };
  return one;
}

}  // namespace

RotationProposals jump(const RotationObservation& observation,
                       const RotationHypothesis& hypothesis) {
  const std::vector<ProbeSpot> all = places_of(observation, hypothesis);
  if (all.empty()) return {};
  const std::vector<Course> courses = courses_of(observation, hypothesis, all);
  // Backwards throughout is a cause of its own.
  const bool backwards =
      std::ranges::none_of(courses, [](const Course& one) { return one.pace > 0; });
  if (courses.size() < 2 || backwards) return {};
  // Two rows that were exchanged lie on a line, too, and so do three, with the one between.
  constexpr Index least = 4;
  for (std::size_t i = 0; i < courses.size(); ++i) {
    const Index end = i + 1 < courses.size() ? courses[i + 1].place : observation.slots();
    const bool turns_back = (i > 0 && courses[i - 1].pace == -courses[i].pace) ||
                            (i + 1 < courses.size() && courses[i + 1].pace == -courses[i].pace);
    if (turns_back && end - courses[i].place < least) return {};
  }
  RotationProposals some{piecewise(observation, hypothesis, courses)};
  if (auto one = periodic(observation, hypothesis, courses)) some.push_back(std::move(*one));
  return some;
}

}  // namespace pe
