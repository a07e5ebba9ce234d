#include "Kernels.h"

#include <math.h>
#include <stdlib.h>

static const nearend_kernels *chosen = &nearend_kernels_baseline;

__attribute__((constructor)) static void choose(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) chosen = &nearend_kernels_avx2;
#endif
}

const char *nearend_kernels_name(void) { return chosen->name; }

// Computes roots of unity in double precision: three powers for each stage of radix 4. At stride 4, four neighbours share a root, which is
// stored four times so that a vector can be loaded.
static void make_twiddles(nearend_fourier *plan) {
  float *next = plan->twiddles;
  int stride = 1;
  for (int n = plan->points; n >= 4; n /= 4, stride *= 4) {
    int quarter = n / 4, repeat = stride == 4 ? 4 : 1, count = quarter * repeat;
    for (int i = 0; i < count; i++) {
      double angle = -2 * M_PI * (i / repeat) / n;
      for (int power = 1; power <= 3; power++) {
        next[(2 * power - 2) * count + i] = (float)cos(power * angle);
        next[(2 * power - 1) * count + i] = (float)sin(power * angle);
      }
    }
    next += 6 * count;
  }
  for (int k = 0; k < plan->points; k++) {
    plan->rootRe[k] = (float)cos(-2 * M_PI * k / plan->length);
    plan->rootIm[k] = (float)sin(-2 * M_PI * k / plan->length);
  }
}

nearend_fourier *nearend_fourier_create(int length) {
  if (length < 128 || length > 1 << 24 || (length & (length - 1)) != 0) return NULL;
  nearend_fourier *plan = calloc(1, sizeof *plan);
  if (!plan) return NULL;
  plan->length = length;
  plan->owners = 1;
  plan->points = length / 2;
  size_t points = (size_t)plan->points, twiddles = 0;
  int stride = 1;
  for (int n = plan->points; n >= 4; n /= 4, stride *= 4) twiddles += 6 * (size_t)(n / 4) * (stride == 4 ? 4 : 1);
  // Rows begin on cache lines.
  twiddles = (twiddles + 15) / 16 * 16;
  if (posix_memalign(&plan->memory, 64, (twiddles + 6 * points + 4 * 16) * sizeof(float)) != 0) {
    free(plan);
    return NULL;
  }
  float *next = plan->memory;
  plan->twiddles = next;
  next += twiddles;
  plan->rootRe = next;
  plan->rootIm = next + points;
  for (int i = 0; i < 4; i++) plan->scratch[i] = next + 2 * points + (size_t)i * (points + 16);
  make_twiddles(plan);
  return plan;
}

nearend_fourier *nearend_fourier_share(nearend_fourier *plan) {
  plan->owners++;
  return plan;
}

void nearend_fourier_destroy(nearend_fourier *plan) {
  if (!plan || --plan->owners > 0) return;
  free(plan->memory);
  free(plan);
}

float nearend_mean_square(const float *samples, int frames) { return chosen->mean_square(samples, frames); }

float nearend_peak(const float *samples, int frames, float *check) { return chosen->peak(samples, frames, check); }

void nearend_biquad_prepare(nearend_biquad *section) {
  double b0 = section->b0, b1 = section->b1, b2 = section->b2, a1 = section->a1, a2 = section->a2;
  nearend_biquad_response *response = &section->response;
  *response = (nearend_biquad_response){0};
  // The states that an impulse leaves, and those that a first state of 1 leaves.
  double first = b1 - a1 * b0, second = b2 - a2 * b0, p = 1, q = 0;
  response->impulse[7] = section->b0;
  for (int i = 0; i < 8; i++) {
    response->first[7 - i] = first;
    response->second[7 - i] = second;
    if (i < 7) response->impulse[8 + i] = (float)first;
    response->decay[1 + i] = (float)p;
    // A second state is a first state a sample later.
    response->fromSecond[0] = p, response->fromSecond[1] = q;
    double next = second - a1 * first;
    second = -a2 * first, first = next;
    next = q - a1 * p;
    q = -a2 * p, p = next;
  }
  response->fromFirst[0] = p, response->fromFirst[1] = q;
}

void nearend_biquad_filter(nearend_biquad *section, const float *in, float *out, int frames) {
  chosen->biquad(section, in, out, frames);
}

float nearend_follow(const float *in, float share, float position, float *out, int frames) {
  return chosen->follow(in, share, position, out, frames);
}

float nearend_biquads_energy(nearend_biquad *first, nearend_biquad *second, const float *in, int frames) {
  return chosen->biquads_energy(first, second, in, frames);
}

void nearend_hann_powers(
    const float *re, const float *im, float memory, float scale, float *windowed, float *whole, int bins) {
  chosen->hann_powers(re, im, memory, scale, windowed, whole, bins);
}

void nearend_band_sums(const float *values, const ptrdiff_t *edges, ptrdiff_t bands, float *sums) {
  chosen->band_sums(values, edges, bands, sums);
}

void nearend_saturate(const float *samples, float drive, float *out, int frames) {
  chosen->saturate(samples, drive, out, frames);
}

void nearend_fourier_forward(const nearend_fourier *plan, const float *samples, float *re, float *im) {
  chosen->forward(plan, samples, re, im, plan->points + 1);
}

void nearend_fourier_first_bins(const nearend_fourier *plan, const float *samples, float *re, float *im, int bins) {
  chosen->forward(plan, samples, re, im, bins);
}

void nearend_fourier_analyze(
    const nearend_fourier *plan, const float *samples, const float *window, int count, float *re, float *im, float *power, float scale) {
  chosen->analyze(plan, samples, window, count, re, im, power, scale);
}

void nearend_fourier_inverse(const nearend_fourier *plan, const float *re, const float *im, float *samples) {
  chosen->inverse(plan, re, im, samples);
}

void nearend_multiply_add(
    const float *aRe, const float *aIm, const float *bRe, const float *bIm, float *sumRe, float *sumIm, int bins) {
  chosen->multiply_add(aRe, aIm, bRe, bIm, sumRe, sumIm, bins);
}

void nearend_kalman_predict(const nearend_partitions *rows, float *echoRe, float *echoIm, float *uncertainty) {
  chosen->predict(rows, echoRe, echoIm, uncertainty);
}

void nearend_kalman_update(
    const nearend_partitions *rows, const float *errorRe, const float *errorIm, const float *inverse, const float *change,
    float overlap) {
  chosen->update(rows, errorRe, errorIm, inverse, change, overlap);
}

void nearend_resample_drift(
    const nearend_drift_table *table, const float *samples, double position, double step, float *out, int frames) {
  chosen->resample_drift(table, samples, position, step, out, frames);
}

void nearend_resample_near(
    const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  chosen->resample_near(bank, samples, position, step, out, frames);
}

void nearend_resample(const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  chosen->resample(bank, samples, position, step, out, frames);
}

void nearend_resample_stretched(
    const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  double reach = bank->taps / 2 * step, scale = bank->phases / step;
  for (int i = 0; i < frames; i++) {
    double at = position + i * step;
    int first = (int)ceil(at - reach), last = (int)floor(at + reach);
    float sum = 0;
    for (int n = first; n <= last; n++) {
      double index = (n - at + reach) * scale;
      int whole = (int)index;
      float share = (float)(index - whole), below = bank->prototype[whole], above = bank->prototype[whole + 1];
      sum += (below + share * (above - below)) * samples[n];
    }
    out[i] = (float)(sum / step);
  }
}

void nearend_kalman_learn(const nearend_learning *step, float *errors, float *products, float *estimates) {
  chosen->learn(step, errors, products, estimates);
}

float nearend_correlate(const nearend_correlation *row, const float *x, const float *error, const float *errorPower) {
  return chosen->correlate(row, x, error, errorPower);
}

void nearend_join(const float *powers, float *joined, int single, int bins) { chosen->join(powers, joined, single, bins); }

void nearend_suppress(const nearend_suppression *hop, float *re, float *im) { chosen->suppress(hop, re, im); }

void nearend_judge(const nearend_likelihood *hop, float *echoShares, float *presence) { chosen->judge(hop, echoShares, presence); }

void nearend_low_analyze(const nearend_low_band *band, const float *samples, float *re, float *im) {
  chosen->low_analyze(band, samples, re, im);
}

void nearend_low_synthesize(const nearend_low_band *band, const float *re, const float *im, float *samples) {
  chosen->low_synthesize(band, re, im, samples);
}

void nearend_low_fit(const float *history, const float *signal, float memory, float *products, float *squares, int windows) {
  chosen->low_fit(history, signal, memory, products, squares, windows);
}

void nearend_decimate(const float *taps, int count, const float *samples, int step, float *out, int frames) {
  chosen->decimate(taps, count, samples, step, out, frames);
}

void nearend_dense_apply(const nearend_dense *layer, const float *in, float *out) { chosen->dense(layer, in, out); }

void nearend_shared_apply(const nearend_shared *layer, const float *in, float *out) { chosen->shared(layer, in, out); }

void nearend_logarithms(float *values, int count, float least, float factor, float offset) {
  chosen->logarithms(values, count, least, factor, offset);
}

void nearend_logistic(float *values, int count) { chosen->logistic(values, count); }

void nearend_tanh(float *values, int count) { chosen->hyperbolic_tangent(values, count); }

void nearend_recur(const float *gates, const float *own, float *state, int units) { chosen->recur(gates, own, state, units); }
