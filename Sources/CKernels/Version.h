// One version of the kernels, included by the file that selects the instruction set. Vectors have eight lanes; the compiler splits them for
// processors with shorter ones.
#include "Kernels.h"

#include <string.h>

#pragma STDC FP_CONTRACT ON

typedef float lanes __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))
#define SHUFFLE __builtin_shufflevector

#define LOAD(p) ({ lanes loaded; memcpy(&loaded, (p), sizeof loaded); loaded; })
#define STORE(p, v) ({ lanes stored = (v); memcpy((p), &stored, sizeof stored); })
typedef int masks __attribute__((vector_size(32)));

#define POSITIVE(v) ((lanes)((masks)(v) & ((v) > ALL(0))))
#define ALL(x) ((lanes){(x), (x), (x), (x), (x), (x), (x), (x)})

// clang 17, which Swift 6.0 has, lacks this function.
#if __has_builtin(__builtin_elementwise_sqrt)
#define ROOTS(v) __builtin_elementwise_sqrt(v)
#else
#define ROOTS(v) ({ lanes roots = (v); for (int lane = 0; lane < 8; lane++) roots[lane] = __builtin_sqrtf(roots[lane]); roots; })
#endif

// MARK: Fourier transforms: Stockham's algorithm, radix 4, decimation in frequency, with a last stage of radix 2 if the power of two is
// odd.

// The butterfly of inputs a, b, c, d: outputs y0…y3, of which y1…y3 are multiplied by the roots w1…w3.
#define BUTTERFLY                                                                    \
  lanes sumRe = aRe + cRe, sumIm = aIm + cIm, differenceRe = aRe - cRe, differenceIm = aIm - cIm; \
  lanes sum2Re = bRe + dRe, sum2Im = bIm + dIm, turnedRe = dIm - bIm, turnedIm = bRe - dRe;       \
  lanes y0Re = sumRe + sum2Re, y0Im = sumIm + sum2Im, z2Re = sumRe - sum2Re, z2Im = sumIm - sum2Im; \
  lanes z1Re = differenceRe - turnedRe, z1Im = differenceIm - turnedIm;              \
  lanes z3Re = differenceRe + turnedRe, z3Im = differenceIm + turnedIm;              \
  lanes y1Re = w1Re * z1Re - w1Im * z1Im, y1Im = w1Re * z1Im + w1Im * z1Re;          \
  lanes y2Re = w2Re * z2Re - w2Im * z2Im, y2Im = w2Re * z2Im + w2Im * z2Re;          \
  lanes y3Re = w3Re * z3Re - w3Im * z3Im, y3Im = w3Re * z3Im + w3Im * z3Re

#define READ4(offset, step)                                                                    \
  lanes aRe = LOAD(xRe + (offset)), bRe = LOAD(xRe + (offset) + (step)), cRe = LOAD(xRe + (offset) + 2 * (step)), \
        dRe = LOAD(xRe + (offset) + 3 * (step));                                               \
  lanes aIm = LOAD(xIm + (offset)), bIm = LOAD(xIm + (offset) + (step)), cIm = LOAD(xIm + (offset) + 2 * (step)), \
        dIm = LOAD(xIm + (offset) + 3 * (step))

// Stores four vectors at stride 1: interleaved, as eight groups of one lane of each.
#define STORE_TRANSPOSED(out, y0, y1, y2, y3)                                                  \
  do {                                                                                         \
    lanes low01 = SHUFFLE(y0, y1, 0, 8, 1, 9, 2, 10, 3, 11), high01 = SHUFFLE(y0, y1, 4, 12, 5, 13, 6, 14, 7, 15); \
    lanes low23 = SHUFFLE(y2, y3, 0, 8, 1, 9, 2, 10, 3, 11), high23 = SHUFFLE(y2, y3, 4, 12, 5, 13, 6, 14, 7, 15); \
    STORE((out), SHUFFLE(low01, low23, 0, 1, 8, 9, 2, 3, 10, 11));                             \
    STORE((out) + 8, SHUFFLE(low01, low23, 4, 5, 12, 13, 6, 7, 14, 15));                       \
    STORE((out) + 16, SHUFFLE(high01, high23, 0, 1, 8, 9, 2, 3, 10, 11));                      \
    STORE((out) + 24, SHUFFLE(high01, high23, 4, 5, 12, 13, 6, 7, 14, 15));                    \
  } while (0)

// Stores four vectors at stride 4: their low halves one after another at `out`, their high halves at `out` + 16.
#define STORE_HALVES(out, y0, y1, y2, y3)                                                      \
  do {                                                                                         \
    STORE((out), SHUFFLE(y0, y1, 0, 1, 2, 3, 8, 9, 10, 11));                                   \
    STORE((out) + 8, SHUFFLE(y2, y3, 0, 1, 2, 3, 8, 9, 10, 11));                               \
    STORE((out) + 16, SHUFFLE(y0, y1, 4, 5, 6, 7, 12, 13, 14, 15));                            \
    STORE((out) + 24, SHUFFLE(y2, y3, 4, 5, 6, 7, 12, 13, 14, 15));                            \
  } while (0)

// Transforms the complex points at a, with b as the second buffer. Returns the buffer of the result: 0 for a, 1 for b.
INLINE int transform(const nearend_fourier *plan, float *aReal, float *aImaginary, float *bReal, float *bImaginary) {
  const float *w = plan->twiddles;
  float *xRe = aReal, *xIm = aImaginary, *outRe = bReal, *outIm = bImaginary;
  int n = plan->points, stride = 1, swaps = 0;
  for (; n >= 4; n /= 4, stride *= 4, swaps++) {
    int quarter = n / 4, step = stride * quarter;
    if (stride == 1) {
      for (int p = 0; p < quarter; p += 8) {
        READ4(p, step);
        lanes w1Re = LOAD(w + p), w1Im = LOAD(w + quarter + p), w2Re = LOAD(w + 2 * quarter + p), w2Im = LOAD(w + 3 * quarter + p),
              w3Re = LOAD(w + 4 * quarter + p), w3Im = LOAD(w + 5 * quarter + p);
        BUTTERFLY;
        STORE_TRANSPOSED(outRe + 4 * p, y0Re, y1Re, y2Re, y3Re);
        STORE_TRANSPOSED(outIm + 4 * p, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * quarter;
    } else if (stride == 4) {
      int count = 4 * quarter;
      for (int i = 0; i < count; i += 8) {
        READ4(i, step);
        lanes w1Re = LOAD(w + i), w1Im = LOAD(w + count + i), w2Re = LOAD(w + 2 * count + i), w2Im = LOAD(w + 3 * count + i),
              w3Re = LOAD(w + 4 * count + i), w3Im = LOAD(w + 5 * count + i);
        BUTTERFLY;
        STORE_HALVES(outRe + 4 * i, y0Re, y1Re, y2Re, y3Re);
        STORE_HALVES(outIm + 4 * i, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * count;
    } else {
      for (int p = 0; p < quarter; p++) {
        lanes w1Re = ALL(w[p]), w1Im = ALL(w[quarter + p]), w2Re = ALL(w[2 * quarter + p]), w2Im = ALL(w[3 * quarter + p]),
              w3Re = ALL(w[4 * quarter + p]), w3Im = ALL(w[5 * quarter + p]);
        for (int q = 0; q < stride; q += 8) {
          READ4(stride * p + q, step);
          BUTTERFLY;
          int out = 4 * stride * p + q;
          STORE(outRe + out, y0Re);
          STORE(outIm + out, y0Im);
          STORE(outRe + out + stride, y1Re);
          STORE(outIm + out + stride, y1Im);
          STORE(outRe + out + 2 * stride, y2Re);
          STORE(outIm + out + 2 * stride, y2Im);
          STORE(outRe + out + 3 * stride, y3Re);
          STORE(outIm + out + 3 * stride, y3Im);
        }
      }
      w += 6 * quarter;
    }
    float *swapRe = xRe, *swapIm = xIm;
    xRe = outRe, xIm = outIm, outRe = swapRe, outIm = swapIm;
  }
  if (n == 2) {
    for (int q = 0; q < stride; q += 8) {
      lanes aRe = LOAD(xRe + q), aIm = LOAD(xIm + q), bRe = LOAD(xRe + stride + q), bIm = LOAD(xIm + stride + q);
      STORE(outRe + q, aRe + bRe);
      STORE(outIm + q, aIm + bIm);
      STORE(outRe + stride + q, aRe - bRe);
      STORE(outIm + stride + q, aIm - bIm);
    }
    swaps++;
  }
  return swaps & 1;
}

#define REVERSED(v) SHUFFLE(v, v, 7, 6, 5, 4, 3, 2, 1, 0)

static void forward(const nearend_fourier *plan, const float *samples, float *re, float *im) {
  int points = plan->points;
  float *const *scratch = plan->scratch;
  for (int i = 0; i < points; i += 8) {
    lanes low = LOAD(samples + 2 * i), high = LOAD(samples + 2 * i + 8);
    STORE(scratch[0] + i, SHUFFLE(low, high, 0, 2, 4, 6, 8, 10, 12, 14));
    STORE(scratch[1] + i, SHUFFLE(low, high, 1, 3, 5, 7, 9, 11, 13, 15));
  }
  int where = 2 * transform(plan, scratch[0], scratch[1], scratch[2], scratch[3]);
  const float *zRe = scratch[where], *zIm = scratch[where + 1];
  float firstRe = zRe[0], firstIm = zIm[0];
  // The spectrum X of 2n samples from that of n complex points, Z: X(k) = (Z(k) + Z*(n − k)) / 2 − i root(k) (Z(k) − Z*(n − k)) / 2
  int k = 1;
  for (; k + 8 <= points; k += 8) {
    lanes pRe = LOAD(zRe + k), pIm = LOAD(zIm + k);
    lanes nRe = LOAD(zRe + points - k - 7), nIm = LOAD(zIm + points - k - 7);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    lanes rRe = LOAD(plan->rootRe + k), rIm = LOAD(plan->rootIm + k);
    lanes evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pIm + nIm, oddIm = nRe - pRe;
    STORE(re + k, ALL(0.5f) * (evenRe + (rRe * oddRe - rIm * oddIm)));
    STORE(im + k, ALL(0.5f) * (evenIm + (rRe * oddIm + rIm * oddRe)));
  }
  for (; k < points; k++) {
    float evenRe = zRe[k] + zRe[points - k], evenIm = zIm[k] - zIm[points - k];
    float oddRe = zIm[k] + zIm[points - k], oddIm = zRe[points - k] - zRe[k];
    re[k] = 0.5f * (evenRe + (plan->rootRe[k] * oddRe - plan->rootIm[k] * oddIm));
    im[k] = 0.5f * (evenIm + (plan->rootRe[k] * oddIm + plan->rootIm[k] * oddRe));
  }
  re[0] = firstRe + firstIm;
  re[points] = firstRe - firstIm;
  im[0] = im[points] = 0;
}

static void inverse(const nearend_fourier *plan, const float *re, const float *im, float *samples) {
  int points = plan->points;
  float *const *scratch = plan->scratch;
  // Real and imaginary parts are swapped, so that the forward transform computes the inverse.
  float *zRe = scratch[1], *zIm = scratch[0];
  float scale = 0.5f / (float)points;
  // The inverse of that: Z(k) = (X(k) + X*(n − k)) / 2 + i root*(k) (X(k) − X*(n − k)) / 2
  zRe[0] = scale * (re[0] + re[points]);
  zIm[0] = scale * (re[0] - re[points]);
  int k = 1;
  for (; k + 8 <= points; k += 8) {
    lanes pRe = LOAD(re + k), pIm = LOAD(im + k);
    lanes nRe = LOAD(re + points - k - 7), nIm = LOAD(im + points - k - 7);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    lanes rRe = LOAD(plan->rootRe + k), rIm = LOAD(plan->rootIm + k);
    lanes evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pRe - nRe, oddIm = pIm + nIm;
    STORE(zRe + k, ALL(scale) * (evenRe - (rRe * oddIm - rIm * oddRe)));
    STORE(zIm + k, ALL(scale) * (evenIm + (rRe * oddRe + rIm * oddIm)));
  }
  for (; k < points; k++) {
    float evenRe = re[k] + re[points - k], evenIm = im[k] - im[points - k];
    float oddRe = re[k] - re[points - k], oddIm = im[k] + im[points - k];
    zRe[k] = scale * (evenRe - (plan->rootRe[k] * oddIm - plan->rootIm[k] * oddRe));
    zIm[k] = scale * (evenIm + (plan->rootRe[k] * oddRe + plan->rootIm[k] * oddIm));
  }
  int where = 2 * transform(plan, scratch[0], scratch[1], scratch[2], scratch[3]);
  const float *odd = scratch[where], *even = scratch[where + 1];
  for (int i = 0; i < points; i += 8) {
    lanes e = LOAD(even + i), o = LOAD(odd + i);
    STORE(samples + 2 * i, SHUFFLE(e, o, 0, 8, 1, 9, 2, 10, 3, 11));
    STORE(samples + 2 * i + 8, SHUFFLE(e, o, 4, 12, 5, 13, 6, 14, 7, 15));
  }
}

// MARK: Convolution

static void multiply_add(
    const float *aRe, const float *aIm, const float *bRe, const float *bIm, float *sumRe, float *sumIm, int bins) {
  for (int k = 0; k < bins; k += 8) {
    lanes xRe = LOAD(aRe + k), xIm = LOAD(aIm + k), hRe = LOAD(bRe + k), hIm = LOAD(bIm + k);
    STORE(sumRe + k, LOAD(sumRe + k) + xRe * hRe - xIm * hIm);
    STORE(sumIm + k, LOAD(sumIm + k) + xRe * hIm + xIm * hRe);
  }
}

// MARK: Kalman filter

// Computes row by row, so that memory is read in streams that the processor prefetches: most weights and references have left its caches
// since the previous hop. The sums stay in the first-level cache.
static void predict(const nearend_partitions *rows, float *echoRe, float *echoIm, float *uncertainty) {
  size_t stride = (size_t)rows->stride;
  for (int row = 0; row < rows->count; row++) {
    const float *x = rows->references[row], *w = rows->weights + (size_t)row * 3 * stride;
    int bins = rows->bins[row], next = row + 1;
    if (bins == 0) continue;
    // Prefetches the next row that is used: a row ends before the processor recognizes its streams.
    while (next < rows->count && rows->bins[next] == 0) next++;
    if (next == rows->count) next = row;
    int nextBins = next > row ? rows->bins[next] : 0;
    const float *nextX = rows->references[next], *nextW = rows->weights + (size_t)next * 3 * stride;
    for (int k = 0; k < bins; k += 8) {
      if ((k & 8) == 0 && k < nextBins) {
        __builtin_prefetch(nextX + k);
        __builtin_prefetch(nextX + stride + k);
        __builtin_prefetch(nextW + k);
        __builtin_prefetch(nextW + stride + k);
        __builtin_prefetch(nextW + 2 * stride + k);
      }
      lanes xRe = LOAD(x + k), xIm = LOAD(x + stride + k), wRe = LOAD(w + k), wIm = LOAD(w + stride + k), p = LOAD(w + 2 * stride + k);
      STORE(echoRe + k, LOAD(echoRe + k) + xRe * wRe - xIm * wIm);
      STORE(echoIm + k, LOAD(echoIm + k) + xRe * wIm + xIm * wRe);
      STORE(uncertainty + k, LOAD(uncertainty + k) + (xRe * xRe + xIm * xIm) * p);
    }
  }
}

static void update(
    const nearend_partitions *rows, const float *errorRe, const float *errorIm, const float *inverse, const float *change,
    float overlap) {
  int stride = rows->stride;
  for (int row = 0; row < rows->count; row++) {
    const float *x = rows->references[row];
    float *w = rows->weights + (size_t)row * 3 * (size_t)stride;
    int bins = rows->bins[row];
    lanes mean = ALL(rows->meanSquares[row]), squares = ALL(0), share = ALL(overlap), half = ALL(0.5f);
    for (int k = 0; k < bins; k += 8) {
      lanes xRe = LOAD(x + k), xIm = LOAD(x + stride + k), p = LOAD(w + 2 * stride + k);
      lanes wRe = LOAD(w + k), wIm = LOAD(w + stride + k), eRe = LOAD(errorRe + k), eIm = LOAD(errorIm + k);
      lanes m = p * LOAD(inverse + k);
      lanes stepRe = m * xRe, stepIm = m * xIm;
      wRe += stepRe * eRe + stepIm * eIm;
      wIm += stepRe * eIm - stepIm * eRe;
      lanes left = ALL(1) - share * (stepRe * xRe + stepIm * xIm);
      left = POSITIVE(left);
      lanes square = wRe * wRe + wIm * wIm;
      squares += square;
      STORE(w + k, wRe);
      STORE(w + stride + k, wIm);
      lanes q = LOAD(change + k);
      STORE(w + 2 * stride + k, (ALL(1) - q) * left * p + q * half * (square + mean));
    }
    float sum = 0;
    for (int lane = 0; lane < 8; lane++) sum += squares[lane];
    rows->meanSquares[row] = bins > 0 ? sum / (float)bins : 0;
  }
}

static float correlate(const nearend_correlation *row, const float *x, const float *error, const float *errorPower) {
  lanes memory = ALL(row->memory), fresh = ALL(1 - row->memory), sum = ALL(0);
  int count = row->bins;
  for (int k = 0; k < count; k += 8) {
    lanes xRe = LOAD(x + k), xIm = LOAD(x + count + k), eRe = LOAD(error + k), eIm = LOAD(error + count + k);
    lanes re = memory * LOAD(row->crossRe + k) + fresh * (xRe * eRe + xIm * eIm);
    lanes im = memory * LOAD(row->crossIm + k) + fresh * (xRe * eIm - xIm * eRe);
    lanes power = memory * LOAD(row->power + k) + fresh * (xRe * xRe + xIm * xIm);
    STORE(row->crossRe + k, re);
    STORE(row->crossIm + k, im);
    STORE(row->power + k, power);
    sum += (re * re + im * im) / (power * LOAD(errorPower + k) + ALL(1e-20f));
  }
  float all = 0;
  for (int lane = 0; lane < 8; lane++) all += sum[lane];
  return all;
}

// MARK: Suppressor

#define SELECT(mask, a, b) ((lanes)(((masks)(a) & (mask)) | ((masks)(b) & ~(mask))))
#define LEAST(a, b) SELECT((a) < (b), a, b)
#define MOST(a, b) SELECT((a) > (b), a, b)

// log2 of positive normal numbers; the error is below 1e-5.
#define LOG2(x) ({ \
  masks bits = (masks)(lanes)(x); \
  lanes exponent = __builtin_convertvector((bits >> 23) - 127, lanes); \
  lanes m = (lanes)((bits & 0x7fffff) | 0x3f800000) - ALL(1); \
  exponent + m * (ALL(1.44254494f) + m * (ALL(-0.71814525f) + m * (ALL(0.45754919f) + m * (ALL(-0.27790424f) \
    + m * (ALL(0.12191387f) + m * ALL(-0.02595850f)))))); })

// 2 to the power of x, clamped to −126…126; the relative error is below 2e-6.
#define EXP2(x) ({ \
  lanes clamped = MOST(LEAST(x, ALL(126)), ALL(-126)); \
  masks whole = __builtin_convertvector(clamped + ALL(127), masks) - 127; \
  lanes f = clamped - __builtin_convertvector(whole, lanes); \
  lanes power = ALL(1) + f * (ALL(0.69315308f) + f * (ALL(0.24015361f) + f * (ALL(0.05582631f) + f * (ALL(0.00898934f) \
    + f * ALL(0.00187758f))))); \
  (lanes)((masks)power + (whole << 23)); })

#define LOG2_E 1.44269504f

// ∫ exp(−t) / t from v to infinity (Abramowitz and Stegun 5.1.53 and 5.1.56), v > 0.
#define EXPONENTIAL_INTEGRAL(v) ({ \
  lanes small = ALL(-0.69314718f) * LOG2(v) - ALL(0.57721566f) + v * (ALL(0.99999193f) + v * (ALL(-0.24991055f) \
    + v * (ALL(0.05519968f) + v * (ALL(-0.00976004f) + v * ALL(0.00107857f))))); \
  lanes numerator = (((v + ALL(8.5733287401f)) * v + ALL(18.059016973f)) * v + ALL(8.6347608925f)) * v + ALL(0.2677737343f); \
  lanes denominator = (((v + ALL(9.5733223454f)) * v + ALL(25.6329561486f)) * v + ALL(21.0996530827f)) * v + ALL(3.9584969228f); \
  lanes large = EXP2(ALL(-LOG2_E) * v) * numerator / (v * denominator); \
  SELECT(v < ALL(1), small, large); })

static void suppress(const nearend_suppression *hop, float *re, float *im) {
  lanes share = ALL(hop->noiseShare), floorOfNoise = ALL(hop->noiseFloor), memory = ALL(hop->noiseMemory);
  for (int k = 0; k < hop->bins; k += 8) {
    lanes power = LOAD(hop->power + k), echo = LOAD(hop->echo + k), noise = LOAD(hop->noise + k), p = LOAD(hop->presence + k);
    // Decision-directed log-spectral amplitude (Ephraim and Malah 1985).
    // Three quarters of the noise: speech that is lost costs more intelligibility than noise that is left.
    lanes unwanted = echo + ALL(0.75f) * share * noise + ALL(1e-12f), g = power / unwanted;
    lanes xi = MOST(ALL(0.92f) * LOAD(hop->clean + k) / unwanted + ALL(0.08f) * POSITIVE(g - ALL(1)), ALL(0.003f));
    lanes wiener = xi / (ALL(1) + xi), v = LEAST(MOST(g * wiener, ALL(1e-6f)), ALL(80));
    lanes amplitude = LEAST(wiener * EXP2(ALL(0.5f * LOG2_E) * EXPONENTIAL_INTEGRAL(v)), ALL(1));
    // The gain is G^p floor^(1 − p) (Cohen and Berdugo 2001). The floor lies between the echo's and the noise's, by the echo's share of
    // echo plus noise. Noise counts even where it is kept, because it masks the echo.
    lanes echoShare = echo / (echo + noise + ALL(1e-12f));
    lanes floor = MOST(LEAST(ALL(hop->echoFloor) * echoShare + floorOfNoise * (ALL(1) - echoShare), floorOfNoise), ALL(1e-6f));
    lanes logFloor = LOG2(floor), logGain = MOST(LOG2(MOST(amplitude, ALL(1e-6f))), logFloor);
    lanes wanted = EXP2(p * logGain + (ALL(1) - p) * logFloor), gain = LOAD(hop->gain + k);
    gain = SELECT(wanted > gain, wanted, ALL(0.8f) * gain + ALL(0.2f) * wanted);
    STORE(hop->gain + k, gain);
    STORE(hop->clean + k, amplitude * p * amplitude * p * power);
    // The noise estimate is weighted by the probability of speech (Gerkmann and Hendriks 2012), and never rises where there may be echo.
    masks isEcho = echo > ALL(0.5f) * noise;
    lanes speech = LOAD(hop->speech + k);
    lanes u = ALL(1) / (ALL(1) + ALL(31.6f) * EXP2(ALL(-LOG2_E) * LEAST(power / noise * ALL(31.6f / 32.6f), ALL(50))));
    lanes smoothed = ALL(0.9f) * speech + ALL(0.1f) * u;
    u = SELECT(smoothed > ALL(0.99f), LEAST(u, ALL(0.99f)), u);
    STORE(hop->speech + k, SELECT(isEcho, speech, smoothed));
    lanes heard = SELECT(isEcho, LEAST(power, noise), (ALL(1) - u) * power + u * noise);
    noise = MOST(memory * noise + (ALL(1) - memory) * heard, ALL(1e-10f));
    // Power that has stayed above a level for one to two windows is noise (minimum statistics, Martin 2001), if it was steady.
    lanes smooth = ALL(0.85f) * LOAD(hop->smoothed + k) + ALL(0.15f) * power, least = LOAD(hop->least + k);
    lanes former = LOAD(hop->formerLeast + k), most = LOAD(hop->most + k);
    if (hop->beginsWindow) {
      former = SELECT(most < ALL(hop->steadiness) * least, least, ALL(0));
      least = smooth;
      most = smooth;
    }
    least = LEAST(least, smooth);
    most = MOST(most, smooth);
    STORE(hop->smoothed + k, smooth);
    STORE(hop->least + k, least);
    STORE(hop->most + k, most);
    STORE(hop->formerLeast + k, former);
    noise = SELECT(isEcho, noise, MOST(noise, LEAST(least, former)));
    STORE(hop->noise + k, noise);
    // Comfort noise fills up to the noise that noise suppression leaves; digital silence gets none.
    lanes missing = POSITIVE(floorOfNoise * floorOfNoise * (noise - ALL(1.01e-10f)) - gain * gain * power);
    missing *= share + (ALL(1) - share) * echoShare;
    lanes level = ALL(hop->comfort) * ROOTS(missing);
    STORE(re + k, gain * LOAD(re + k) + level * LOAD(hop->phaseRe + k));
    STORE(im + k, gain * LOAD(im + k) + level * LOAD(hop->phaseIm + k));
  }
}

// MARK: Resampling

// Finds the bank's row at or below a fraction of a sample, and the distance from that row to the fraction, in phases.
#define ROW(fraction)                                           \
  float at = (fraction) * (float)bank->phases;                  \
  int row = at <= 0 ? 0 : (int)at;                              \
  if (row > bank->phases - 1) row = bank->phases - 1;           \
  float share = at - (float)row;                                \
  const float *filter = bank->rows + (size_t)row * 2 * (size_t)bank->taps, *slope = filter + bank->taps

// The filter for the middle of `frames` frames from `position` on, its slope, and the first frame's distance from the middle, in phases.
typedef struct {
  float weights[NEAREND_NEAR_TAPS];
  const float *slope, *samples;
  float drift, early;
} resample_filter;

INLINE void resample_prepare(
    const nearend_bank *bank, const float *samples, double position, double step, int frames, resample_filter *near) {
  double middle = 0.5 * (frames - 1);
  int whole = (int)position;
  ROW((float)(position - whole + middle * (step - 1)));
  for (int t = 0; t < NEAREND_NEAR_TAPS; t += 8) STORE(near->weights + t, LOAD(filter + t) + ALL(share) * LOAD(slope + t));
  near->slope = slope;
  near->samples = samples + whole + 1 - NEAREND_NEAR_TAPS / 2;
  near->drift = (float)((step - 1) * bank->phases);
  near->early = (float)-middle * near->drift;
  // Forces the weights into memory: otherwise clang keeps them in vector registers and extracts each with shuffles.
  __asm__ volatile("" : : "r"(near) : "memory");
}

INLINE void resample_32(const nearend_bank *bank, const float *samples, double position, double step, float *out) {
  resample_filter near;
  resample_prepare(bank, samples, position, step, 32, &near);
  lanes a = (lanes){0, 1, 2, 3, 4, 5, 6, 7} * ALL(near.drift) + ALL(near.early);
  lanes b = a + ALL(8 * near.drift), c = b + ALL(8 * near.drift), d = c + ALL(8 * near.drift);
  lanes sumA = ALL(0), sumB = ALL(0), sumC = ALL(0), sumD = ALL(0);
#pragma clang loop unroll_count(8)
  for (int t = 0; t < NEAREND_NEAR_TAPS; t++) {
    lanes weight = ALL(near.weights[t]), change = ALL(near.slope[t]);
    sumA += (weight + a * change) * LOAD(near.samples + t);
    sumB += (weight + b * change) * LOAD(near.samples + t + 8);
    sumC += (weight + c * change) * LOAD(near.samples + t + 16);
    sumD += (weight + d * change) * LOAD(near.samples + t + 24);
  }
  STORE(out, sumA);
  STORE(out + 8, sumB);
  STORE(out + 16, sumC);
  STORE(out + 24, sumD);
}

// Computes 16 frames and writes `frames` of them.
INLINE void resample_16(const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  resample_filter near;
  resample_prepare(bank, samples, position, step, 16, &near);
  lanes a = (lanes){0, 1, 2, 3, 4, 5, 6, 7} * ALL(near.drift) + ALL(near.early), b = a + ALL(8 * near.drift);
  lanes sums[2] = {ALL(0), ALL(0)};
#pragma clang loop unroll_count(8)
  for (int t = 0; t < NEAREND_NEAR_TAPS; t++) {
    lanes weight = ALL(near.weights[t]), change = ALL(near.slope[t]);
    sums[0] += (weight + a * change) * LOAD(near.samples + t);
    sums[1] += (weight + b * change) * LOAD(near.samples + t + 8);
  }
  memcpy(out, sums, (size_t)frames * sizeof(float));
}

static void resample_near(const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  int first = 0;
  // The slope is as accurate over 32 frames within 250 ppm as over 16 within 500 ppm.
  if (step > 0.99975 && step < 1.00025)
    for (; frames - first >= 32; first += 32) resample_32(bank, samples, position + first * step, step, out + first);
  for (; frames - first >= 16; first += 16) resample_16(bank, samples, position + first * step, step, out + first, 16);
  if (first < frames) resample_16(bank, samples, position + first * step, step, out + first, frames - first);
}

static void resample(const nearend_bank *bank, const float *samples, double position, double step, float *out, int frames) {
  int taps = bank->taps;
  for (int i = 0; i < frames; i++) {
    double start = position + i * step;
    int whole = (int)start;
    ROW((float)(start - whole));
    const float *x = samples + whole + 1 - taps / 2;
    lanes sum = ALL(0);
    for (int t = 0; t < taps; t += 8) sum += (LOAD(filter + t) + ALL(share) * LOAD(slope + t)) * LOAD(x + t);
    lanes halves = sum + SHUFFLE(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3);
    lanes quarters = halves + SHUFFLE(halves, halves, 2, 3, 0, 1, 6, 7, 4, 5);
    out[i] = quarters[0] + quarters[1];
  }
}

const nearend_kernels NEAREND_KERNELS = {
    NEAREND_KERNELS_NAME, forward, inverse, multiply_add, predict, suppress, resample_near, resample, update, correlate};
