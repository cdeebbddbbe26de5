// Fitting scalings: what a measured ladder says of a rule's parameters.
#pragma once

#include <optional>
#include <vector>

#include "pe/model/frequencies.hpp"
#include "pe/model/settings.hpp"

namespace pe {

struct Scaling;

/// A ladder that was measured, over a plain one that is supposed to lie under it.
struct MeasuredLadder {
  BasicLadder<double> plain;        // supposed
  std::vector<double> frequencies;  // radians per position; NaN where unknown
  std::vector<double> errors;       // bound of each frequency's error
  std::optional<double> amplitude;  // of cosines and sines, where they are there
  double amplitude_error = 0;
  double length = 0;      // positions of the table; 0: unknown
  Settings context = {};  // what is meant, or what goes with it: values to be tried first

  std::size_t pairs() const { return frequencies.size(); }
  /// Whether pair j is known well enough to tell anything.
  bool knows(std::size_t j) const { return frequencies[j] > 0 && errors[j] < 0.3 * frequencies[j]; }
  /// plain/measured, and its relative error.
  double divisor(std::size_t j) const { return plain.frequencies[j] / frequencies[j]; }
  double relative_error(std::size_t j) const { return errors[j] / frequencies[j]; }
};

/// Parameters that a rule may have had; dearer where it takes more digits to say them.
struct ScalingFit {
  Settings settings;
  double cost = 0;
};
using ScalingFits = std::vector<ScalingFit>;

/// The fit of a scaling's row. A row without one does not compile; one that cannot have it says
/// why.
struct ScalingFitter {
  constexpr ScalingFitter(ScalingFits (*fitter)(const MeasuredLadder& measured))
      : function(fitter) {}
  constexpr ScalingFitter(std::nullptr_t, std::string_view why) : reason(why) {}

  ScalingFits (*function)(const MeasuredLadder& measured) = nullptr;
  std::string_view reason = {};
};

/// A number out of an interval: the one of fewest digits, or a power of two. A digit costs 0.01 up
/// to three and 0.25 and more beyond: a number that was found and not meant has as many as the
/// measurement tells.
struct TidyNumber {
  double value = 0, cost = 0;
};
TidyNumber tidiest_between(double lowest, double highest);
inline TidyNumber tidiest(double value, double relative_error) {
  return tidiest_between(value * (1 - relative_error), value * (1 + relative_error));
}

/// No config stretches a context farther; beyond, a ladder is another base or none.
constexpr double most_stretched = 1e4;

/// Whether a ladder lies within the errors of what was measured.
bool agrees(const MeasuredLadder& measured, const std::vector<double>& frequencies);

/// λ where plain_j / measured_j = λ^weight(j), from every pair as sharply as it is known; 0 where
/// nothing is known. Its relative error is that of the sharpest pair.
struct Stretch {
  double value = 0, relative_error = 0;
};
Stretch fitted_stretch(const MeasuredLadder& measured, double (*weight)(double pair, double dim));

/// Factors that the slowest pairs may have been divided by; the context's, where it is among them,
/// first.
std::vector<TidyNumber> fitted_factors(const MeasuredLadder& measured);

/// Lengths that a model may first have been trained on, likely ones cheap.
std::vector<TidyNumber> known_lengths(const MeasuredLadder& measured);

/// One parameter of the context changed, the others kept: numbers are searched for, words and flags
/// tried one by one.
struct ParameterFit {
  const Parameter* parameter = nullptr;
  ScalingFit fit;
};
std::vector<ParameterFit> fit_one_parameter(const Scaling& scaling, const MeasuredLadder& measured);

/// What the catalogue makes of a measured ladder: of each row the few cheapest fits that agree and
/// give ladders of their own; none where the plain ladder agrees already. A list of divisors, which
/// has a number for every pair and so fits anything, is left out.
struct FittedLadder {
  const Scaling* scaling = nullptr;
  Settings settings;
  double cost = 0;
  BasicLadder<double> ladder;
};
std::vector<FittedLadder> fitted_ladders(const MeasuredLadder& measured);

/// The ladder that settings give; nothing where the rule refuses them.
std::optional<BasicLadder<double>> sketched(const Scaling& scaling, const MeasuredLadder& measured,
                                            const Settings& settings);

}  // namespace pe
