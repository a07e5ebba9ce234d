// Blocks of samples: levels, filters, energies.

// Without fused operations, so that every version gives the same. Four sums, because additions to a single one would each wait for the one
// before.
static float mean_square(const float *samples, int frames) {
#pragma clang fp contract(off)
  lanes sums[4] = {ALL(0), ALL(0), ALL(0), ALL(0)};
  int i = 0;
  for (; i + 32 <= frames; i += 32) {
    for (int n = 0; n < 4; n++) {
      lanes x = LOAD(samples + i + 8 * n);
      sums[n] += x * x;
    }
  }
  lanes all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float sum = 0;
  for (int lane = 0; lane < 8; lane++) sum += all[lane];
  for (; i < frames; i++) sum += samples[i] * samples[i];
  return sum / (float)frames;
}

static float peak(const float *samples, int frames, float *check) {
  lanes peaks[4] = {ALL(0), ALL(0), ALL(0), ALL(0)}, checks[4] = {ALL(0), ALL(0), ALL(0), ALL(0)};
  int i = 0;
  for (; i + 32 <= frames; i += 32) {
    for (int n = 0; n < 4; n++) {
      lanes x = LOAD(samples + i + 8 * n), magnitude = (lanes)((masks)x & 0x7fffffff);
      peaks[n] = MOST(magnitude, peaks[n]);
      checks[n] += x - x;
    }
  }
  lanes all = MOST(MOST(peaks[0], peaks[1]), MOST(peaks[2], peaks[3]));
  all = MOST(all, SHUFFLE(all, all, 4, 5, 6, 7, 0, 1, 2, 3));
  all = MOST(all, SHUFFLE(all, all, 2, 3, 0, 1, 6, 7, 4, 5));
  float highest = all[0] > all[1] ? all[0] : all[1], sum = SUM((checks[0] + checks[1]) + (checks[2] + checks[3]));
  for (; i < frames; i++) {
    float magnitude = __builtin_fabsf(samples[i]);
    highest = magnitude > highest ? magnitude : highest;
    sum += samples[i] - samples[i];
  }
  *check = sum;
  return highest;
}

typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));

// Eight samples of the convolution with a response of eight, which seven zeros precede.
#define CONVOLVE(x, response) ({                                                        \
  lanes sum = ALL(0);                                                                   \
  _Pragma("clang loop unroll(full)")                                                    \
  for (int lag = 0; lag < 8; lag++) sum += ALL((x)[lag]) * LOAD((response) + 7 - lag);  \
  sum; })

// Filters eight samples in place.
INLINE void biquad_filter(const nearend_biquad_response *response, pair *state, lanes *samples) {
  lanes x = *samples, y = CONVOLVE(x, response->impulse);
  float s1 = (float)(*state)[0], s2 = (float)(*state)[1];
  *samples = y + ALL(s1) * LOAD(response->decay + 1) + ALL(s2) * LOAD(response->decay);
  quad low = {x[0], x[1], x[2], x[3]}, high = {x[4], x[5], x[6], x[7]};
  quad first = LOAD_AS(quad, response->first) * low + LOAD_AS(quad, response->first + 4) * high;
  quad second = LOAD_AS(quad, response->second) * low + LOAD_AS(quad, response->second + 4) * high;
  quad both = SHUFFLE(first, second, 0, 4, 2, 6) + SHUFFLE(first, second, 1, 5, 3, 7);
  *state = SHUFFLE(both, both, 0, 1) + SHUFFLE(both, both, 2, 3) + LOAD_AS(pair, response->fromFirst) * (pair){(*state)[0], (*state)[0]}
    + LOAD_AS(pair, response->fromSecond) * (pair){(*state)[1], (*state)[1]};
}

INLINE pair biquad_begin(const nearend_biquad *section) { return (pair){section->s1, section->s2}; }

INLINE void biquad_finish(pair state, nearend_biquad *section) {
  section->s1 = (float)state[0];
  section->s2 = (float)state[1];
}

INLINE float biquad_step(nearend_biquad *section, float x) {
  float y = section->b0 * x + section->s1;
  section->s1 = section->b1 * x - section->a1 * y + section->s2;
  section->s2 = section->b2 * x - section->a2 * y;
  return y;
}

static void biquad(nearend_biquad *section, const float *in, float *out, int frames) {
  pair state = biquad_begin(section);
  int i = 0;
  for (; i + 8 <= frames; i += 8) {
    lanes samples = LOAD(in + i);
    biquad_filter(&section->response, &state, &samples);
    STORE(out + i, samples);
  }
  biquad_finish(state, section);
  for (; i < frames; i++) out[i] = biquad_step(section, in[i]);
}

static float follow(const float *in, float share, float position, float *out, int frames) {
  // The response to an impulse, after seven zeros, and to the former position.
  float impulse[16] = {0}, decay[8], keep = 1 - share;
  impulse[7] = share;
  decay[0] = keep;
  for (int i = 1; i < 8; i++) {
    impulse[7 + i] = impulse[6 + i] * keep;
    decay[i] = decay[i - 1] * keep;
  }
  lanes decays = LOAD(decay), last = ALL(position);
  for (int i = 0; i < frames; i += 8) {
    lanes x = LOAD(in + i), y = CONVOLVE(x, impulse) + last * decays;
    STORE(out + i, y);
    last = SHUFFLE(y, y, 7, 7, 7, 7, 7, 7, 7, 7);
  }
  return last[0];
}

static float biquads_energy(nearend_biquad *first, nearend_biquad *second, const float *in, int frames) {
  pair p = biquad_begin(first), q = biquad_begin(second);
  lanes sums = ALL(0);
  int i = 0;
  for (; i + 8 <= frames; i += 8) {
    lanes samples = LOAD(in + i);
    biquad_filter(&first->response, &p, &samples);
    biquad_filter(&second->response, &q, &samples);
    sums += samples * samples;
  }
  biquad_finish(p, first);
  biquad_finish(q, second);
  float sum = 0;
  for (int lane = 0; lane < 8; lane++) sum += sums[lane];
  for (; i < frames; i++) {
    float y = biquad_step(second, biquad_step(first, in[i]));
    sum += y * y;
  }
  return sum;
}

static void hann_powers(const float *re, const float *im, float memory, float scale, float *windowed, float *whole, int bins) {
  for (int k = 8; k < bins - 8; k += 8) {
    lanes a = LOAD(re + k), b = LOAD(im + k);
    lanes windowedA = ALL(0.5f) * a - ALL(0.25f) * (LOAD(re + k - 1) + LOAD(re + k + 1));
    lanes windowedB = ALL(0.5f) * b - ALL(0.25f) * (LOAD(im + k - 1) + LOAD(im + k + 1));
    STORE(windowed + k, ALL(memory) * LOAD(windowed + k) + ALL(scale) * (windowedA * windowedA + windowedB * windowedB));
    STORE(whole + k, ALL(memory) * LOAD(whole + k) + a * a + b * b);
  }
}

static void band_sums(const float *values, const ptrdiff_t *edges, ptrdiff_t bands, float *sums) {
  masks lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (ptrdiff_t band = 0; band < bands; band++) {
    ptrdiff_t k = edges[band], end = edges[band + 1];
    lanes sum = ALL(0);
    for (; k + 8 <= end; k += 8) sum += LOAD(values + k);
    // The rest, of the eight values from there on.
    int left = (int)(end - k);
    sum += (lanes)((masks)LOAD(values + k) & (lane < (masks){left, left, left, left, left, left, left, left}));
    sums[band] = SUM(sum);
  }
}

static void saturate(const float *samples, float drive, float *out, int frames) {
  lanes steepness = ALL(drive);
  for (int i = 0; i < frames; i += 8) {
    lanes z = LEAST(MOST(steepness * LOAD(samples + i), ALL(-4.97f)), ALL(4.97f)), s = z * z;
    lanes numerator = z * (ALL(135135) + s * (ALL(17325) + s * (ALL(378) + s)));
    lanes denominator = ALL(135135) + s * (ALL(62370) + s * (ALL(3150) + s * ALL(28)));
    STORE(out + i, numerator / (steepness * denominator));
  }
}
