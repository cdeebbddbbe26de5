// Asks the processor, and picks the kernels.
#include "pe/waves/isa.hpp"

#include "pe/waves/strip.hpp"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pe {

#if defined(__x86_64__)
// clang 14 does not know it by name.
static bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

bool runs_here(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
  if (isa == Isa::neon) return true;
#endif
  return isa == Isa::portable;
}

Isa best_isa() {
  static const Isa best = [] {
    Isa widest = Isa::portable;
    for (const Isa isa : all_isas)
      if (runs_here(isa)) widest = isa;
    return widest;
  }();
  return best;
}

namespace engine {

const Kernels& kernels_of([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512_kernels();
  if (isa == Isa::avx2) return avx2_kernels();
#elif defined(__aarch64__)
  if (isa == Isa::neon) return neon_kernels();
#endif
  return portable_kernels();
}

}  // namespace engine
}  // namespace pe
