// Resampling: which rows of a table a row between or beyond them is made of, and by what weights.
#pragma once

#include <string_view>
#include <vector>

#include "pe/base/dtype.hpp"
#include "pe/base/real.hpp"

namespace pe {

struct Tap {
  Index source = 0;
  Real weight;
};

/// How `from` samples become `to` of them.
struct Resampling {
  bool cubic = false;    // Keys' convolution over four samples; else linear over two
  bool corners = false;  // first and last samples stay where they are; else samples are the middles
                         // of equal cells
  bool nearest = false;  // one sample, that at ⌊i · from / to⌋, and no other
  bool antialias = false;  // the kernel widens where samples get fewer; cubic then has a = −0.5
                           // instead of −0.75 (PyTorch, as Pillow)
  const char* nudge =
      "0";  // the scale is to + nudge over from, though `to` samples are taken (DINO's +0.1)
};

/// The samples of new sample i; weights add to 1. Beyond the ends the last sample goes on.
/// (PyTorch's interpolate; Keys 1981, eq. 4.)
std::vector<Tap> taps(const Resampling& rule, Index from, Index to, Index i);

}  // namespace pe
