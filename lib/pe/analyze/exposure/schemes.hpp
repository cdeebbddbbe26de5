// Ways to train or to infer beyond a length: the chance that training shows each relative distance.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pe/base/dtype.hpp"

namespace pe {

struct SchemeSettings {
  Index trained = 0, length = 0;               // L: positions of an example; N: those wanted
  Index rerope_window = 0, extend_window = 0;  // w
  double leak = 16;                            // k: what divides distances beyond the window
  Index group = 8;                             // G
  Index samples = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  std::function<void(double share)> advance = {};
};

/// For the distances 1 … N − 1, at index distance − 1.
struct Exposure {
  std::vector<double> probability;     // that training shows what stands for the distance
  std::vector<double> standard_error;  // of a Monte Carlo estimate; 0: exact
  double error = 0;                    // bound of every probability that has no standard error
  std::vector<double> least, most;     // relative positions that stand for the distance
};

/// PoSE with two chunks or more: lengths and skips drawn one after the other, as the authors' code
/// does. Two chunks exactly, more by Monte Carlo.
Exposure pose_exposure(const SchemeSettings& settings, Index chunks);

/// `trained` positions drawn out of `length` without replacement.
Exposure randpos_exposure(const SchemeSettings& settings);

/// Plain training; ReRoPE, Leaky ReRoPE and Self-Extend, which map distances when inferring.
Exposure original_exposure(const SchemeSettings& settings);
Exposure rerope_exposure(const SchemeSettings& settings, double leak);
Exposure self_extend_exposure(const SchemeSettings& settings);

}  // namespace pe
