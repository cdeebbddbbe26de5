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
  switch (isa) {
    case Isa::portable:
      return true;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::portable;
}

Isa best_isa() {
  static const Isa best = runs_here(Isa::avx512) ? Isa::avx512
                          : runs_here(Isa::avx2) ? Isa::avx2
                                                 : Isa::portable;
  return best;
}

namespace engine {

const Kernels& kernels_of([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512_kernels();
  if (isa == Isa::avx2) return avx2_kernels();
#endif
  return portable_kernels();
}

}  // namespace engine
}  // namespace pe
