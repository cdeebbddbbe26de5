// Linear and cubic weights, as rational as their definitions.
#include "pe/model/resample.hpp"

#include <algorithm>

namespace pe {
namespace {

// Keys' kernel: 1 at 0, 0 at ±1 and ±2, smooth between.
Real keys(const Real& distance, const Real& a) {
  const Real x = abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : Real(0);
}

Real tent(const Real& distance) { return abs(distance) < 1 ? 1 - abs(distance) : Real(0); }

Index floor_of(const Real& x) { return floor(x).convert_to<Index>(); }

// PyTorch's _upsample_*_aa: the kernel is stretched over the cells that a new cell covers, and its
// weights are divided by their sum.
std::vector<Tap> widened(const Resampling& rule, Index from, const Real& scale, Index i) {
  const Real stretch = scale > 1 ? scale : Real(1), support = stretch * (rule.cubic ? 2 : 1),
             center = scale * (i + Real(0.5));
  const Index first = std::max<Index>(floor_of(center - support + Real(0.5)), 0),
              last = std::min(floor_of(center + support + Real(0.5)), from);
  std::vector<Tap> found;
  Real sum = 0;
  for (Index source = first; source < last; ++source) {
    const Real distance = (source - center + Real(0.5)) / stretch;
    found.push_back({source, rule.cubic ? keys(distance, Real(-0.5)) : tent(distance)});
    sum += found.back().weight;
  }
  for (Tap& tap : found) tap.weight /= sum;
  return found;
}

}  // namespace

std::vector<Tap> taps(const Resampling& rule, Index from, Index to, Index i) {
  const Real scale = Real(from) / (to + Real(rule.nudge));
  if (rule.nearest) return {{std::min(floor_of(i * scale), from - 1), Real(1)}};
  if (rule.antialias) return widened(rule, from, scale, i);
  Real x = rule.corners ? to > 1 ? Real(i) * (from - 1) / (to - 1) : Real(0)
                        : (i + Real(0.5)) * scale - Real(0.5);
  if (!rule.cubic && x < 0) x = 0;
  const Index left = floor_of(x);
  std::vector<Tap> found;
  for (Index source = rule.cubic ? left - 1 : left; source <= left + (rule.cubic ? 2 : 1);
       ++source) {
    const Real weight = rule.cubic ? keys(x - source, Real(-0.75)) : tent(x - source);
    if (weight != 0) found.push_back({std::clamp<Index>(source, 0, from - 1), weight});
  }
  return found;
}

}  // namespace pe
