// The suppressor's gains, and what they depend on.

// Vectors are `wide`: half as many loads of constants, which are too many for the registers.

// log2 of positive normal numbers; the error is below 1e-5.
#define LOG2(x) ({ \
  wide_masks bits = (wide_masks)(wide)(x); \
  wide exponent = __builtin_convertvector((bits >> 23) - 127, wide); \
  wide m = (wide)((bits & 0x7fffff) | 0x3f800000) - EVERY(1); \
  exponent + m * (EVERY(1.44254494f) + m * (EVERY(-0.71814525f) + m * (EVERY(0.45754919f) + m * (EVERY(-0.27790424f) \
    + m * (EVERY(0.12191387f) + m * EVERY(-0.02595850f)))))); })

// 2 to the power of x, clamped to −126…126; the relative error is below 2e-6.
#define EXP2(x) ({ \
  wide clamped = MOST(LEAST(x, EVERY(126)), EVERY(-126)); \
  wide_masks whole = __builtin_convertvector(clamped + EVERY(127), wide_masks) - 127; \
  wide f = clamped - __builtin_convertvector(whole, wide); \
  wide power = EVERY(1) + f * (EVERY(0.69315308f) + f * (EVERY(0.24015361f) + f * (EVERY(0.05582631f) + f * (EVERY(0.00898934f) \
    + f * EVERY(0.00187758f))))); \
  (wide)((wide_masks)power + (whole << 23)); })

#define LOG2_E 1.44269504f

// A vector's stages are one long chain in which each operation waits for the one before. So each stage runs for some vectors before the
// next one does: a processor looks far enough ahead for several vectors in one stage, not for one vector in all stages. More than five at a
// time gain little.
#define AHEAD 5

// What the stages hand on, for AHEAD vectors of bins.
typedef struct {
  // 1 / (echo + noise).
  wide perExpected[AHEAD];
  // The log-spectral amplitude's gain squared, before the floor.
  wide squaredGain[AHEAD];
  // The probabilities of near-end speech, and of speech as opposed to noise alone.
  wide presence[AHEAD], speech[AHEAD];
  wide echoShare[AHEAD], gain[AHEAD];
} suppression_stages;

// Decision-directed log-spectral amplitude (Ephraim and Malah 1985), squared: ξ / (1 + ξ) · exp(½ ∫ exp(−t) / t dt from v to ∞).
INLINE void suppress_estimate(const nearend_suppression *hop, int k, suppression_stages *stages, int i, bool hasEcho) {
  wide power = LOAD_WIDE(hop->power + k), noise = LOAD_WIDE(hop->noise + k);
  float unwantedNoise = hop->noiseWeight * hop->noiseShare;
  wide perUnwanted;
  if (hasEcho) {
    wide echo = LOAD_WIDE(hop->echo + k);
    stages->perExpected[i] = EVERY(1) / (echo + noise);
    perUnwanted = EVERY(1) / (echo + EVERY(unwantedNoise) * noise + EVERY(1e-12f));
  } else {
    stages->perExpected[i] = EVERY(1) / noise;
    // If nothing is unwanted, the floor is 1, and the gain, too: any other share would do as well.
    perUnwanted = EVERY(1 / (unwantedNoise > 0.01f ? unwantedNoise : 0.01f)) * stages->perExpected[i];
  }
  wide g = power * perUnwanted;
  wide former = EVERY(hop->cleanMemory) * LOAD_WIDE(hop->clean + k) * perUnwanted;
  wide xi = MOST(former + EVERY(1 - hop->cleanMemory) * MOST(g - EVERY(1), EVERY(0)), EVERY(hop->leastRatio));
  wide wiener = xi / (EVERY(1) + xi), v = MOST(g * wiener, EVERY(1e-6f));
  // The exponential of the integral is 1 + D(v) / v with D(0) = exp(−γ), γ Euler's constant. D is approximated to 1e-4 of the result.
  wide q = EVERY(1) + v * (EVERY(0.19555078f) + v * (EVERY(0.03175586f) + v * EVERY(0.00261026f)));
  q *= q;
  stages->squaredGain[i] = LEAST(wiener * wiener * (EVERY(1) + EVERY(0.56145948f) / (v * q * q)), EVERY(1));
}

// How much likelier noise alone makes a power, `ratio` times the expected one, than noise and speech, ξ times the noise, do (Gerkmann and
// Hendriks 2012), but for the factor 1 + ξ.
#define LIKELIHOOD_OF_NOISE(ratio) EXP2(EVERY(slope) * (ratio))

INLINE void suppress_find_speech(const nearend_suppression *hop, int k, suppression_stages *stages, int i, bool hasEcho, float slope) {
  wide power = LOAD_WIDE(hop->power + k), perExpected = stages->perExpected[i];
  wide overNoise = power * (hasEcho ? EVERY(1) / LOAD_WIDE(hop->noise + k) : perExpected);
  // Bands and their smoothing miss partials and consonants. A bin that stands out from echo and noise by itself, whatever its odds before
  // it is heard, is the near end. The mean over second neighbours keeps single peaks of the noise out: the next ones are hardly another
  // measurement, because the window is shorter than the transform.
  wide around = EVERY(0.5f) * power + EVERY(0.25f) * (LOAD_WIDE(hop->power + k - 2) + LOAD_WIDE(hop->power + k + 2));
  wide unlikely = EVERY(1) + EVERY(hop->ownOdds) * LIKELIHOOD_OF_NOISE(around * perExpected);
  wide unlikelySpeech = EVERY(1) + EVERY(hop->noiseOdds) * LIKELIHOOD_OF_NOISE(overNoise);
  // One division for both reciprocals.
  wide both = EVERY(1) / (unlikely * unlikelySpeech), own = both * unlikelySpeech, p = LOAD_WIDE(hop->presence + k);
  stages->presence[i] = p + EVERY(hop->ownEvidence) * MOST(own - p, EVERY(0));
  stages->speech[i] = both * unlikely;
}

// The gain is G^p floor^(1 − p) (Cohen and Berdugo 2001).
INLINE void suppress_gain(const nearend_suppression *hop, int k, suppression_stages *stages, int i, bool hasEcho, float logNoiseFloor) {
  wide squaredGain = stages->squaredGain[i], p = stages->presence[i], logFloor = EVERY(logNoiseFloor);
  if (hasEcho) {
    wide floorOfNoise = EVERY(hop->noiseFloor);
    // The floor lies between the echo's and the noise's, by the echo's share of echo plus noise. Noise counts even where it is kept,
    // because it masks the echo.
    wide echoShare = LOAD_WIDE(hop->echo + k) * stages->perExpected[i];
    stages->echoShare[i] = echoShare;
    wide floor = EVERY(hop->echoFloor) * echoShare + floorOfNoise * (EVERY(1) - echoShare);
    logFloor = LOG2(MOST(LEAST(floor, floorOfNoise), EVERY(1e-6f)));
  }
  wide logGain = MOST(EVERY(0.5f) * LOG2(squaredGain), logFloor);
  wide wanted = EXP2(p * logGain + (EVERY(1) - p) * logFloor), gain = LOAD_WIDE(hop->gain + k);
  gain = SELECT(wanted > gain, wanted, wanted + EVERY(hop->gainMemory) * (gain - wanted));
  STORE(hop->gain + k, gain);
  STORE(hop->clean + k, squaredGain * p * p * LOAD_WIDE(hop->power + k));
  if (hasEcho && hop->isCorrected) {
    wide correction = EXP2(LOAD_WIDE(hop->octaves + k));
    gain *= correction;
    // What is taken away besides is echo, too, and comfort noise fills its place.
    stages->echoShare[i] = MOST(stages->echoShare[i], EVERY(1) - correction);
  }
  stages->gain[i] = gain;
}

// Replaces sixteen bins of the spectrum, from `first` on.
#define REPLACE(first, gain, level) ({ \
  STORE(re + (first), (gain) * LOAD_WIDE(re + (first)) + (level) * LOAD_WIDE(hop->phaseRe + (first))); \
  STORE(im + (first), (gain) * LOAD_WIDE(im + (first)) + (level) * LOAD_WIDE(hop->phaseIm + (first))); })

// Four values of a vector, from the one at `i` on, each four times.
#define REPEATED(v, i) SHUFFLE(v, v, i, i, i, i, i + 1, i + 1, i + 1, i + 1, i + 2, i + 2, i + 2, i + 2, i + 3, i + 3, i + 3, i + 3)

// Learns the noise, and applies the gain.
INLINE void suppress_apply(
    const nearend_suppression *hop, int k, const suppression_stages *stages, int i, bool hasEcho, float *re, float *im) {
  wide power = LOAD_WIDE(hop->power + k), noise = LOAD_WIDE(hop->noise + k), p = stages->presence[i], gain = stages->gain[i];
  wide floorOfNoise = EVERY(hop->noiseFloor), memory = EVERY(hop->noiseMemory);
  wide echo = hasEcho ? LOAD_WIDE(hop->echo + k) : EVERY(0);
  wide_masks isEcho = hasEcho ? echo > EVERY(hop->echoOverNoise) * noise : (wide_masks)EVERY(0);
  // The noise estimate is weighted by the probability of speech (Gerkmann and Hendriks 2012), and does not rise where there may be echo.
  wide speech = LOAD_WIDE(hop->speech + k), u = stages->speech[i];
  wide smoothed = u + EVERY(hop->speechMemory) * (speech - u);
  wide mostSpeech = EVERY(hop->mostSpeech);
  u = SELECT(smoothed > mostSpeech, LEAST(u, mostSpeech), u);
  STORE(hop->speech + k, SELECT(isEcho, speech, smoothed));
  wide heard = SELECT(isEcho, LEAST(power, noise), (EVERY(1) - u) * power + u * noise);
  noise = MOST(memory * noise + (EVERY(1) - memory) * heard, EVERY(1e-10f));
  // Power that has stayed above a level for one to two windows is noise (minimum statistics, Martin 2001): while the far end is silent,
  // if it was steady, because vowels last as long; while it talks, steady or not, where there is no echo.
  wide smooth = power + EVERY(hop->powerMemory) * (LOAD_WIDE(hop->smoothed + k) - power), least = LOAD_WIDE(hop->least + k);
  wide former = LOAD_WIDE(hop->formerLeast + k), most = LOAD_WIDE(hop->most + k);
  if (hop->beginsWindow) {
    former = SELECT(most < EVERY(hop->steadiness) * least, least, -least);
    least = smooth;
    most = smooth;
    STORE(hop->formerLeast + k, former);
  }
  least = LEAST(least, smooth);
  // What may be echo and hardly counts as near end makes its window unsteady.
  most = MOST(most, SELECT(isEcho & (p < EVERY(hop->leastNearEnd)), EVERY(1e30f), smooth));
  STORE(hop->smoothed + k, smooth);
  STORE(hop->least + k, least);
  STORE(hop->most + k, most);
  // So a near end that is steady and louder than the expected echo is noise, also while the far end talks without a pause.
  wide steady = LEAST(least, MOST(former, EVERY(0)));
  wide raised = MOST(noise, hop->isFarEndSilent ? steady : LEAST(least, MOST(former, -former)));
  noise = hasEcho ? SELECT(echo > EVERY(hop->echoOverNoise) * MOST(noise, steady), noise, raised) : raised;
  STORE(hop->noise + k, noise);
  // Comfort noise fills up to the noise that noise suppression leaves; digital silence gets none.
  wide missing = MOST(floorOfNoise * floorOfNoise * (noise - EVERY(1.01e-10f)) - gain * gain * power, EVERY(0));
  wide share = EVERY(hop->noiseShare);
  missing *= hasEcho ? share + (EVERY(1) - share) * stages->echoShare[i] : share;
  wide level = EVERY(hop->comfort) * ROOTS(missing);
  if (k < hop->single) {
    REPLACE(k, gain, level);
  } else {
    int first = hop->single + NEAREND_JOINED * (k - hop->single);
    REPLACE(first, REPEATED(gain, 0), REPEATED(level, 0));
    REPLACE(first + 16, REPEATED(gain, 4), REPEATED(level, 4));
    REPLACE(first + 32, REPEATED(gain, 8), REPEATED(level, 8));
    REPLACE(first + 48, REPEATED(gain, 12), REPEATED(level, 12));
  }
}

INLINE void suppress_bins(const nearend_suppression *hop, bool hasEcho, float *re, float *im) {
  suppression_stages stages;
  float logNoiseFloor = LOG2(EVERY(hop->noiseFloor))[0], slope = -LOG2_E * hop->speechRatio / (1 + hop->speechRatio);
  for (int k = 0; k < hop->bins; k += 16 * AHEAD) {
    int left = (hop->bins - k) / 16, count = left < AHEAD ? left : AHEAD;
    for (int i = 0; i < count; i++) suppress_estimate(hop, k + 16 * i, &stages, i, hasEcho);
    for (int i = 0; i < count; i++) suppress_find_speech(hop, k + 16 * i, &stages, i, hasEcho, slope);
    for (int i = 0; i < count; i++) suppress_gain(hop, k + 16 * i, &stages, i, hasEcho, logNoiseFloor);
    for (int i = 0; i < count; i++) suppress_apply(hop, k + 16 * i, &stages, i, hasEcho, re, im);
  }
}

static void suppress(const nearend_suppression *hop, float *re, float *im) {
  if (hop->hasEcho) {
    suppress_bins(hop, true, re, im);
  } else {
    suppress_bins(hop, false, re, im);
  }
}

// The sums of neighbours in two vectors.
#define PAIRS(a, b) (EVEN(a, b) + ODD(a, b))

_Static_assert(NEAREND_JOINED == 4, "a vector's values are repeated as often, and summed so");

static void join(const float *powers, float *joined, int single, int bins) {
  for (int k = 0; k < single; k += 8) STORE(joined + k, LOAD(powers + k));
  for (int k = single; k < bins; k += 8) {
    const float *from = powers + single + NEAREND_JOINED * (k - single);
    lanes a = LOAD(from), b = LOAD(from + 8), c = LOAD(from + 16), d = LOAD(from + 24);
    lanes low = PAIRS(a, b), high = PAIRS(c, d);
    STORE(joined + k, ALL(0.25f) * PAIRS(low, high));
  }
}

// Moves the state at `place` towards `value`; returns it.
#define APPROACH(place, value, attack, release) ({ \
  wide former = LOAD_WIDE(place), next = (value); \
  next = former + SELECT(next > former, EVERY(attack), EVERY(release)) * (next - former); \
  STORE(place, next); \
  next; })

static void judge(const nearend_likelihood *hop, float *echoShares, float *presence) {
  // Logistic functions of the level in dB, which is 10 log10(2) octaves; their exponentials differ by a factor.
  float octaves = LOG2_E / hop->width, step = 3.01029996f * octaves;
  for (int band = 0; band < hop->bands; band += 16) {
    wide echo = LOAD_WIDE(hop->echo + band), expected = echo + LOAD_WIDE(hop->noise + band) + EVERY(1e-12f), share = echo / expected;
    wide level = EVERY(step) * LOG2(LOAD_WIDE(hop->error + band) / expected + EVERY(1e-9f));
    wide noise = EVERY(1) / (EVERY(1) + EXP2(EVERY(octaves * hop->noiseThreshold) - level));
    wide clear = EVERY(1) / (EVERY(1) + EXP2(EVERY(octaves * hop->echoThreshold) - level));
    noise = APPROACH(hop->overNoise + band, noise, hop->noiseAttack, hop->noiseRelease);
    clear = APPROACH(hop->overEcho + band, clear, hop->echoAttack, hop->echoRelease);
    STORE(echoShares + band, share);
    STORE(presence + band, noise + share * (clear - noise));
  }
}
