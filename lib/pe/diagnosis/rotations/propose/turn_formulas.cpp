// Cosines and sines that went through another formula: without their sign, squared, tangents.
#include "pe/diagnosis/rotations/propose/turn_formulas.hpp"

#include <algorithm>
#include <cmath>

namespace pe {
namespace {

constexpr double no_units(double, double) { return 0; }
constexpr double same_cosine(double c, double) { return c; }
constexpr double same_sine(double, double s) { return s; }
double size_of_cosine(double c, double) { return std::fabs(c); }
double size_of_sine(double, double s) { return std::fabs(s); }

// y = √(1 − x²) where 1 − x² is off by 4 units: y by that over 2y, or by its root.
double units_of_root(double y) {
  constexpr double units = 4, unit = 0x1p-24;
  return std::min(units / std::max(2 * std::fabs(y), 1e-300), std::sqrt(units / unit));
}

constexpr TurnFormula formulas[] = {
    {"sines have lost their sign, as √(1 − cos²) has none", same_cosine, size_of_sine,
     [](double, double s) { return units_of_root(s); }},
    {"cosines have lost their sign, as √(1 − sin²) has none", size_of_cosine, same_sine,
     [](double c, double) { return units_of_root(c); }},
    {"cosines and sines have lost their sign", size_of_cosine, size_of_sine, no_units},
    {"cosines and sines are squared", [](double c, double) { return c * c; },
     [](double, double s) { return s * s; }, [](double, double) { return 4.0; }},
    {"sin·cos stands where sines are meant", same_cosine, [](double c, double s) { return s * c; },
     [](double, double) { return 4.0; }},
    {"tangents stand where sines are meant", same_cosine, [](double c, double s) { return s / c; },
     [](double c, double s) { return 4 * std::fabs(s) / (c * c); }},
};

}  // namespace

RotationProposals other_formulas(const RotationObservation& observation,
                                 const RotationHypothesis& hypothesis) {
  RotationProposals all;
  if (!observation.has_rows() || !observation.has_values() || hypothesis.formula ||
      observation.reading().is_one_sided())
    return all;
  for (const TurnFormula& formula : formulas) {
    all.push_back({hypothesis, formula.sentence});
    all.back().hypothesis.formula = &formula;
  }
  return all;
}

}  // namespace pe
