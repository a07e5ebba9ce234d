// The interface and the plan shared by all versions of the kernels.
#pragma once
#include "include/CKernels.h"

struct nearend_fourier {
  int length;
  int owners;
  // Complex points, length / 2.
  int points;
  // Six arrays per stage of radix 4: the first three powers of its roots, real and imaginary parts.
  float *twiddles;
  // exp(-2πi k / length), points of each part.
  float *rootRe, *rootIm;
  // Two complex buffers of `points` and one more, each part in an array of its own.
  float *scratch[4];
  void *memory;
};

typedef struct {
  const char *name;
  float (*mean_square)(const float *, int);
  float (*peak)(const float *, int, float *);
  void (*biquad)(nearend_biquad *, const float *, float *, int);
  float (*follow)(const float *, float, float, float *, int);
  float (*biquads_energy)(nearend_biquad *, nearend_biquad *, const float *, int);
  void (*hann_powers)(const float *, const float *, float, float, float *, float *, int);
  void (*band_sums)(const float *, const ptrdiff_t *, ptrdiff_t, float *);
  void (*saturate)(const float *, float, float *, int);
  void (*forward)(const nearend_fourier *, const float *, float *, float *, int);
  void (*analyze)(const nearend_fourier *, const float *, const float *, int, float *, float *, float *, float);
  void (*inverse)(const nearend_fourier *, const float *, const float *, float *);
  void (*multiply_add)(const float *, const float *, const float *, const float *, float *, float *, int);
  void (*predict)(const nearend_partitions *, float *, float *, float *);
  void (*join)(const float *, float *, int, int);
  void (*suppress)(const nearend_suppression *, float *, float *);
  void (*judge)(const nearend_likelihood *, float *, float *);
  void (*low_analyze)(const nearend_low_band *, const float *, float *, float *);
  void (*low_synthesize)(const nearend_low_band *, const float *, const float *, float *);
  void (*low_fit)(const float *, const float *, float, float *, float *, int);
  void (*decimate)(const float *, int, const float *, int, float *, int);
  void (*dense)(const nearend_dense *, const float *, float *);
  void (*shared)(const nearend_shared *, const float *, float *);
  void (*logarithms)(float *, int, float, float, float);
  void (*logistic)(float *, int);
  void (*hyperbolic_tangent)(float *, int);
  void (*recur)(const float *, const float *, float *, int);
  void (*resample_drift)(const nearend_drift_table *, const float *, double, double, float *, int);
  void (*resample_near)(const nearend_bank *, const float *, double, double, float *, int);
  void (*resample)(const nearend_bank *, const float *, double, double, float *, int);
  void (*update)(const nearend_partitions *, const float *, const float *, const float *, const float *, float);
  void (*learn)(const nearend_learning *, float *, float *, float *);
  float (*correlate)(const nearend_correlation *, const float *, const float *, const float *);
} nearend_kernels;

extern const nearend_kernels nearend_kernels_baseline;
#if defined(__x86_64__)
extern const nearend_kernels nearend_kernels_avx2;
#endif
