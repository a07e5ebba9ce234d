// The lowest bins of a short window of few samples, by the definition of the transform: its rows are so few that they cost less.

#define LOW_VECTORS (NEAREND_LOW_SAMPLES / 8)
_Static_assert(NEAREND_LOW_SAMPLES % 8 == 0, "samples come in vectors of eight");

static void low_analyze(const nearend_low_band *band, const float *samples, float *re, float *im) {
  lanes windowed[LOW_VECTORS];
  for (int i = 0; i < LOW_VECTORS; i++) windowed[i] = LOAD(band->window + 8 * i) * LOAD(samples + 8 * i);
  const float *cosines = band->cosines, *sines = band->sines;
  for (int k = 0; k < band->bins; k++, cosines += NEAREND_LOW_SAMPLES, sines += NEAREND_LOW_SAMPLES) {
    lanes real = ALL(0), imaginary = ALL(0);
#pragma clang loop unroll(full)
    for (int i = 0; i < LOW_VECTORS; i++) {
      real += windowed[i] * LOAD(cosines + 8 * i);
      imaginary += windowed[i] * LOAD(sines + 8 * i);
    }
    re[k] = SUM(real);
    im[k] = -SUM(imaginary);
  }
}

static void low_synthesize(const nearend_low_band *band, const float *re, const float *im, float *samples) {
  lanes sums[LOW_VECTORS];
  for (int i = 0; i < LOW_VECTORS; i++) sums[i] = ALL(0);
  const float *cosines = band->cosines, *sines = band->sines;
  for (int k = 0; k < band->bins; k++, cosines += NEAREND_LOW_SAMPLES, sines += NEAREND_LOW_SAMPLES) {
    lanes real = ALL(re[k]), imaginary = ALL(-im[k]);
#pragma clang loop unroll(full)
    for (int i = 0; i < LOW_VECTORS; i++) {
      sums[i] += real * LOAD(cosines + 8 * i);
      sums[i] += imaginary * LOAD(sines + 8 * i);
    }
  }
  for (int i = 0; i < LOW_VECTORS; i++) STORE(samples + 8 * i, LOAD(band->window + 8 * i) * sums[i]);
}

static void low_fit(const float *history, const float *signal, float memory, float *products, float *squares, int windows) {
  for (int i = 0; i < windows; i += 8) {
    lanes product = ALL(memory) * LOAD(products + i), square = ALL(memory) * LOAD(squares + i);
#pragma clang loop unroll_count(4)
    for (int n = 0; n < NEAREND_LOW_SAMPLES; n++) {
      lanes x = LOAD(history + i + n);
      product += ALL(signal[n]) * x;
      square += x * x;
    }
    STORE(products + i, product);
    STORE(squares + i, square);
  }
}

static void decimate(const float *taps, int count, const float *samples, int step, float *out, int frames) {
  for (int i = 0; i < frames; i++, samples += step) {
    lanes sums[2] = {ALL(0), ALL(0)};
    for (int n = 0; n < count; n += 16) {
      sums[0] += LOAD(taps + n) * LOAD(samples + n);
      sums[1] += LOAD(taps + n + 8) * LOAD(samples + n + 8);
    }
    out[i] = SUM(sums[0] + sums[1]);
  }
}
