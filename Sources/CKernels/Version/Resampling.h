// Resampling.

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

static void resample_drift(
    const nearend_drift_table *table, const float *samples, double position, double step, float *out, int frames) {
  for (int first = 0; first < frames; first += 16) {
    // For the first of the frames at the middle's fraction.
    double at = position + first * step + 7.5 * (step - 1);
    int whole = (int)at;
    float phase = (float)((at - whole) * table->phases);
    int row = (int)phase;
    if (row > table->phases - 1) row = table->phases - 1;
    lanes share = ALL(phase - (float)row);
    const float *below = table->rows + (size_t)row * NEAREND_DRIFT_TAPS, *above = below + NEAREND_DRIFT_TAPS;
    float weights[NEAREND_DRIFT_TAPS];
    for (int t = 0; t < NEAREND_DRIFT_TAPS; t += 8) STORE(weights + t, LOAD(below + t) + share * (LOAD(above + t) - LOAD(below + t)));
    // Forces the weights into memory, as above.
    __asm__ volatile("" : : "r"(weights) : "memory");
    const float *x = samples + whole + 1 - NEAREND_DRIFT_TAPS / 2;
    lanes early = ALL(0), late = ALL(0);
#pragma clang loop unroll(full)
    for (int t = 0; t < NEAREND_DRIFT_TAPS; t++) {
      early += ALL(weights[t]) * LOAD(x + t);
      late += ALL(weights[t]) * LOAD(x + t + 8);
    }
    STORE(out + first, early);
    STORE(out + first + 8, late);
  }
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
    out[i] = SUM(sum);
  }
}
