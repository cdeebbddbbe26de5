// The curves of a rotation's decay, and the settings they depend on.
#pragma once

#include <vector>

#include "pe/analyze/decay/decays.hpp"

namespace pe {

/// Pairs that turn, channels that pass through, and how queries and keys are distributed.
struct DecaySetting {
  Index pairs = 0, passed = 0;
  double mean = 0, correlation = 0;
  double scale = 1;  // of scores
};
DecaySetting decay_setting(const Question& question);

/// One value for each distance.
struct RotationDecay {
  std::vector<double> abel, sum, mean, ones, gaussian_mean, gaussian_sd, triangle, envelope;
  std::vector<double> drawn_mean, drawn_sd;  // empty without --draws
  double unit = 0;                           // absolute error of a sum over the pairs
  double score = 0, sd = 0;                  // of `ones`, and of the deviation
};
RotationDecay decay_of(const Question& question, const std::vector<Index>& chosen);

/// Every column, and the one curve that --score chooses.
Sheet rotation_decay(const Question& question);
ScoreCurve rotation_curve(const Question& question);

}  // namespace pe
