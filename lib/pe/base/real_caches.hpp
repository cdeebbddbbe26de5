// What MPFR keeps for each thread.
#pragma once

#include <mpfr.h>

namespace pe {

/// A thread that may compute with Real holds one, so that its end gives back the constants that
/// MPFR cached for it.
struct RealCaches {
  RealCaches() = default;
  ~RealCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  RealCaches(const RealCaches&) = delete;
  RealCaches& operator=(const RealCaches&) = delete;
};

}  // namespace pe
