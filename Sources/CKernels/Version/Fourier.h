// Fourier transforms: Stockham's algorithm, radix 4, decimation in frequency, with a last stage of radix 2 if the power of two is
// odd.

// Every second lane of x, then of y; and both interleaved by one, two or four lanes: the first vector of that, and the second.
#define REVERSED(v) SHUFFLE(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define EVEN(x, y) SHUFFLE(x, y, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(x, y) SHUFFLE(x, y, 1, 3, 5, 7, 9, 11, 13, 15)
#define FIRST1(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND1(x, y) SHUFFLE(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define FIRST2(x, y) SHUFFLE(x, y, 0, 1, 8, 9, 2, 3, 10, 11)
#define SECOND2(x, y) SHUFFLE(x, y, 4, 5, 12, 13, 6, 7, 14, 15)
#define FIRST4(x, y) SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define SECOND4(x, y) SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15)

// The butterfly of inputs a, b, c, d: outputs y0 and z1…z3.
#define PLAIN_BUTTERFLY                                                                             \
  lanes sumRe = aRe + cRe, sumIm = aIm + cIm, differenceRe = aRe - cRe, differenceIm = aIm - cIm;   \
  lanes sum2Re = bRe + dRe, sum2Im = bIm + dIm, turnedRe = dIm - bIm, turnedIm = bRe - dRe;         \
  lanes y0Re = sumRe + sum2Re, y0Im = sumIm + sum2Im, z2Re = sumRe - sum2Re, z2Im = sumIm - sum2Im; \
  lanes z1Re = differenceRe - turnedRe, z1Im = differenceIm - turnedIm;                             \
  lanes z3Re = differenceRe + turnedRe, z3Im = differenceIm + turnedIm

// The same, with z1…z3 multiplied by the roots w1…w3: outputs y0…y3.
#define BUTTERFLY                                                           \
  PLAIN_BUTTERFLY;                                                          \
  lanes y1Re = w1Re * z1Re - w1Im * z1Im, y1Im = w1Re * z1Im + w1Im * z1Re; \
  lanes y2Re = w2Re * z2Re - w2Im * z2Im, y2Im = w2Re * z2Im + w2Im * z2Re; \
  lanes y3Re = w3Re * z3Re - w3Im * z3Im, y3Im = w3Re * z3Im + w3Im * z3Re

#define READ4(offset, step)                                                                                       \
  lanes aRe = LOAD(xRe + (offset)), bRe = LOAD(xRe + (offset) + (step)), cRe = LOAD(xRe + (offset) + 2 * (step)), \
        dRe = LOAD(xRe + (offset) + 3 * (step));                                                                  \
  lanes aIm = LOAD(xIm + (offset)), bIm = LOAD(xIm + (offset) + (step)), cIm = LOAD(xIm + (offset) + 2 * (step)), \
        dIm = LOAD(xIm + (offset) + 3 * (step))

// Reads the roots of a vector of points; `count` roots of each power are stored.
#define READ_ROOTS(i, count)                                                                      \
  lanes w1Re = LOAD(w + (i)), w1Im = LOAD(w + (count) + (i)), w2Re = LOAD(w + 2 * (count) + (i)), \
        w2Im = LOAD(w + 3 * (count) + (i)), w3Re = LOAD(w + 4 * (count) + (i)), w3Im = LOAD(w + 5 * (count) + (i))

// Stores four vectors at stride 1: interleaved, as groups of one lane of each.
#define STORE_TRANSPOSED(out, y0, y1, y2, y3)                                                                 \
  do {                                                                                                        \
    lanes low01 = FIRST1(y0, y1), high01 = SECOND1(y0, y1), low23 = FIRST1(y2, y3), high23 = SECOND1(y2, y3); \
    STORE((out), FIRST2(low01, low23));                                                                       \
    STORE((out) + 8, SECOND2(low01, low23));                                                                  \
    STORE((out) + 16, FIRST2(high01, high23));                                                                \
    STORE((out) + 24, SECOND2(high01, high23));                                                               \
  } while (0)

// Stores four vectors at stride 4: interleaved, as groups of four lanes of each.
#define STORE_QUARTETS(out, y0, y1, y2, y3) \
  do {                                      \
    STORE((out), FIRST4(y0, y1));           \
    STORE((out) + 8, FIRST4(y2, y3));       \
    STORE((out) + 16, SECOND4(y0, y1));     \
    STORE((out) + 24, SECOND4(y2, y3));     \
  } while (0)

// Stores four outputs, `step` points apart.
#define STORE4(offset, step, y0, y1, y2, y3)                                                    \
  do {                                                                                          \
    STORE(outRe + (offset), y0##Re), STORE(outIm + (offset), y0##Im);                           \
    STORE(outRe + (offset) + (step), y1##Re), STORE(outIm + (offset) + (step), y1##Im);         \
    STORE(outRe + (offset) + 2 * (step), y2##Re), STORE(outIm + (offset) + 2 * (step), y2##Im); \
    STORE(outRe + (offset) + 3 * (step), y3##Re), STORE(outIm + (offset) + 3 * (step), y3##Im); \
  } while (0)

// Transforms the complex points at a, with b as the second buffer. Returns the buffer of the result: 0 for a, 1 for b.
INLINE int transform(const nearend_fourier *plan, float *aReal, float *aImaginary, float *bReal, float *bImaginary) {
  const float *w = plan->twiddles;
  float *xRe = aReal, *xIm = aImaginary, *outRe = bReal, *outIm = bImaginary;
  int n = plan->points, stride = 1, swaps = 0;
  for (; n >= 4; n /= 4, stride *= 4, swaps++) {
    int quarter = n / 4, step = stride * quarter;
    if (stride == 1) {
      for (int i = 0; i < step; i += 8) {
        READ4(i, step);
        READ_ROOTS(i, step);
        BUTTERFLY;
        STORE_TRANSPOSED(outRe + 4 * i, y0Re, y1Re, y2Re, y3Re);
        STORE_TRANSPOSED(outIm + 4 * i, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * step;
    } else if (stride == 4) {
      for (int i = 0; i < step; i += 8) {
        READ4(i, step);
        READ_ROOTS(i, step);
        BUTTERFLY;
        STORE_QUARTETS(outRe + 4 * i, y0Re, y1Re, y2Re, y3Re);
        STORE_QUARTETS(outIm + 4 * i, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * step;
    } else {
      // The first roots are 1.
      for (int q = 0; q < stride; q += 8) {
        READ4(q, step);
        PLAIN_BUTTERFLY;
        STORE4(q, stride, y0, z1, z2, z3);
      }
      for (int p = 1; p < quarter; p++) {
        lanes w1Re = ALL(w[p]), w1Im = ALL(w[quarter + p]), w2Re = ALL(w[2 * quarter + p]), w2Im = ALL(w[3 * quarter + p]),
              w3Re = ALL(w[4 * quarter + p]), w3Im = ALL(w[5 * quarter + p]);
        for (int q = 0; q < stride; q += 8) {
          READ4(stride * p + q, step);
          BUTTERFLY;
          STORE4(4 * stride * p + q, stride, y0, y1, y2, y3);
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

// Splits real samples into complex points: the even ones are the real parts.
#define STORE_POINTS(i, low, high)            \
  do {                                        \
    STORE(scratch[0] + (i), EVEN(low, high)); \
    STORE(scratch[1] + (i), ODD(low, high));  \
  } while (0)

INLINE void pack(const nearend_fourier *plan, const float *samples) {
  float *const *scratch = plan->scratch;
  for (int i = 0; i < plan->points; i += 8) {
    lanes low = LOAD(samples + 2 * i), high = LOAD(samples + 2 * i + 8);
    STORE_POINTS(i, low, high);
  }
}

INLINE void pack_windowed(const nearend_fourier *plan, const float *samples, const float *window, int count) {
  float *const *scratch = plan->scratch;
  int i = 0;
  for (; i < count / 2; i += 8) {
    lanes low = LOAD(samples + 2 * i) * LOAD(window + 2 * i), high = LOAD(samples + 2 * i + 8) * LOAD(window + 2 * i + 8);
    STORE_POINTS(i, low, high);
  }
  for (; i < plan->points; i += 8) {
    STORE(scratch[0] + i, ALL(0));
    STORE(scratch[1] + i, ALL(0));
  }
}

// Transforms the points in the scratch memory, and computes the first `bins` bins, a multiple of 8, at least 16, or all; their `power`
// unless it is null.
INLINE void unpack(const nearend_fourier *plan, float *re, float *im, int bins, float *power, float scale) {
  int points = plan->points;
  float *const *scratch = plan->scratch;
  int where = 2 * transform(plan, scratch[0], scratch[1], scratch[2], scratch[3]);
  float *zRe = scratch[where], *zIm = scratch[where + 1];
  // Z is periodic.
  zRe[points] = zRe[0], zIm[points] = zIm[0];
  // The spectrum X of 2n samples from that of n complex points, Z: X(k) = (Z(k) + Z*(n − k)) / 2 − i root(k) (Z(k) − Z*(n − k)) / 2
  int end = bins < points ? bins : points;
  // The last vector is moved back, over a part of the one before.
  ptrdiff_t last = end - 8;
  for (ptrdiff_t next = 0; next < end; next += 8) {
    ptrdiff_t k = next < last ? next : last, mirrored = points - k - 8 + 1;
    lanes pRe = LOAD(zRe + k), pIm = LOAD(zIm + k);
    lanes nRe = LOAD(zRe + mirrored), nIm = LOAD(zIm + mirrored);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    lanes rRe = LOAD(plan->rootRe + k), rIm = LOAD(plan->rootIm + k);
    lanes evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pIm + nIm, oddIm = nRe - pRe;
    lanes xRe = ALL(0.5f) * (evenRe + (rRe * oddRe - rIm * oddIm)), xIm = ALL(0.5f) * (evenIm + (rRe * oddIm + rIm * oddRe));
    STORE(re + k, xRe);
    STORE(im + k, xIm);
    if (power) STORE(power + k, ALL(scale) * (xRe * xRe + xIm * xIm));
  }
  if (bins <= points) return;
  re[points] = zRe[0] - zIm[0];
  im[points] = 0;
  if (power) power[points] = scale * re[points] * re[points];
}

static void forward(const nearend_fourier *plan, const float *samples, float *re, float *im, int bins) {
  pack(plan, samples);
  unpack(plan, re, im, bins, NULL, 0);
}

static void analyze(
    const nearend_fourier *plan, const float *samples, const float *window, int count, float *re, float *im, float *power, float scale) {
  pack_windowed(plan, samples, window, count);
  unpack(plan, re, im, plan->points + 1, power, scale);
}

static void inverse(const nearend_fourier *plan, const float *re, const float *im, float *samples) {
  int points = plan->points;
  float *const *scratch = plan->scratch;
  // Real and imaginary parts are swapped, so that the forward transform computes the inverse.
  float *zRe = scratch[1], *zIm = scratch[0];
  float scale = 0.5f / (float)points;
  // The inverse of `unpack`: Z(k) = (X(k) + X*(n − k)) / 2 + i root*(k) (X(k) − X*(n − k)) / 2
  zRe[0] = scale * (re[0] + re[points]);
  zIm[0] = scale * (re[0] - re[points]);
  ptrdiff_t last = points - 8;
  for (ptrdiff_t next = 1; next < points; next += 8) {
    ptrdiff_t k = next < last ? next : last, mirrored = points - k - 8 + 1;
    lanes pRe = LOAD(re + k), pIm = LOAD(im + k);
    lanes nRe = LOAD(re + mirrored), nIm = LOAD(im + mirrored);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    lanes rRe = LOAD(plan->rootRe + k), rIm = LOAD(plan->rootIm + k);
    lanes evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pRe - nRe, oddIm = pIm + nIm;
    STORE(zRe + k, ALL(scale) * (evenRe - (rRe * oddIm - rIm * oddRe)));
    STORE(zIm + k, ALL(scale) * (evenIm + (rRe * oddRe + rIm * oddIm)));
  }
  int where = 2 * transform(plan, scratch[0], scratch[1], scratch[2], scratch[3]);
  const float *odd = scratch[where], *even = scratch[where + 1];
  for (int i = 0; i < points; i += 8) {
    lanes e = LOAD(even + i), o = LOAD(odd + i);
    STORE(samples + 2 * i, FIRST1(e, o));
    STORE(samples + 2 * i + 8, SECOND1(e, o));
  }
}
