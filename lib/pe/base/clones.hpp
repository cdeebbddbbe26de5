// Functions compiled once for each kind of processor, chosen when the program starts: the same
// additions in the same order for every instruction set, and no fused multiply-add among them.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
/// The same with all that it calls compiled into it.
#define PE_FLAT_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default"), flatten))
#else
#define PE_CLONES
#define PE_FLAT_CLONES
#endif
