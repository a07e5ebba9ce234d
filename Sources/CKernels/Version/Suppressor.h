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

// ∫ exp(−t) / t from v to infinity (Abramowitz and Stegun 5.1.53 and 5.1.56), v > 0.
#define EXPONENTIAL_INTEGRAL(v) ({ \
  wide small = EVERY(-0.69314718f) * LOG2(v) - EVERY(0.57721566f) + v * (EVERY(0.99999193f) + v * (EVERY(-0.24991055f) \
    + v * (EVERY(0.05519968f) + v * (EVERY(-0.00976004f) + v * EVERY(0.00107857f))))); \
  wide numerator = (((v + EVERY(8.5733287401f)) * v + EVERY(18.059016973f)) * v + EVERY(8.6347608925f)) * v + EVERY(0.2677737343f); \
  wide denominator = (((v + EVERY(9.5733223454f)) * v + EVERY(25.6329561486f)) * v + EVERY(21.0996530827f)) * v + EVERY(3.9584969228f); \
  wide large = EXP2(EVERY(-LOG2_E) * v) * numerator / (v * denominator); \
  SELECT(v < EVERY(1), small, large); })

// A vector's stages are one long chain in which each operation waits for the one before. So each stage runs for some vectors before the
// next one does: a processor looks far enough ahead for several vectors in one stage, not for one vector in all stages. More than five at a
// time gain little; 48 kHz has 13 times five vectors of bins.
#define AHEAD 5

// What the stages hand on, for AHEAD vectors of bins.
typedef struct {
  // The argument of the exponential integral, then half of its result, as a logarithm to base 2.
  wide boost[AHEAD];
  wide wiener[AHEAD], presence[AHEAD], echoShare[AHEAD], gain[AHEAD];
} suppression_stages;

// Decision-directed log-spectral amplitude (Ephraim and Malah 1985).
INLINE void suppress_estimate(const nearend_suppression *hop, int k, suppression_stages *stages, int i) {
  wide power = LOAD_WIDE(hop->power + k), echo = LOAD_WIDE(hop->echo + k), noise = LOAD_WIDE(hop->noise + k);
  // Little more than half of the noise: speech that is lost costs more intelligibility than noise that is left.
  wide unwanted = echo + EVERY(0.55f) * EVERY(hop->noiseShare) * noise + EVERY(1e-12f), g = power / unwanted;
  wide xi = MOST(EVERY(0.88f) * LOAD_WIDE(hop->clean + k) / unwanted + EVERY(0.12f) * MOST(g - EVERY(1), EVERY(0)), EVERY(0.003f));
  wide wiener = xi / (EVERY(1) + xi);
  stages->wiener[i] = wiener;
  stages->boost[i] = LEAST(MOST(g * wiener, EVERY(1e-6f)), EVERY(80));
}

INLINE void suppress_boost(suppression_stages *stages, int i) {
  wide v = stages->boost[i];
  stages->boost[i] = EVERY(0.5f * LOG2_E) * EXPONENTIAL_INTEGRAL(v);
}

// Bands and their smoothing miss partials and consonants. A bin that stands out from echo and noise by itself, at odds of 1 to 3000
// before it is heard, is the near end (Gerkmann and Hendriks 2012). The mean over neighbours keeps single peaks of the noise out.
INLINE void suppress_find_near_end(const nearend_suppression *hop, int k, suppression_stages *stages, int i) {
  wide power = LOAD_WIDE(hop->power + k), echo = LOAD_WIDE(hop->echo + k), noise = LOAD_WIDE(hop->noise + k);
  wide around = EVERY(0.5f) * power + EVERY(0.25f) * (LOAD_WIDE(hop->power + k - 1) + LOAD_WIDE(hop->power + k + 1));
  wide outstanding = LEAST(around / (echo + noise) * EVERY(LOG2_E * 31.6f / 32.6f), EVERY(72));
  wide own = EVERY(1) / (EVERY(1) + EVERY(3000) * EXP2(-outstanding)), p = LOAD_WIDE(hop->presence + k);
  stages->presence[i] = p + EVERY(hop->ownEvidence) * MOST(own - p, EVERY(0));
}

// The gain is G^p floor^(1 − p) (Cohen and Berdugo 2001).
INLINE void suppress_gain(const nearend_suppression *hop, int k, suppression_stages *stages, int i) {
  wide power = LOAD_WIDE(hop->power + k), echo = LOAD_WIDE(hop->echo + k), noise = LOAD_WIDE(hop->noise + k);
  wide wiener = stages->wiener[i], boost = stages->boost[i], p = stages->presence[i], floorOfNoise = EVERY(hop->noiseFloor);
  // The floor lies between the echo's and the noise's, by the echo's share of echo plus noise. Noise counts even where it is kept,
  // because it masks the echo.
  wide echoShare = echo / (echo + noise + EVERY(1e-12f));
  wide floor = MOST(LEAST(EVERY(hop->echoFloor) * echoShare + floorOfNoise * (EVERY(1) - echoShare), floorOfNoise), EVERY(1e-6f));
  wide logFloor = LOG2(floor), logGain = MOST(LEAST(LOG2(wiener) + boost, EVERY(0)), logFloor);
  wide wanted = EXP2(p * logGain + (EVERY(1) - p) * logFloor), gain = LOAD_WIDE(hop->gain + k);
  gain = SELECT(wanted > gain, wanted, EVERY(0.8f) * gain + EVERY(0.2f) * wanted);
  STORE(hop->gain + k, gain);
  wide amplitude = LEAST(wiener * EXP2(boost), EVERY(1));
  STORE(hop->clean + k, amplitude * p * amplitude * p * power);
  stages->echoShare[i] = echoShare;
  stages->gain[i] = gain;
}

// Learns the noise, and applies the gain.
INLINE void suppress_apply(
    const nearend_suppression *hop, int k, const suppression_stages *stages, int i, float *re, float *im) {
  wide power = LOAD_WIDE(hop->power + k), echo = LOAD_WIDE(hop->echo + k), noise = LOAD_WIDE(hop->noise + k);
  wide p = stages->presence[i], echoShare = stages->echoShare[i], gain = stages->gain[i];
  wide share = EVERY(hop->noiseShare), floorOfNoise = EVERY(hop->noiseFloor), memory = EVERY(hop->noiseMemory);
  // The noise estimate is weighted by the probability of speech (Gerkmann and Hendriks 2012), and does not rise where there may be echo.
  // Odds of 31.6 instead of the paper's 1 + 31.6 leave the near end a little more.
  wide_masks isEcho = echo > EVERY(0.5f) * noise;
  wide speech = LOAD_WIDE(hop->speech + k);
  wide u = EVERY(1) / (EVERY(1) + EVERY(31.6f) * EXP2(EVERY(-LOG2_E) * LEAST(power / noise * EVERY(31.6f / 32.6f), EVERY(50))));
  wide smoothed = EVERY(0.9f) * speech + EVERY(0.1f) * u;
  u = SELECT(smoothed > EVERY(0.99f), LEAST(u, EVERY(0.99f)), u);
  STORE(hop->speech + k, SELECT(isEcho, speech, smoothed));
  wide heard = SELECT(isEcho, LEAST(power, noise), (EVERY(1) - u) * power + u * noise);
  noise = MOST(memory * noise + (EVERY(1) - memory) * heard, EVERY(1e-10f));
  // Power that has stayed above a level for one to two windows is noise (minimum statistics, Martin 2001): while the far end is silent,
  // if it was steady, because vowels last as long; while it talks, steady or not, where there is no echo.
  wide smooth = EVERY(0.85f) * LOAD_WIDE(hop->smoothed + k) + EVERY(0.15f) * power, least = LOAD_WIDE(hop->least + k);
  wide former = LOAD_WIDE(hop->formerLeast + k), most = LOAD_WIDE(hop->most + k);
  if (hop->beginsWindow) {
    former = SELECT(most < EVERY(hop->steadiness) * least, least, -least);
    least = smooth;
    most = smooth;
  }
  least = LEAST(least, smooth);
  // What may be echo and hardly counts as near end makes its window unsteady.
  most = MOST(most, SELECT(isEcho & (p < EVERY(0.1f)), EVERY(1e30f), smooth));
  STORE(hop->smoothed + k, smooth);
  STORE(hop->least + k, least);
  STORE(hop->most + k, most);
  STORE(hop->formerLeast + k, former);
  // So a near end that is steady and louder than the expected echo is noise, also while the far end talks without a pause.
  wide steady = LEAST(least, MOST(former, EVERY(0)));
  isEcho = echo > EVERY(0.5f) * MOST(noise, steady);
  noise = SELECT(isEcho, noise, MOST(noise, hop->isFarEndSilent ? steady : LEAST(least, MOST(former, -former))));
  STORE(hop->noise + k, noise);
  // Comfort noise fills up to the noise that noise suppression leaves; digital silence gets none.
  wide missing = MOST(floorOfNoise * floorOfNoise * (noise - EVERY(1.01e-10f)) - gain * gain * power, EVERY(0));
  missing *= share + (EVERY(1) - share) * echoShare;
  wide level = EVERY(hop->comfort) * ROOTS(missing);
  STORE(re + k, gain * LOAD_WIDE(re + k) + level * LOAD_WIDE(hop->phaseRe + k));
  STORE(im + k, gain * LOAD_WIDE(im + k) + level * LOAD_WIDE(hop->phaseIm + k));
}

static void suppress(const nearend_suppression *hop, float *re, float *im) {
  suppression_stages stages;
  for (int k = 0; k < hop->bins; k += 16 * AHEAD) {
    int left = (hop->bins - k) / 16, count = left < AHEAD ? left : AHEAD;
    for (int i = 0; i < count; i++) suppress_estimate(hop, k + 16 * i, &stages, i);
    for (int i = 0; i < count; i++) suppress_boost(&stages, i);
    for (int i = 0; i < count; i++) suppress_find_near_end(hop, k + 16 * i, &stages, i);
    for (int i = 0; i < count; i++) suppress_gain(hop, k + 16 * i, &stages, i);
    for (int i = 0; i < count; i++) suppress_apply(hop, k + 16 * i, &stages, i, re, im);
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
