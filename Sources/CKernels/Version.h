// One version of the kernels, included by the file that selects the instruction set. Vectors have eight lanes, sixteen in the
// suppressor; the compiler splits those that are longer than a register.
#include "Kernels.h"

#include <string.h>

#pragma STDC FP_CONTRACT ON

typedef float lanes __attribute__((vector_size(32)));
typedef float wide __attribute__((vector_size(64)));

#define INLINE static inline __attribute__((always_inline))
#define SHUFFLE __builtin_shufflevector

#define LOAD_AS(type, p) ({ type loaded; memcpy(&loaded, (p), sizeof loaded); loaded; })
#define LOAD(p) LOAD_AS(lanes, p)
#define LOAD_WIDE(p) LOAD_AS(wide, p)
#define STORE(p, v) ({ __typeof__(v) stored = (v); memcpy((p), &stored, sizeof stored); })
typedef int masks __attribute__((vector_size(32)));
typedef int wide_masks __attribute__((vector_size(64)));

#define POSITIVE(v) ((lanes)((masks)(v) & ((v) > ALL(0))))
#define ALL(x) ((lanes){(x), (x), (x), (x), (x), (x), (x), (x)})
#define EVERY(x) ((wide){(x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x), (x)})

// clang 17, which Swift 6.0 has, lacks this function.
#if __has_builtin(__builtin_elementwise_sqrt)
#define ROOTS(v) __builtin_elementwise_sqrt(v)
#else
#define ROOTS(v) ({ wide roots = (v); for (int lane = 0; lane < 16; lane++) roots[lane] = __builtin_sqrtf(roots[lane]); roots; })
#endif

// For vectors of either length.
#define SELECT(mask, a, b) ((__typeof__(a))(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))
#define LEAST(a, b) SELECT((a) < (b), a, b)
#define MOST(a, b) SELECT((a) > (b), a, b)

// The sum of all lanes.
#define SUM(v) ({                                                                            \
  lanes halves = (v), quarters, sums;                                                        \
  halves += SHUFFLE(halves, halves, 4, 5, 6, 7, 0, 1, 2, 3);                                 \
  quarters = halves + SHUFFLE(halves, halves, 2, 3, 0, 1, 6, 7, 4, 5);                       \
  sums = quarters + SHUFFLE(quarters, quarters, 1, 0, 3, 2, 5, 4, 7, 6);                     \
  sums[0]; })

#include "Version/Samples.h"
#include "Version/Fourier.h"
#include "Version/Kalman.h"
#include "Version/Suppressor.h"
#include "Version/LowBand.h"
#include "Version/Network.h"
#include "Version/Resampling.h"

const nearend_kernels NEAREND_KERNELS = {
    NEAREND_KERNELS_NAME, mean_square, peak, biquad, follow, biquads_energy, hann_powers, band_sums, saturate, forward, analyze,
    inverse, multiply_add, predict, join, suppress, judge, low_analyze, low_synthesize, low_fit, decimate, dense, shared, logarithms,
    logistic, hyperbolic_tangent, recur, resample_drift, resample_near, resample, update, learn, correlate};
