// For x86-64 with AVX-512 since VBMI2 (Ice Lake, Zen 4): earlier processors lower their clock for long vectors.
#if defined(__x86_64__)
#include "Kernels.h"
#include <string.h>
#pragma clang attribute push( \
    __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2"))), apply_to = function)
#define NEAREND_KERNELS nearend_kernels_avx512
#define NEAREND_KERNELS_NAME "AVX-512"
#define NEAREND_HAS_LONG_VECTORS
#include "Version.h"
#pragma clang attribute pop
#endif
