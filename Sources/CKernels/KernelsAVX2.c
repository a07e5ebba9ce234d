// For x86-64 with AVX2 and FMA (2013 and later).
#if defined(__x86_64__)
#include "Kernels.h"
#include <string.h>
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define NEAREND_KERNELS nearend_kernels_avx2
#define NEAREND_KERNELS_NAME "AVX2"
#define NEAREND_HAS_AVX2
#include "Version.h"
#pragma clang attribute pop
#endif
