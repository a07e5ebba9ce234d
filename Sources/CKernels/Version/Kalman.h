// The adaptive filter's spectra.

static void multiply_add(
    const float *aRe, const float *aIm, const float *bRe, const float *bIm, float *sumRe, float *sumIm, int bins) {
  for (int k = 0; k < bins; k += 8) {
    lanes xRe = LOAD(aRe + k), xIm = LOAD(aIm + k), hRe = LOAD(bRe + k), hIm = LOAD(bIm + k);
    STORE(sumRe + k, LOAD(sumRe + k) + xRe * hRe - xIm * hIm);
    STORE(sumIm + k, LOAD(sumIm + k) + xRe * hIm + xIm * hRe);
  }
}

// Loads eight bins of the sums, `re`, `im` and `u`, runs code that adds to them, and stores them.
#define PREDICTED(code) ({ \
  lanes re = LOAD(echoRe + k), im = LOAD(echoIm + k), u = LOAD(uncertainty + k); \
  code; \
  STORE(echoRe + k, re); \
  STORE(echoIm + k, im); \
  STORE(uncertainty + k, u); })

// Adds what eight bins of a row, from `k` on, predict.
#define PREDICT(x, w) ({ \
  lanes xRe = LOAD((x) + k), xIm = LOAD((x) + stride + k), wRe = LOAD((w) + k), wIm = LOAD((w) + stride + k); \
  re = re + xRe * wRe - xIm * wIm; \
  im = im + xRe * wIm + xIm * wRe; \
  u = u + (xRe * xRe + xIm * xIm) * LOAD((w) + 2 * stride + k); })

#define PREFETCH(x, w) ({ \
  __builtin_prefetch((x) + k); \
  __builtin_prefetch((x) + stride + k); \
  __builtin_prefetch((w) + k); \
  __builtin_prefetch((w) + stride + k); \
  __builtin_prefetch((w) + 2 * stride + k); })

typedef struct {
  const float *x, *w;
  int bins;
} prediction_row;

// The next row that is used, or one of no bins.
INLINE prediction_row next_row(const nearend_partitions *rows, int *row) {
  while (*row < rows->count && rows->bins[*row] == 0) ++*row;
  if (*row >= rows->count) return (prediction_row){NULL, NULL, 0};
  int at = (*row)++;
  return (prediction_row){rows->references[at], rows->weights + (size_t)at * 3 * (size_t)rows->stride, rows->bins[at]};
}

// Computes two rows at a time, so that memory is read in streams that the processor prefetches: most weights and references have left its
// caches since the previous hop. Rows end before the processor recognizes their streams, so the next two are prefetched. The sums stay in
// the first-level cache.
static void predict(const nearend_partitions *rows, float *echoRe, float *echoIm, float *uncertainty) {
  size_t stride = (size_t)rows->stride;
  int row = 0;
  prediction_row first = next_row(rows, &row), second = next_row(rows, &row);
  while (first.bins > 0) {
    prediction_row third = next_row(rows, &row), fourth = next_row(rows, &row);
    int both = first.bins < second.bins ? first.bins : second.bins, k = 0;
    for (; k < both; k += 8) {
      if ((k & 8) == 0) {
        if (k < third.bins) PREFETCH(third.x, third.w);
        if (k < fourth.bins) PREFETCH(fourth.x, fourth.w);
      }
      PREDICTED(PREDICT(first.x, first.w); PREDICT(second.x, second.w));
    }
    for (; k < first.bins; k += 8) PREDICTED(PREDICT(first.x, first.w));
    for (k = both; k < second.bins; k += 8) PREDICTED(PREDICT(second.x, second.w));
    first = third, second = fourth;
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

static void average_power(const float *re, const float *im, float *power, int bins, float remaining) {
  lanes memory = ALL(remaining), fresh = ALL(1 - remaining);
  for (int k = 0; k < bins; k += 8) {
    lanes r = LOAD(re + k), i = LOAD(im + k);
    STORE(power + k, memory * LOAD(power + k) + fresh * (r * r + i * i));
  }
}

static void learn(const nearend_learning *step, float *errors, float *products, float *estimates) {
  int bins = step->bins, width = step->width, stride = step->stride;
  const float *x = step->reference, *other = step->otherReference;
  float *squares = step->squares;
  average_power(x, x + stride, step->referencePower, bins, step->referenceMemory);
  if (other) average_power(other, other + stride, step->referencePower + stride, bins, step->referenceMemory);
  for (int k = 0; k < bins + 8; k += 8) {
    lanes re = LOAD(step->errorRe + k), im = LOAD(step->errorIm + k);
    STORE(squares + k, re * re + im * im);
  }
  lanes scale = ALL(1 / (float)(2 * width + 1)), memory = ALL(step->smoothing), share = ALL(step->windowShare);
  lanes errorSum = ALL(0), productSum = ALL(0), estimateSum = ALL(0);
  for (int k = 0; k < bins; k += 8) {
    lanes sum = LOAD(squares + k - width);
    for (int offset = 1 - width; offset <= width; offset++) sum += LOAD(squares + k + offset);
    lanes newest = scale * sum, former = LOAD(step->noise + k);
    lanes noise = SELECT(former == ALL(0), newest, newest + memory * (former - newest));
    STORE(step->noise + k, noise);
    lanes floor = LEAST(noise, ALL(step->rise) * LOAD(step->floor + k));
    STORE(step->floor + k, floor);
    lanes u = LOAD(step->uncertainty + k), re = LOAD(step->echoRe + k), im = LOAD(step->echoIm + k), power = re * re + im * im;
    lanes ratio = (u + share * power) / (floor + ALL(1e-12f)), weight = LOAD(step->excitation + k) * LEAST(ratio * ratio, ALL(1));
    lanes gain = weight / (u + ALL(step->overcount) * noise + ALL(step->leastError));
    STORE(step->inverse + k, gain);
    STORE(step->change + k, ALL(step->processNoise) * weight);
    errorSum += LOAD(squares + k);
    productSum += gain * (re * LOAD(step->errorRe + k) + im * LOAD(step->errorIm + k));
    estimateSum += gain * power;
  }
  *errors = SUM(errorSum), *products = SUM(productSum), *estimates = SUM(estimateSum);
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
