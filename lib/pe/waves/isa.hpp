// Which instruction sets the engine can run on, and which one this processor prefers.
#pragma once

#include <cstdint>

namespace pe {

enum class Isa : std::uint8_t { portable, neon, avx2, avx512 };

/// Each of them, a wider one behind a narrower.
inline constexpr Isa all_isas[] = {Isa::portable, Isa::neon, Isa::avx2, Isa::avx512};

/// True when this build holds the kernels and this processor (and its system) can run them.
/// neon means 64-bit ARM, whatever it has beside; avx2 means AVX2, FMA and F16C; avx512 means F,
/// DQ, BW and VL.
bool runs_here(Isa isa);

/// The widest that runs here.
Isa best_isa();

}  // namespace pe
