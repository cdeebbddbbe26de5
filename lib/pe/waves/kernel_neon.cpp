// The kernels for NEON.
#include "pe/waves/kernel.hpp"
#include "pe/waves/lanes_neon.hpp"

namespace pe::engine {

const Kernels& neon_kernels() {
  static const Kernels kernels = KernelSet<Neon>::all();
  return kernels;
}

}  // namespace pe::engine
