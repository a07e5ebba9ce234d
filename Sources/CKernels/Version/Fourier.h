// Fourier transforms: Stockham's algorithm, radix 4, decimation in frequency, with a last stage of radix 2 if the power of two is
// odd.

// Every second lane of x, then of y; and both interleaved by one, two, four or eight lanes: the first vector of that, and the second.
#ifdef NEAREND_HAS_LONG_VECTORS
#define REVERSED(v) SHUFFLE(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define EVEN(x, y) SHUFFLE(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(x, y) SHUFFLE(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define FIRST1(x, y) SHUFFLE(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define SECOND1(x, y) SHUFFLE(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define FIRST2(x, y) SHUFFLE(x, y, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define SECOND2(x, y) SHUFFLE(x, y, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
#define FIRST4(x, y) SHUFFLE(x, y, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define SECOND4(x, y) SHUFFLE(x, y, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
#define FIRST8(x, y) SHUFFLE(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define SECOND8(x, y) SHUFFLE(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#else
#define REVERSED(v) SHUFFLE(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define EVEN(x, y) SHUFFLE(x, y, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(x, y) SHUFFLE(x, y, 1, 3, 5, 7, 9, 11, 13, 15)
#define FIRST1(x, y) SHUFFLE(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND1(x, y) SHUFFLE(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define FIRST2(x, y) SHUFFLE(x, y, 0, 1, 8, 9, 2, 3, 10, 11)
#define SECOND2(x, y) SHUFFLE(x, y, 4, 5, 12, 13, 6, 7, 14, 15)
#define FIRST4(x, y) SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define SECOND4(x, y) SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15)
#define FIRST8(x, y) (x)
#define SECOND8(x, y) (y)
#endif

// The butterfly of inputs a, b, c, d: outputs y0 and z1…z3.
#define PLAIN_BUTTERFLY                                                              \
  vector sumRe = aRe + cRe, sumIm = aIm + cIm, differenceRe = aRe - cRe, differenceIm = aIm - cIm; \
  vector sum2Re = bRe + dRe, sum2Im = bIm + dIm, turnedRe = dIm - bIm, turnedIm = bRe - dRe;       \
  vector y0Re = sumRe + sum2Re, y0Im = sumIm + sum2Im, z2Re = sumRe - sum2Re, z2Im = sumIm - sum2Im; \
  vector z1Re = differenceRe - turnedRe, z1Im = differenceIm - turnedIm;              \
  vector z3Re = differenceRe + turnedRe, z3Im = differenceIm + turnedIm

// The same, with z1…z3 multiplied by the roots w1…w3: outputs y0…y3.
#define BUTTERFLY                                                                    \
  PLAIN_BUTTERFLY;                                                                   \
  vector y1Re = w1Re * z1Re - w1Im * z1Im, y1Im = w1Re * z1Im + w1Im * z1Re;          \
  vector y2Re = w2Re * z2Re - w2Im * z2Im, y2Im = w2Re * z2Im + w2Im * z2Re;          \
  vector y3Re = w3Re * z3Re - w3Im * z3Im, y3Im = w3Re * z3Im + w3Im * z3Re

#define READ4(offset, step)                                                                    \
  vector aRe = READ(xRe + (offset)), bRe = READ(xRe + (offset) + (step)), cRe = READ(xRe + (offset) + 2 * (step)), \
        dRe = READ(xRe + (offset) + 3 * (step));                                               \
  vector aIm = READ(xIm + (offset)), bIm = READ(xIm + (offset) + (step)), cIm = READ(xIm + (offset) + 2 * (step)), \
        dIm = READ(xIm + (offset) + 3 * (step))

// Reads the roots of a vector of points; `count` roots of each power are stored.
#define READ_ROOTS(i, count)                                                                   \
  vector w1Re = READ(w + (i)), w1Im = READ(w + (count) + (i)), w2Re = READ(w + 2 * (count) + (i)), \
        w2Im = READ(w + 3 * (count) + (i)), w3Re = READ(w + 4 * (count) + (i)), w3Im = READ(w + 5 * (count) + (i))

// Stores four vectors at stride 1: interleaved, as groups of one lane of each.
#define STORE_TRANSPOSED(out, y0, y1, y2, y3)                                                  \
  do {                                                                                         \
    vector low01 = FIRST1(y0, y1), high01 = SECOND1(y0, y1), low23 = FIRST1(y2, y3), high23 = SECOND1(y2, y3); \
    STORE((out), FIRST2(low01, low23));                                                        \
    STORE((out) + WIDTH, SECOND2(low01, low23));                                               \
    STORE((out) + 2 * WIDTH, FIRST2(high01, high23));                                          \
    STORE((out) + 3 * WIDTH, SECOND2(high01, high23));                                         \
  } while (0)

// Stores four vectors at stride 4: interleaved, as groups of four lanes of each.
#define STORE_QUARTETS(out, y0, y1, y2, y3)                                                    \
  do {                                                                                         \
    vector low01 = FIRST4(y0, y1), high01 = SECOND4(y0, y1), low23 = FIRST4(y2, y3), high23 = SECOND4(y2, y3); \
    STORE((out), FIRST8(low01, low23));                                                        \
    STORE((out) + WIDTH, SECOND8(low01, low23));                                               \
    STORE((out) + 2 * WIDTH, FIRST8(high01, high23));                                          \
    STORE((out) + 3 * WIDTH, SECOND8(high01, high23));                                         \
  } while (0)

// Stores four outputs, `step` points apart.
#define STORE4(offset, step, y0, y1, y2, y3)                                                   \
  do {                                                                                         \
    STORE(outRe + (offset), y0##Re), STORE(outIm + (offset), y0##Im);                          \
    STORE(outRe + (offset) + (step), y1##Re), STORE(outIm + (offset) + (step), y1##Im);        \
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
      for (int i = 0; i < step; i += WIDTH) {
        READ4(i, step);
        READ_ROOTS(i, step);
        BUTTERFLY;
        STORE_TRANSPOSED(outRe + 4 * i, y0Re, y1Re, y2Re, y3Re);
        STORE_TRANSPOSED(outIm + 4 * i, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * step;
    } else if (stride == 4) {
      for (int i = 0; i < step; i += WIDTH) {
        READ4(i, step);
        READ_ROOTS(i, step);
        BUTTERFLY;
        STORE_QUARTETS(outRe + 4 * i, y0Re, y1Re, y2Re, y3Re);
        STORE_QUARTETS(outIm + 4 * i, y0Im, y1Im, y2Im, y3Im);
      }
      w += 6 * step;
    } else {
      // The first roots are 1.
      for (int q = 0; q < stride; q += WIDTH) {
        READ4(q, step);
        PLAIN_BUTTERFLY;
        STORE4(q, stride, y0, z1, z2, z3);
      }
      for (int p = 1; p < quarter; p++) {
        vector w1Re = COPIES(w[p]), w1Im = COPIES(w[quarter + p]), w2Re = COPIES(w[2 * quarter + p]), w2Im = COPIES(w[3 * quarter + p]),
              w3Re = COPIES(w[4 * quarter + p]), w3Im = COPIES(w[5 * quarter + p]);
        for (int q = 0; q < stride; q += WIDTH) {
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
    for (int q = 0; q < stride; q += WIDTH) {
      vector aRe = READ(xRe + q), aIm = READ(xIm + q), bRe = READ(xRe + stride + q), bIm = READ(xIm + stride + q);
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
  for (int i = 0; i < plan->points; i += WIDTH) {
    vector low = READ(samples + 2 * i), high = READ(samples + 2 * i + WIDTH);
    STORE_POINTS(i, low, high);
  }
}

INLINE void pack_windowed(const nearend_fourier *plan, const float *samples, const float *window, int count) {
  float *const *scratch = plan->scratch;
  int i = 0;
  for (; i < count / 2; i += WIDTH) {
    vector low = READ(samples + 2 * i) * READ(window + 2 * i), high = READ(samples + 2 * i + WIDTH) * READ(window + 2 * i + WIDTH);
    STORE_POINTS(i, low, high);
  }
  for (; i < plan->points; i += WIDTH) {
    STORE(scratch[0] + i, COPIES(0));
    STORE(scratch[1] + i, COPIES(0));
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
  ptrdiff_t last = end - WIDTH;
  for (ptrdiff_t next = 0; next < end; next += WIDTH) {
    ptrdiff_t k = next < last ? next : last, mirrored = points - k - WIDTH + 1;
    vector pRe = READ(zRe + k), pIm = READ(zIm + k);
    vector nRe = READ(zRe + mirrored), nIm = READ(zIm + mirrored);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    vector rRe = READ(plan->rootRe + k), rIm = READ(plan->rootIm + k);
    vector evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pIm + nIm, oddIm = nRe - pRe;
    vector xRe = COPIES(0.5f) * (evenRe + (rRe * oddRe - rIm * oddIm)), xIm = COPIES(0.5f) * (evenIm + (rRe * oddIm + rIm * oddRe));
    STORE(re + k, xRe);
    STORE(im + k, xIm);
    if (power) STORE(power + k, COPIES(scale) * (xRe * xRe + xIm * xIm));
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
  ptrdiff_t last = points - WIDTH;
  for (ptrdiff_t next = 1; next < points; next += WIDTH) {
    ptrdiff_t k = next < last ? next : last, mirrored = points - k - WIDTH + 1;
    vector pRe = READ(re + k), pIm = READ(im + k);
    vector nRe = READ(re + mirrored), nIm = READ(im + mirrored);
    nRe = REVERSED(nRe), nIm = REVERSED(nIm);
    vector rRe = READ(plan->rootRe + k), rIm = READ(plan->rootIm + k);
    vector evenRe = pRe + nRe, evenIm = pIm - nIm, oddRe = pRe - nRe, oddIm = pIm + nIm;
    STORE(zRe + k, COPIES(scale) * (evenRe - (rRe * oddIm - rIm * oddRe)));
    STORE(zIm + k, COPIES(scale) * (evenIm + (rRe * oddRe + rIm * oddIm)));
  }
  int where = 2 * transform(plan, scratch[0], scratch[1], scratch[2], scratch[3]);
  const float *odd = scratch[where], *even = scratch[where + 1];
  for (int i = 0; i < points; i += WIDTH) {
    vector e = READ(even + i), o = READ(odd + i);
    STORE(samples + 2 * i, FIRST1(e, o));
    STORE(samples + 2 * i + WIDTH, SECOND1(e, o));
  }
}
