// A table that a solver carries along, beside the solution.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pe/analyze/quantity.hpp"

namespace pe {

struct SolverSteps {
  std::string name;    // rk4/5
  std::string solver;  // as the encoding names it; "" for the recursion in float32
  Index steps = 0;     // from one position to the next; 0: as many as it takes
};

/// Those that --solvers names, or the one that the encoding is told and others worth comparing.
/// Throws UsageError for a name that is none.
std::vector<SolverSteps> solvers_of(const Question& question);

struct DriftPoint {
  double error = 0, worst = 0, distance = 0, norm = 0, fastest = 0;
  Error uncertain = {};  // of each pair
};

/// Positions 0 … last by each solver, beside one solution.
std::vector<std::vector<DriftPoint>> follow(const Question& question,
                                            const std::vector<SolverSteps>& solvers,
                                            std::int64_t last);

}  // namespace pe
