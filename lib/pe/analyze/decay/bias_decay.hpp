// What a bias adds to the score, by distance, for each head.
#pragma once

#include "pe/analyze/decay/decays.hpp"

namespace pe {

Sheet bias_decay(const Question& question);
ScoreCurve bias_curve(const Question& question);

}  // namespace pe
