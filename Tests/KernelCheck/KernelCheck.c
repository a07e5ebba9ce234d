// Runs every kernel of the canceller on the same pseudorandom input, for comparison between processors; see Scripts/test-kernels.
//
// KernelCheck write: writes the results to standard output. KernelCheck compare: compares its own with those on standard input.
#include "CKernels.h"

#include <stdio.h>
#include <stdlib.h>

#define BINS 952
#define LONGEST 8192
// Resampling: frames, and samples before and after them.
#define FRAMES 239
#define MARGIN 64

static bool compares;
static int failures, checks;
// The largest difference as a share of its result's largest value.
static double worst;

// Uniform in −1..<1, the same on every processor (Marsaglia's xorshift, 2003).
static float noise(void) {
  static uint64_t state = 0x9E3779B97F4A7C15;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (float)((double)(state >> 40) / 8388608 - 1);
}

static void fill(float *values, int count, float scale) {
  for (int i = 0; i < count; i++) values[i] = scale * noise();
}

static void fill_positive(float *values, int count, float scale) {
  for (int i = 0; i < count; i++) values[i] = scale * (0.5f * noise() + 0.5001f);
}

static void fail(const char *problem) {
  fprintf(stderr, "kernels: %s\n", problem);
  exit(2);
}

// Writes values, or compares them: their largest error may be `tolerance` of the other's largest value.
static void check(const char *name, const float *values, int count, double tolerance) {
  static float others[LONGEST + 1];
  if (count > LONGEST + 1) fail("too many values");
  if (!compares) {
    if (fwrite(values, sizeof *values, (size_t)count, stdout) != (size_t)count) fail("standard output takes no more");
    return;
  }
  if (fread(others, sizeof *others, (size_t)count, stdin) != (size_t)count) fail("standard input ends early");
  double largest = 0, error = 0;
  bool isFinite = true;
  for (int i = 0; i < count; i++) {
    isFinite = isFinite && isfinite(values[i]) && isfinite(others[i]);
    largest = fmax(largest, fabs((double)others[i]));
    error = fmax(error, fabs((double)values[i] - (double)others[i]));
  }
  bool isAlike = isFinite && largest > 0 && error <= tolerance * largest;
  if (!isAlike) printf("\n%s differs by %.1e of its largest value; at most %.0e is allowed", name, error / largest, tolerance);
  worst = fmax(worst, error / largest);
  checks++;
  failures += !isAlike;
}

static void check_samples(void) {
  enum { frames = 253, bands = 4 };
  static float samples[frames + 8], out[256];
  const ptrdiff_t edges[bands + 1] = {0, 1, 9, 100, 250};
  float levels[4], sums[bands];
  fill(samples, frames + 8, 0.3f);
  levels[0] = nearend_mean_square(samples, frames);
  levels[1] = nearend_peak(samples, frames, levels + 2);
  check("mean_square, peak", levels, 3, 0);
  nearend_band_sums(samples, edges, bands, sums);
  check("band_sums", sums, bands, 1e-5);
  nearend_saturate(samples, 16, out, 248);
  check("saturate", out, 248, 1e-5);
  // A high-pass filter of 90 Hz and a low-pass filter of 3.4 kHz at 48 kHz.
  nearend_biquad high = {0.991704f, -1.983408f, 0.991704f, -1.983339f, 0.983477f, 0, 0, {0}};
  nearend_biquad low = {0.037148f, 0.074296f, 0.037148f, -1.398305f, 0.546896f, 0, 0, {0}};
  nearend_biquad_prepare(&high);
  nearend_biquad_prepare(&low);
  for (int hop = 0; hop < 20; hop++) {
    fill(samples, frames, 0.3f);
    levels[0] = nearend_biquads_energy(&high, &low, samples, frames);
  }
  check("biquads_energy", levels, 1, 1e-5);
  static float filtered[frames], followed[248];
  float position = 0.1f;
  for (int hop = 0; hop < 20; hop++) {
    fill(samples, frames, 0.3f);
    nearend_biquad_filter(&high, samples, filtered, frames);
    position = nearend_follow(samples, 0.02f, position, followed, 248);
  }
  check("biquad_filter", filtered, frames, 1e-5);
  check("follow", followed, 248, 1e-5);
  static float windowed[256], whole[256], im[256];
  fill(out, 256, 1);
  fill(im, 256, 1);
  nearend_hann_powers(out, im, 0.9f, 2.7f, windowed, whole, 256);
  check("hann_powers, windowed", windowed, 256, 1e-5);
  check("hann_powers, whole", whole, 256, 1e-5);
}

static void check_transforms(void) {
  static float samples[LONGEST], window[LONGEST], re[LONGEST / 2 + 1], im[LONGEST / 2 + 1], power[LONGEST / 2 + 1];
  for (int length = 128; length <= LONGEST; length *= 2) {
    nearend_fourier *plan = nearend_fourier_create(length);
    if (!plan) fail("no plan of a Fourier transform");
    char name[64];
    fill(samples, length, 1);
    nearend_fourier_forward(plan, samples, re, im);
    snprintf(name, sizeof name, "fourier_forward, %d", length);
    check(name, re, length / 2 + 1, 1e-6);
    check(name, im, length / 2 + 1, 1e-6);
    nearend_fourier_first_bins(plan, samples, re, im, length / 4 + 8);
    snprintf(name, sizeof name, "fourier_first_bins, %d", length);
    check(name, re, length / 4 + 8, 1e-6);
    check(name, im, length / 4 + 8, 1e-6);
    fill(window, length, 1);
    nearend_fourier_analyze(plan, samples, window, length / 2, re, im, power, 0.5f);
    snprintf(name, sizeof name, "fourier_analyze, %d", length);
    check(name, re, length / 2 + 1, 1e-6);
    check(name, power, length / 2 + 1, 1e-5);
    nearend_fourier_inverse(plan, re, im, samples);
    snprintf(name, sizeof name, "fourier_inverse, %d", length);
    check(name, samples, length, 1e-6);
    nearend_fourier_destroy(plan);
  }
}

static void check_filters(void) {
  enum { rows = 7 };
  static float references[rows][2 * BINS], weights[rows * 3 * BINS], meanSquares[rows];
  static float re[BINS], im[BINS], uncertainty[BINS], inverse[BINS], change[BINS], other[2 * BINS];
  const float *pointers[rows];
  // A row without input is skipped.
  const int bins[rows] = {472, BINS, 0, 8, BINS, BINS, 0};
  for (int row = 0; row < rows; row++) {
    pointers[row] = references[row];
    fill(references[row], 2 * BINS, 8);
    fill(weights + row * 3 * BINS, 2 * BINS, 0.2f);
    fill_positive(weights + (row * 3 + 2) * BINS, BINS, 0.01f);
  }
  nearend_partitions partitions = {pointers, weights, bins, meanSquares, rows, BINS};
  fill_positive(inverse, BINS, 0.02f);
  fill_positive(change, BINS, 1e-3f);
  for (int hop = 0; hop < 20; hop++) {
    fill(re, BINS, 4);
    fill(im, BINS, 4);
    memset(uncertainty, 0, sizeof uncertainty);
    nearend_kalman_predict(&partitions, re, im, uncertainty);
    nearend_kalman_update(&partitions, re, im, inverse, change, 0.125f);
  }
  check("kalman_predict, echo", re, BINS, 1e-5);
  check("kalman_predict, uncertainty", uncertainty, BINS, 1e-5);
  for (int row = 0; row < rows; row++) {
    if (bins[row] == 0) continue;
    check("kalman_update, weights", weights + row * 3 * BINS, 2 * BINS, 1e-5);
    check("kalman_update, variances", weights + (row * 3 + 2) * BINS, BINS, 1e-5);
  }
  check("kalman_update, mean squares", meanSquares, rows, 1e-5);

  fill(other, 2 * BINS, 1);
  nearend_multiply_add(references[0], references[0] + BINS, other, other + BINS, re, im, BINS);
  check("multiply_add", re, BINS, 1e-5);
  check("multiply_add", im, BINS, 1e-5);
}

static void check_learning(void) {
  static float reference[2 * BINS], other[2 * BINS], error[2 * (BINS + 8)], echo[2 * BINS], uncertainty[BINS], excitation[BINS];
  static float referencePower[2 * BINS];
  static float noisePower[BINS], floor[BINS], squares[BINS + 24], inverse[BINS], change[BINS];
  nearend_learning step = {
      BINS, BINS, reference, other, error, error + BINS + 8, echo, echo + BINS, uncertainty, excitation, referencePower, noisePower, floor,
      squares + 8, inverse, change, 5, 0.7f, 0.995f, 1.006f, 0.5f, 1.4f, 2e-3f, 1e-8f};
  float sums[3];
  fill_positive(floor, BINS, 1e3f);
  for (int hop = 0; hop < 20; hop++) {
    fill(reference, 2 * BINS, 8);
    fill(other, 2 * BINS, 8);
    fill(error, 2 * (BINS + 8), 4);
    fill(echo, 2 * BINS, 1);
    fill_positive(uncertainty, BINS, 1);
    fill_positive(excitation, BINS, 1);
    nearend_kalman_learn(&step, sums, sums + 1, sums + 2);
  }
  check("kalman_learn, sums", sums, 3, 1e-5);
  check("kalman_learn, references", referencePower, 2 * BINS, 1e-5);
  check("kalman_learn, noise", noisePower, BINS, 1e-5);
  check("kalman_learn, floor", floor, BINS, 1e-5);
  check("kalman_learn, inverse", inverse, BINS, 1e-5);
  check("kalman_learn, change", change, BINS, 1e-5);
}

static void check_correlation(void) {
  static float cross[2 * BINS], power[BINS], x[2 * BINS], error[2 * BINS], errorPower[BINS];
  nearend_correlation row = {cross, cross + BINS, power, BINS, 0.9f};
  float sums[20];
  for (int hop = 0; hop < 20; hop++) {
    fill(x, 2 * BINS, 1);
    fill(error, 2 * BINS, 1);
    fill_positive(errorPower, BINS, 1);
    sums[hop] = nearend_correlate(&row, x, error, errorPower);
  }
  check("correlate, coherence", sums, 20, 1e-5);
  check("correlate, cross spectrum", cross, 2 * BINS, 1e-5);
  check("correlate, power", power, BINS, 1e-5);
}

// Each hop has its own state: in a longer run, a bin might come to lie on either side of a threshold.
static void check_suppressor(void) {
  enum { bins = 528, single = 352, covered = single + NEAREND_JOINED * (bins - single) };
  static float powers[bins + 16], echo[bins], presence[bins], noisePower[bins], speech[bins], clean[bins], gain[bins];
  static float smoothed[bins], least[bins], most[bins], formerLeast[bins], octaves[bins], phases[2 * covered], spectrum[2 * covered];
  // Its neighbours are read, too.
  float *power = powers + 8;
  for (int round = 0; round < 8; round++) {
    fill_positive(presence, bins, 1);
    fill_positive(speech, bins, 1);
    fill_positive(gain, bins, 1);
    fill(phases, 2 * covered, 1);
    fill(spectrum, 2 * covered, 1);
    fill(octaves, bins, 6);
    for (int k = 0; k < bins; k++) {
      // From far below to far above the noise.
      float level = 1e-4f + fabsf(noise());
      power[k] = level * powf(10, 4 * noise() - 2);
      echo[k] = level * powf(10, 4 * noise() - 3);
      noisePower[k] = level * 1e-3f;
      clean[k] = level * fabsf(noise());
      smoothed[k] = level;
      least[k] = level * 0.3f;
      most[k] = level * 3 * fabsf(noise());
      formerLeast[k] = k % 3 ? 1e-4f : -1e-4f;
    }
    nearend_suppression hop = {
        bins, single, power, round % 4 != 2, echo, presence, noisePower, speech, clean, gain, phases, phases + covered, 0.7f, 0.05f, 0.08f,
        round % 2 ? 1 : 0.4f, 0.95f, 0.88f, 0.8f, 0.9f, 0.85f, smoothed, least, most, formerLeast, round % 4 == 3, 8, round < 4,
        0.55f, 0.003f, 31.6f, 31.6f, 3000, 0.99f, 0.5f, 0.1f, round % 3 * 0.5f, round % 2 == 0, octaves};
    nearend_suppress(&hop, spectrum, spectrum + covered);
    check("suppress, spectrum", spectrum, 2 * covered, 1e-5);
    check("suppress, gain", gain, bins, 1e-5);
    check("suppress, clean", clean, bins, 1e-5);
    check("suppress, noise", noisePower, bins, 1e-5);
    check("suppress, speech", speech, bins, 1e-5);
    check("suppress, smoothed", smoothed, bins, 1e-5);
    check("suppress, least", least, bins, 1e-5);
    check("suppress, most", most, bins, 1e-5);
    if (round % 4 == 3) check("suppress, former least", formerLeast, bins, 1e-5);
    nearend_join(spectrum, clean, single, bins);
    check("join", clean, bins, 1e-5);
  }
}

static void check_likelihood(void) {
  enum { bands = 32 };
  static float error[bands], echo[bands], noisePower[bands], overNoise[bands], overEcho[bands], shares[bands], presence[bands];
  for (int round = 0; round < 8; round++) {
    fill_positive(overNoise, bands, 1);
    fill_positive(overEcho, bands, 1);
    for (int band = 0; band < bands; band++) {
      // From far below to far above what is expected; every fourth is silent.
      float level = band % 4 == round % 4 ? 0 : 1e-4f + fabsf(noise());
      error[band] = level * powf(10, 4 * noise() - 2);
      echo[band] = level * powf(10, 4 * noise() - 3);
      noisePower[band] = level * 1e-3f;
    }
    nearend_likelihood hop = {bands, error, echo, noisePower, overNoise, overEcho, 1.3f, 3.8f, 1.2f, 0.9f, 0.2f, 0.6f, 0.05f};
    nearend_judge(&hop, shares, presence);
    check("judge, echo's share", shares, bands, 1e-5);
    check("judge, over noise", overNoise, bands, 1e-5);
    check("judge, over echo", overEcho, bands, 1e-5);
    check("judge, presence", presence, bands, 1e-5);
  }
}

static void check_low_band(void) {
  enum { bins = 43, samples = NEAREND_LOW_SAMPLES, windows = 56, step = 16, taps = 8 * step };
  static float cosines[bins * samples], sines[bins * samples], window[samples], history[windows + samples], long_history[samples * step];
  static float re[bins], im[bins], signal[samples], products[windows], squares[windows], filter[taps];
  for (int i = 0; i < bins * samples; i++) {
    double angle = 2 * M_PI * (i / samples) * (i % samples) / 128;
    cosines[i] = (float)cos(angle), sines[i] = (float)sin(angle);
  }
  fill_positive(window, samples, 1);
  fill(filter, taps, 0.1f);
  nearend_low_band band = {cosines, sines, window, bins};
  for (int round = 0; round < 4; round++) {
    fill(history, windows + samples, 1);
    fill(long_history, samples * step, 1);
    nearend_low_analyze(&band, history, re, im);
    check("low band, real parts", re, bins, 1e-5);
    check("low band, imaginary parts", im, bins, 1e-5);
    nearend_low_synthesize(&band, re, im, signal);
    check("low band, samples", signal, samples, 1e-5);
    nearend_low_fit(history, signal, 0.8f, products, squares, windows);
    check("low band, products", products, windows, 1e-5);
    check("low band, squares", squares, windows, 1e-5);
    nearend_decimate(filter, taps, long_history, step, signal, 16);
    check("decimate", signal, 16, 1e-5);
  }
}

static void check_network(void) {
  enum { inputs = 96, units = 64 };
  static signed char weights[3 * units * inputs];
  static float scales[3 * units], biases[3 * units], in[inputs], gates[3 * units], own[3 * units], state[units];
  for (int i = 0; i < 3 * units * inputs; i++) weights[i] = (signed char)(127 * noise());
  fill_positive(scales, 3 * units, 0.002f);
  fill(biases, 3 * units, 1);
  nearend_dense layer = {weights, scales, biases, inputs, 3 * units};
  for (int round = 0; round < 8; round++) {
    // A third of the inputs is beyond what counts.
    fill(in, inputs, 1.5f);
    nearend_dense_apply(&layer, in, gates);
    check("dense", gates, 3 * units, 1e-5);
    fill(own, 3 * units, 3);
    nearend_recur(gates, own, state, units);
    check("recur", state, units, 1e-5);
    nearend_logistic(gates, units);
    check("logistic", gates, units, 1e-5);
    nearend_tanh(own, units);
    check("tanh", own, units, 1e-5);
    fill_positive(own, units, 1);
    nearend_logarithms(own, units, 1e-10f, 0.12f, 2);
    check("logarithms", own, units, 1e-5);
  }
}

static void check_shared(void) {
  enum { inputs = 72, outputs = 6, bands = NEAREND_SHARED_BANDS };
  static float weights[outputs * inputs], biases[outputs * bands], in[inputs * bands], out[outputs * bands];
  fill(weights, outputs * inputs, 0.3f);
  fill(biases, outputs * bands, 1);
  fill(in, inputs * bands, 2);
  for (int round = 0; round < 2; round++) {
    nearend_shared layer = {weights, biases, round == 1, inputs, outputs};
    nearend_shared_apply(&layer, in, out);
    check("shared", out, outputs * bands, 1e-5);
  }
}

static void check_resampling(void) {
  enum { taps = NEAREND_NEAR_TAPS, phases = 64 };
  static float rows[(phases + 1) * 2 * taps], prototype[taps * phases + 2], samples[2 * MARGIN + 4 * FRAMES], out[FRAMES];
  for (int i = 0; i < taps * phases + 2; i++) {
    double x = (double)i / phases - taps / 2;
    prototype[i] = (float)(x == 0 ? 1 : sin(M_PI * x) / (M_PI * x) * pow(cos(M_PI * x / (taps + 2)), 2));
  }
  for (int row = 0; row <= phases; row++) {
    for (int t = 0; t < taps; t++) {
      int now = (t + 1) * phases - row, next = now > 0 ? now - 1 : 0;
      rows[row * 2 * taps + t] = prototype[now];
      rows[row * 2 * taps + taps + t] = prototype[next] - prototype[now];
    }
  }
  fill(samples, 2 * MARGIN + 4 * FRAMES, 1);
  nearend_bank bank = {rows, prototype, phases, taps};
  const double near[] = {1, 1.0001, 0.9999, 1.002, 0.998};
  for (int i = 0; i < 5; i++) {
    nearend_resample_near(&bank, samples, MARGIN + 0.37, near[i], out, FRAMES);
    check("resample_near", out, FRAMES, 1e-5);
  }
  nearend_drift_table table = {rows, phases};
  nearend_resample_drift(&table, samples, MARGIN + 0.37, 0.9998, out, FRAMES / 16 * 16);
  check("resample_drift", out, FRAMES / 16 * 16, 1e-5);
  nearend_resample(&bank, samples, MARGIN + 0.37, 0.91875, out, FRAMES);
  check("resample", out, FRAMES, 1e-5);
  nearend_resample_stretched(&bank, samples, MARGIN + 0.37, 3, out, FRAMES);
  check("resample_stretched", out, FRAMES, 1e-5);
}

// Denormals are zeros between flush and restore, and numbers before and after.
static void check_denormals(void) {
  // Volatile, so that the compiler leaves each product on its side of the calls.
  volatile float tiny = 1e-30f, factor = 1e-10f, products[3];
  products[0] = tiny * factor;
  uint64_t mode = rt_flush_denormals();
  products[1] = tiny * factor;
  rt_restore_denormals(mode);
  products[2] = tiny * factor;
  float results[3] = {products[0], products[1], products[2]};
  if (results[0] == 0 || results[1] != 0 || results[2] == 0) fail("denormals are not flushed, or not restored");
  check("flush_denormals", results, 3, 0);
}

int main(int count, char **arguments) {
  compares = count == 2 && strcmp(arguments[1], "compare") == 0;
  if (!compares && !(count == 2 && strcmp(arguments[1], "write") == 0)) fail("say write or compare");
  check_denormals();
  check_samples();
  check_transforms();
  check_filters();
  check_learning();
  check_correlation();
  check_suppressor();
  check_likelihood();
  check_network();
  check_shared();
  check_low_band();
  check_resampling();
  if (!compares) return 0;
  printf("%s%d of %d results are alike, to %.1e of their largest value (version %s)\n", failures > 0 ? "\n" : "", checks - failures, checks,
         worst, nearend_kernels_name());
  return failures > 0;
}
