// The adaptive filter's spectra.

static void multiply_add(
    const float *aRe, const float *aIm, const float *bRe, const float *bIm, float *sumRe, float *sumIm, int bins) {
  for (int k = 0; k < bins; k += 8) {
    lanes xRe = LOAD(aRe + k), xIm = LOAD(aIm + k), hRe = LOAD(bRe + k), hIm = LOAD(bIm + k);
    STORE(sumRe + k, LOAD(sumRe + k) + xRe * hRe - xIm * hIm);
    STORE(sumIm + k, LOAD(sumIm + k) + xRe * hIm + xIm * hRe);
  }
}

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
