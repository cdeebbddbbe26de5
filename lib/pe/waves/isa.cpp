// Asks the processor, and picks the kernels.
#include "pe/waves/isa.hpp"

#include "pe/waves/strip.hpp"

namespace pe {

bool runs_here(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::portable:
      return true;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("f16c");
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
