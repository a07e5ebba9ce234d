// The most expensive arithmetic of the echo canceller and of the participants' resampling, in one version per set of vector instructions:
// Swift cannot compile a function for several of them and choose at run time. One version is chosen at program start, by the processor's
// capabilities.
//
// Spectra are split: `bins` real parts at `re`, as many imaginary parts at `im`. In a row of spectra each takes 2 · stride floats, real
// parts first; weights take 3 · stride floats: real parts, imaginary parts, variances. `bins` and `stride` are multiples of 8.
#pragma once
#include <CRealtime.h>
#include <stdbool.h>
#include <stddef.h>

// Returns the mean square of `frames` samples, at least one. [realtime]
NEAREND_REALTIME float nearend_mean_square(const float *_Nonnull samples, int frames);
// Returns the largest magnitude of `frames` samples, ignoring NaN. `check` becomes the sum of x − x: 0 if all are finite, else NaN.
// [realtime]
NEAREND_REALTIME float nearend_peak(const float *_Nonnull samples, int frames, float *_Nonnull check);

// Adds a spectrum's powers to sums of which the share `memory` remains: to `whole`, and, under a Hann window and times `scale`, to
// `windowed`. The first and the last eight bins are left unchanged, because the outermost ones lack a neighbour. `bins` is a multiple of 8.
// [realtime]
NEAREND_REALTIME void nearend_hann_powers(
    const float *_Nonnull re, const float *_Nonnull im, float memory, float scale, float *_Nonnull windowed, float *_Nonnull whole,
    int bins);

// Sums values by band: `edges` holds the first index of each, and the end of the last one. Eight values must be readable from any
// index up to that end on. [realtime]
NEAREND_REALTIME void nearend_band_sums(
    const float *_Nonnull values, const ptrdiff_t *_Nonnull edges, ptrdiff_t bands, float *_Nonnull sums);

// Writes tanh(d x) / d for the drive d, a loudspeaker that begins to saturate at 1 / d of full scale, by its continued fraction, to 1 part
// in 10⁴. `frames` is a multiple of 8. [realtime]
NEAREND_REALTIME void nearend_saturate(const float *_Nonnull samples, float drive, float *_Nonnull out, int frames);

// How eight samples, and the state before them, become a section's output and the state after them. The state is computed in double
// precision, because it is multiplied by large powers.
typedef struct {
  // The response to an impulse, after seven zeros; to the first state, after one zero: to the second it is the same a sample later.
  float impulse[16], decay[9];
  // What each sample adds to the two states, and each state to both.
  double first[8], second[8];
  double fromFirst[2], fromSecond[2];
} nearend_biquad_response;

// A second-order section in transposed direct form II: its coefficients, its state, and what follows from the coefficients.
typedef struct {
  float b0, b1, b2, a1, a2;
  float s1, s2;
  nearend_biquad_response response;
} nearend_biquad;

// Computes the response from the coefficients, before the section is used. [any]
void nearend_biquad_prepare(nearend_biquad *_Nonnull section);

// Filters `frames` samples; `out` may be `in`. [realtime]
NEAREND_REALTIME void nearend_biquad_filter(
    nearend_biquad *_Nonnull section, const float *_Nonnull in, float *_Nonnull out, int frames);

// A one-pole low-pass filter: moves from `position` towards each sample by a share of the distance, 0…1. Returns the last position.
// `frames` is a multiple of 8; `out` may be `in`. [realtime]
NEAREND_REALTIME float nearend_follow(
    const float *_Nonnull in, float share, float position, float *_Nonnull out, int frames);

// Returns the sum of squares of `frames` samples after two sections in series. [realtime]
NEAREND_REALTIME float nearend_biquads_energy(
    nearend_biquad *_Nonnull first, nearend_biquad *_Nonnull second, const float *_Nonnull in, int frames);

// A plan for real transforms whose length is a power of two, with their scratch memory; not for two threads at a time.
typedef struct nearend_fourier nearend_fourier;

// Creates a plan. `length` is a power of two, 128…2²⁴. Returns null if memory is short or the length is invalid. [control]
nearend_fourier *_Nullable nearend_fourier_create(int length);
// Returns the same plan for another owner on the same thread, which must destroy it as well: a shared plan stays in the caches. [control]
nearend_fourier *_Nonnull nearend_fourier_share(nearend_fourier *_Nonnull plan);
// Ends one owner's use; the last one's frees the plan. [control]
void nearend_fourier_destroy(nearend_fourier *_Nullable plan);
// Transforms `length` samples into `length` / 2 + 1 bins, unscaled. [realtime]
NEAREND_REALTIME void nearend_fourier_forward(
    const nearend_fourier *_Nonnull plan, const float *_Nonnull samples, float *_Nonnull re, float *_Nonnull im);
// As above, but the first `bins` bins only, a multiple of 8, at least 16; all of them if that is more than `length` / 2. [realtime]
NEAREND_REALTIME void nearend_fourier_first_bins(
    const nearend_fourier *_Nonnull plan, const float *_Nonnull samples, float *_Nonnull re, float *_Nonnull im, int bins);
// Transforms `count` samples times a window, a multiple of 32, followed by silence; `power` becomes scale · |X|² by bin. [realtime]
NEAREND_REALTIME void nearend_fourier_analyze(
    const nearend_fourier *_Nonnull plan, const float *_Nonnull samples, const float *_Nonnull window, int count, float *_Nonnull re,
    float *_Nonnull im, float *_Nonnull power, float scale);
// Transforms `length` / 2 + 1 bins into `length` samples, the inverse of `forward`. [realtime]
NEAREND_REALTIME void nearend_fourier_inverse(
    const nearend_fourier *_Nonnull plan, const float *_Nonnull re, const float *_Nonnull im, float *_Nonnull samples);

// Adds a · b to sum, by bin. `bins` is a multiple of 8. [realtime]
NEAREND_REALTIME void nearend_multiply_add(
    const float *_Nonnull aRe, const float *_Nonnull aIm, const float *_Nonnull bRe, const float *_Nonnull bIm, float *_Nonnull sumRe,
    float *_Nonnull sumIm, int bins);

// The rows of a filter, one per channel and partition: the reference and the estimated echo path.
typedef struct {
  // One spectrum of the reference per row, each `2 * stride` floats.
  const float *_Nonnull const *_Nonnull references;
  // Weights of all rows, contiguous, each `3 * stride` floats.
  float *_Nonnull weights;
  // Bins used of each row, 0…`stride`, a multiple of 8.
  const int *_Nonnull bins;
  // Mean of |W|² over a row's bins: written by an update, read by the next.
  float *_Nonnull meanSquares;
  int count;
  int stride;
} nearend_partitions;

// Adds Σ X W to echo, and Σ |X|² P to uncertainty, over all rows; each has `stride` bins. [realtime]
NEAREND_REALTIME void nearend_kalman_predict(
    const nearend_partitions *_Nonnull rows, float *_Nonnull echoRe, float *_Nonnull echoIm, float *_Nonnull uncertainty);
// W += P g X* E;  P = (1 − q)(1 − overlap |X|² P g) P + q (|W|² + mean |W|²) / 2. [realtime]
// By bin: `inverse` is g = λ / D, `change` is q, the share of the path's power that is expected to change.
NEAREND_REALTIME void nearend_kalman_update(
    const nearend_partitions *_Nonnull rows, const float *_Nonnull errorRe, const float *_Nonnull errorIm, const float *_Nonnull inverse,
    const float *_Nonnull change, float overlap);

// One learning step of a Kalman filter; `KalmanFilter.swift` has the formulas. `bins` is a multiple of 8.
typedef struct {
  int bins;
  int stride;
  // X of the first row of one channel, and of another, null if there is none: `stride` real parts, as many imaginary ones; E, of which
  // eight bins more are read; Y; U.
  const float *_Nonnull reference;
  const float *_Nullable otherReference;
  const float *_Nonnull errorRe;
  const float *_Nonnull errorIm;
  const float *_Nonnull echoRe;
  const float *_Nonnull echoIm;
  const float *_Nonnull uncertainty;
  // Share of each bin's λ, 0…1.
  const float *_Nonnull excitation;
  // State: |X|² averaged over a second or two, `stride` bins of each channel, S and N.
  float *_Nonnull referencePower;
  float *_Nonnull noise;
  float *_Nonnull floor;
  // Results: |E|², which eight zeros precede; λ / D; λ q.
  float *_Nonnull squares;
  float *_Nonnull inverse;
  float *_Nonnull change;
  // Bins to either side over which S is smoothed, 1…8, and the shares of it and of |X|² that remain.
  int width;
  float smoothing;
  float referenceMemory;
  // Factor by which N may rise, window / transform, overcount, q.
  float rise;
  float windowShare;
  float overcount;
  float processNoise;
  // What is added to D, so that no bin learns from rounding.
  float leastError;
} nearend_learning;

// Computes λ, S and N; returns Σ |E|², Σ λ Re(Y* E) / D and Σ λ |Y|² / D. [realtime]
NEAREND_REALTIME void nearend_kalman_learn(
    const nearend_learning *_Nonnull step, float *_Nonnull errors, float *_Nonnull products, float *_Nonnull estimates);

// Smoothed cross spectrum of a reference and the error, and the reference's power. `bins` is a multiple of 8.
typedef struct {
  float *_Nonnull crossRe;
  float *_Nonnull crossIm;
  float *_Nonnull power;
  int bins;
  // Share of each value that remains after one hop, 0…1.
  float memory;
} nearend_correlation;

// Adds one hop's spectra, each `bins` real parts and as many imaginary ones. Returns the coherence summed over bins. [realtime]
NEAREND_REALTIME float nearend_correlate(
    const nearend_correlation *_Nonnull row, const float *_Nonnull x, const float *_Nonnull error, const float *_Nonnull errorPower);

// Bins of a transform that the suppressor joins to one, where it joins them.
#define NEAREND_JOINED 4

// Copies the first `single` of the powers by bin of the transform, and writes the means of those that are joined, up to `bins`; both are
// multiples of 16. [realtime]
NEAREND_REALTIME void nearend_join(const float *_Nonnull powers, float *_Nonnull joined, int single, int bins);

// One hop of a suppressor's bins: inputs, parameters and state. `bins` is a multiple of 16, and so is `single`, from which on each has the
// mean power of NEAREND_JOINED of the transform; spectrum and phasors have single + NEAREND_JOINED · (bins − single) values.
typedef struct {
  int bins;
  int single;
  // |E|², also read two bins before the first and two after the last; whether residual echo is expected in it, and its power, which is not
  // read otherwise; the probability of near-end speech, 0…1.
  const float *_Nonnull power;
  bool hasEcho;
  const float *_Nonnull echo;
  const float *_Nonnull presence;
  // State: noise power, smoothed probability of speech, power of the clean signal one hop ago, and gain.
  float *_Nonnull noise;
  float *_Nonnull speech;
  float *_Nonnull clean;
  float *_Nonnull gain;
  // Unit phasors of the comfort noise, and the factor that converts its level to a spectrum's magnitude.
  const float *_Nonnull phaseRe;
  const float *_Nonnull phaseIm;
  float comfort;
  // Least gain where echo dominates, and where noise does; share of the noise to suppress, 0…1.
  float echoFloor;
  float noiseFloor;
  float noiseShare;
  // Shares that remain after a hop: of the noise, of the clean signal in what is expected of it, of a falling gain, of the probability of
  // speech, and of the smoothed power.
  float noiseMemory;
  float cleanMemory;
  float gainMemory;
  float speechMemory;
  float powerMemory;
  // State: |E|² smoothed, its minimum and maximum in the current window of time, and its minimum in the previous one, negative if that was
  // not steady; whether a window begins.
  float *_Nonnull smoothed;
  float *_Nonnull least;
  float *_Nonnull most;
  float *_Nonnull formerLeast;
  bool beginsWindow;
  // The largest ratio of a steady window's maximum to its minimum, and whether only the minimum of a steady one counts as noise.
  float steadiness;
  bool isFarEndSilent;
  // Share of the noise that is unwanted; least ratio of speech to noise that is expected; that where there is speech, ξ.
  float noiseWeight;
  float leastRatio;
  float speechRatio;
  // Odds of speech against it, and of a near end that one bin tells by itself against it, before a bin is heard.
  float noiseOdds;
  float ownOdds;
  // Limit of the probability of speech, so that the noise does not stand still.
  float mostSpeech;
  // Ratio of echo to noise above which a bin is echo; probability of a near end below which such a bin's window is unsteady.
  float echoOverNoise;
  float leastNearEnd;
  // How far a bin that stands out by itself counts as near end, whatever `presence` says: from 0 to 1.
  float ownEvidence;
  // If `isCorrected`, and there is echo, the gain is multiplied by two to the power of this.
  bool isCorrected;
  const float *_Nonnull octaves;
} nearend_suppression;

// Computes the gains, updates the state, and replaces the spectrum E by gain · E + comfort noise. [realtime]
NEAREND_REALTIME void nearend_suppress(const nearend_suppression *_Nonnull hop, float *_Nonnull re, float *_Nonnull im);

// How likely each band of one hop holds near-end speech. `bands` is a multiple of 16; powers are 0 or more.
typedef struct {
  int bands;
  // Powers of the error, and of the echo and the noise expected in it.
  const float *_Nonnull error;
  const float *_Nonnull echo;
  const float *_Nonnull noise;
  // State: the probabilities that a level is no noise, and no echo, 0…1.
  float *_Nonnull overNoise;
  float *_Nonnull overEcho;
  // In dB over the expected power: where either is ½, and by how much it rises from there to 1 / (1 + 1 / e).
  float noiseThreshold;
  float echoThreshold;
  float width;
  // Shares of the way to a new value, rising and falling.
  float noiseAttack;
  float noiseRelease;
  float echoAttack;
  float echoRelease;
} nearend_likelihood;

// Updates the state; writes the echo's share of the expected power, and the probability of speech, which is of both by that share.
// [realtime]
NEAREND_REALTIME void nearend_judge(const nearend_likelihood *_Nonnull hop, float *_Nonnull echoShares, float *_Nonnull presence);

// The lowest bins of windows of NEAREND_LOW_SAMPLES samples: `window` holds a factor for each, `cosines` and `sines` a row of as many for
// each bin.
#define NEAREND_LOW_SAMPLES 96
typedef struct {
  const float *_Nonnull cosines;
  const float *_Nonnull sines;
  const float *_Nonnull window;
  int bins;
} nearend_low_band;

// Transforms windowed samples into bins: Σ w x (cos − i sin). [realtime]
NEAREND_REALTIME void nearend_low_analyze(
    const nearend_low_band *_Nonnull band, const float *_Nonnull samples, float *_Nonnull re, float *_Nonnull im);
// Computes the samples of these bins, windowed: w Σ Re X (cos + i sin). [realtime]
NEAREND_REALTIME void nearend_low_synthesize(
    const nearend_low_band *_Nonnull band, const float *_Nonnull re, const float *_Nonnull im, float *_Nonnull samples);
// How well windows of a history, which begin one sample after another, fit a signal: adds sums of their products with it, and of their
// squares, to those before, of which the share `memory` remains. `windows` is a multiple of 8. [realtime]
NEAREND_REALTIME void nearend_low_fit(
    const float *_Nonnull history, const float *_Nonnull signal, float memory, float *_Nonnull products, float *_Nonnull squares,
    int windows);
// Filters samples with `count` taps, a multiple of 16, and keeps one of `step`: `frames` of them. [realtime]
NEAREND_REALTIME void nearend_decimate(
    const float *_Nonnull taps, int count, const float *_Nonnull samples, int step, float *_Nonnull out, int frames);

// A layer of a network: biases + scales · (weights × in). `inputs` is a multiple of 16, NEAREND_DENSE_INPUTS at most; each counts with 16
// bits, limited to ±1. `outputs` is a multiple of 64. For each 64 of them, `weights` holds two bytes for each output, those of two inputs,
// for each two inputs in turn.
#define NEAREND_DENSE_INPUTS 256
typedef struct {
  const signed char *_Nonnull weights;
  const float *_Nonnull scales;
  const float *_Nonnull biases;
  int inputs;
  int outputs;
} nearend_dense;

// [realtime]
NEAREND_REALTIME void nearend_dense_apply(const nearend_dense *_Nonnull layer, const float *_Nonnull in, float *_Nonnull out);

// A layer that bands share: each of the NEAREND_SHARED_BANDS has inputs and outputs of its own, and all have the same weights, `inputs` of
// them, a multiple of two, for each output in turn. A bias is each output's, or each output's in each band.
#define NEAREND_SHARED_BANDS 40
typedef struct {
  const float *_Nonnull weights;
  const float *_Nonnull biases;
  bool hasBiasesByBand;
  int inputs;
  int outputs;
} nearend_shared;

// Inputs and outputs are rows of all bands. [realtime]
NEAREND_REALTIME void nearend_shared_apply(const nearend_shared *_Nonnull layer, const float *_Nonnull in, float *_Nonnull out);
// Replaces powers by factor · log2(power + least) + offset. `count` is a multiple of 16. [realtime]
NEAREND_REALTIME void nearend_logarithms(float *_Nonnull values, int count, float least, float factor, float offset);

// Replaces values by 1 / (1 + exp(−x)), or by tanh(x). `count` is a multiple of 16. [realtime]
NEAREND_REALTIME void nearend_logistic(float *_Nonnull values, int count);
NEAREND_REALTIME void nearend_tanh(float *_Nonnull values, int count);
// Updates the state of a gated recurrent unit (Cho et al., EMNLP 2014; the reset gate after the product): reset gate, update gate, new
// state, `units` each, from the input in `gates`, and from the state in `own`. `units` is a multiple of 16. [realtime]
NEAREND_REALTIME void nearend_recur(const float *_Nonnull gates, const float *_Nonnull own, float *_Nonnull state, int units);

// Returns the version in use: "AVX2" or "baseline". [any]
const char *_Nonnull nearend_kernels_name(void);

// Interpolation filters of NEAREND_DRIFT_TAPS taps, at `phases` + 1 fractions of a sample from 0 to 1. Tap t weighs the sample t + 1 −
// NEAREND_DRIFT_TAPS / 2 after the whole position.
typedef struct {
  const float *_Nonnull rows;
  int phases;
} nearend_drift_table;
#define NEAREND_DRIFT_TAPS 16

// Writes out[i] = samples at position + i · step for a step within 0.05 % of 1: one filter for 16 frames, that of their middle. `frames`
// is a multiple of 16; each needs NEAREND_DRIFT_TAPS / 2 samples before and after it. [realtime]
NEAREND_REALTIME void nearend_resample_drift(
    const nearend_drift_table *_Nonnull table, const float *_Nonnull samples, double position, double step, float *_Nonnull out,
    int frames);

// A low-pass filter at fractions of a sample: `phases` + 1 rows of 2 · `taps` floats, each a filter and its difference from the next one.
// `taps` is a multiple of 8. The filter of row r, tap t weighs the sample t + 1 − taps / 2 after the whole position, at a fraction of r /
// phases. `prototype` is the same filter in steps of 1 / phases, taps · phases + 2 floats.
typedef struct {
  const float *_Nonnull rows;
  const float *_Nonnull prototype;
  int phases;
  int taps;
} nearend_bank;

// Writes out[i] = samples at position + i · step, `frames` of them. Each needs taps / 2 samples before and after it; up to 16 more after
// those are read but not used. [realtime]
//
// For a step within 0.25 % of 1: one filter and its slope for 16 frames, or for 32 if the step is within 0.025 %. The bank has
// NEAREND_NEAR_TAPS taps.
#define NEAREND_NEAR_TAPS 32
NEAREND_REALTIME void nearend_resample_near(
    const nearend_bank *_Nonnull bank, const float *_Nonnull samples, double position, double step, float *_Nonnull out, int frames);
// For a step of at most 1, or little more: a filter for each frame.
NEAREND_REALTIME void nearend_resample(
    const nearend_bank *_Nonnull bank, const float *_Nonnull samples, double position, double step, float *_Nonnull out, int frames);
// For a larger step: the filter is stretched by it, so each frame needs step · taps / 2 samples before and after it.
NEAREND_REALTIME void nearend_resample_stretched(
    const nearend_bank *_Nonnull bank, const float *_Nonnull samples, double position, double step, float *_Nonnull out, int frames);
