// drift: how far solvers carry a table from the solution of its differential equation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pe/analyze/drift/trajectories.hpp"
#include "pe/analyze/quantity.hpp"
#include "pe/base/error.hpp"

namespace pe::quantity_rows {
namespace {

constexpr Parameter options[] = {
    {.name = "solvers",
     .type = Parameter::Type::name,
     .help = "NAME,...: euler/N and rk4/N, N equal steps a position; dopri5, adaptive; recursion, "
             "one turn a position, and 'recursion float32', the same in that type (default: those "
             "worth comparing)"}};

// Positions of the sheet: those that are asked for, or some up to the last, two in each octave.
std::vector<std::int64_t> places_of(const Question& question) {
  const PositionRange& run = question.subject.span.positions;
  if (run.decimals != 0 || run.first < 0 || run.at(run.count - 1) < 0)
    throw UsageError(
        fmt::format("--positions must be whole and not below 0, where the solution starts; got {}",
                    spell(run)));
  std::vector<std::int64_t> places;
  if (question.subject.positions_origin == "flag --positions") {
    for (Index i = 0; i < run.count; ++i) places.push_back(run.at(i));
    return places;
  }
  const std::int64_t last = run.at(run.count - 1);
  for (int half = 0; half < 106; ++half) {
    const auto place = static_cast<std::int64_t>(std::llround(std::exp2(half / 2.0)));
    if (place < last) places.push_back(place);
  }
  places.push_back(0);
  places.push_back(last);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::string worst_note(const std::vector<SolverSteps>& solvers,
                       const std::vector<std::vector<DriftPoint>>& found, std::int64_t last) {
  std::string text;
  for (std::size_t i = 0; i < solvers.size(); ++i)
    text += fmt::format("{}{} {:.3g}", i == 0 ? "" : ", ", solvers[i].name, found[i].back().worst);
  return fmt::format("largest error up to position {}: {}", last, text);
}

Sheet measure(const Question& question) {
  const std::vector<std::int64_t> places = places_of(question);
  const std::vector<SolverSteps> solvers = solvers_of(question);
  const std::int64_t last = std::ranges::max(places);
  std::vector<std::string> names;
  for (const SolverSteps& solver : solvers) names.push_back(solver.name);
  const std::vector<std::vector<DriftPoint>> found = follow(question, solvers, last);
  Sheet sheet;
  sheet.axes = {named_axis("solver", names, "and its steps from one position to the next"),
                placed_axis("position", {places.begin(), places.end()}, "position of the row")};
  const auto dim = static_cast<double>(question.subject.parameters.integer("dim"));
  const auto column = [&](std::string name, std::string description, double DriftPoint::*value) {
    Column made{std::move(name), std::move(description), {}};
    for (const auto& points : found)
      for (const std::int64_t place : places) {
        const DriftPoint& point = points[static_cast<std::size_t>(place)];
        Error uncertain = point.uncertain;
        if (value == &DriftPoint::distance) uncertain.absolute *= std::sqrt(dim);
        made.values.push_back(rounded(point.*value, uncertain));
      }
    sheet.columns.push_back(std::move(made));
  };
  const bool pairs = question.subject.parameters.choice("dynamics") == "rotation";
  column("error",
         pairs ? "largest distance of a pair from the solution"
               : "largest distance of a number from dopri5's at 1e-14",
         &DriftPoint::error);
  column("worst", "the largest of any position up to here", &DriftPoint::worst);
  column("distance", "Euclidean distance of the row", &DriftPoint::distance);
  column("norm", "Euclidean norm of the row over the solution's", &DriftPoint::norm);
  column("fastest", "length of the first pair over its first length", &DriftPoint::fastest);
  sheet.notes = {worst_note(solvers, found, last)};
  return sheet;
}

}  // namespace

extern constinit const Quantity drift{
    .name = "drift",
    .also = "solver 漂移 求解器",
    .summary = "how far solvers carry a table from the solution of its differential equation",
    .definition =
        "error |z'_j(p) - z_j(p)| of pair j, z_j(p) = exp(-i p theta_j) z_j(0) for dp/dt = h(t, p) "
        "a rotation, else number by number against dopri5 at a tolerance of 1e-14; rk4 multiplies "
        "z_j by R(x) = 1 + x + x^2/2 + x^3/6 + x^4/24, x = -i theta_j/N, at each of N steps a "
        "position, |R(i)| = 0.993905; euler by 1 + x",
    .source = "Liu et al. 2020, arXiv:2003.09229, eq. 2; Hairer, Norsett & Wanner 1993, II.1",
    .accuracy =
        "of euler and rk4 the method's own error, without 40 roundings of doubles a step; of "
        "others what doubles came to.",
    .columns = "error worst distance norm fastest",
    .subjects = "floater",
    .parameters = options,
    .example = "floater --dim 512 --solvers rk4/1,rk4/2,rk4/5,rk4/10",
    .usual_length = 513,
    .measure = &measure,
};

}  // namespace pe::quantity_rows
