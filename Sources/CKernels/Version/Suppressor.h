// The suppressor's gains.

#define SELECT(mask, a, b) ((lanes)(((masks)(a) & (mask)) | ((masks)(b) & ~(mask))))
#define LEAST(a, b) SELECT((a) < (b), a, b)
#define MOST(a, b) SELECT((a) > (b), a, b)

// log2 of positive normal numbers; the error is below 1e-5.
#define LOG2(x) ({ \
  masks bits = (masks)(lanes)(x); \
  lanes exponent = __builtin_convertvector((bits >> 23) - 127, lanes); \
  lanes m = (lanes)((bits & 0x7fffff) | 0x3f800000) - ALL(1); \
  exponent + m * (ALL(1.44254494f) + m * (ALL(-0.71814525f) + m * (ALL(0.45754919f) + m * (ALL(-0.27790424f) \
    + m * (ALL(0.12191387f) + m * ALL(-0.02595850f)))))); })

// 2 to the power of x, clamped to −126…126; the relative error is below 2e-6.
#define EXP2(x) ({ \
  lanes clamped = MOST(LEAST(x, ALL(126)), ALL(-126)); \
  masks whole = __builtin_convertvector(clamped + ALL(127), masks) - 127; \
  lanes f = clamped - __builtin_convertvector(whole, lanes); \
  lanes power = ALL(1) + f * (ALL(0.69315308f) + f * (ALL(0.24015361f) + f * (ALL(0.05582631f) + f * (ALL(0.00898934f) \
    + f * ALL(0.00187758f))))); \
  (lanes)((masks)power + (whole << 23)); })

#define LOG2_E 1.44269504f

// ∫ exp(−t) / t from v to infinity (Abramowitz and Stegun 5.1.53 and 5.1.56), v > 0.
#define EXPONENTIAL_INTEGRAL(v) ({ \
  lanes small = ALL(-0.69314718f) * LOG2(v) - ALL(0.57721566f) + v * (ALL(0.99999193f) + v * (ALL(-0.24991055f) \
    + v * (ALL(0.05519968f) + v * (ALL(-0.00976004f) + v * ALL(0.00107857f))))); \
  lanes numerator = (((v + ALL(8.5733287401f)) * v + ALL(18.059016973f)) * v + ALL(8.6347608925f)) * v + ALL(0.2677737343f); \
  lanes denominator = (((v + ALL(9.5733223454f)) * v + ALL(25.6329561486f)) * v + ALL(21.0996530827f)) * v + ALL(3.9584969228f); \
  lanes large = EXP2(ALL(-LOG2_E) * v) * numerator / (v * denominator); \
  SELECT(v < ALL(1), small, large); })

static void suppress(const nearend_suppression *hop, float *re, float *im) {
  lanes share = ALL(hop->noiseShare), floorOfNoise = ALL(hop->noiseFloor), memory = ALL(hop->noiseMemory);
  for (int k = 0; k < hop->bins; k += 8) {
    lanes power = LOAD(hop->power + k), echo = LOAD(hop->echo + k), noise = LOAD(hop->noise + k), p = LOAD(hop->presence + k);
    // Decision-directed log-spectral amplitude (Ephraim and Malah 1985).
    // Three quarters of the noise: speech that is lost costs more intelligibility than noise that is left.
    lanes unwanted = echo + ALL(0.75f) * share * noise + ALL(1e-12f), g = power / unwanted;
    lanes xi = MOST(ALL(0.92f) * LOAD(hop->clean + k) / unwanted + ALL(0.08f) * POSITIVE(g - ALL(1)), ALL(0.003f));
    lanes wiener = xi / (ALL(1) + xi), v = LEAST(MOST(g * wiener, ALL(1e-6f)), ALL(80));
    lanes amplitude = LEAST(wiener * EXP2(ALL(0.5f * LOG2_E) * EXPONENTIAL_INTEGRAL(v)), ALL(1));
    // The gain is G^p floor^(1 − p) (Cohen and Berdugo 2001). The floor lies between the echo's and the noise's, by the echo's share of
    // echo plus noise. Noise counts even where it is kept, because it masks the echo.
    lanes echoShare = echo / (echo + noise + ALL(1e-12f));
    lanes floor = MOST(LEAST(ALL(hop->echoFloor) * echoShare + floorOfNoise * (ALL(1) - echoShare), floorOfNoise), ALL(1e-6f));
    lanes logFloor = LOG2(floor), logGain = MOST(LOG2(MOST(amplitude, ALL(1e-6f))), logFloor);
    lanes wanted = EXP2(p * logGain + (ALL(1) - p) * logFloor), gain = LOAD(hop->gain + k);
    gain = SELECT(wanted > gain, wanted, ALL(0.8f) * gain + ALL(0.2f) * wanted);
    STORE(hop->gain + k, gain);
    STORE(hop->clean + k, amplitude * p * amplitude * p * power);
    // The noise estimate is weighted by the probability of speech (Gerkmann and Hendriks 2012), and never rises where there may be echo.
    masks isEcho = echo > ALL(0.5f) * noise;
    lanes speech = LOAD(hop->speech + k);
    lanes u = ALL(1) / (ALL(1) + ALL(31.6f) * EXP2(ALL(-LOG2_E) * LEAST(power / noise * ALL(31.6f / 32.6f), ALL(50))));
    lanes smoothed = ALL(0.9f) * speech + ALL(0.1f) * u;
    u = SELECT(smoothed > ALL(0.99f), LEAST(u, ALL(0.99f)), u);
    STORE(hop->speech + k, SELECT(isEcho, speech, smoothed));
    lanes heard = SELECT(isEcho, LEAST(power, noise), (ALL(1) - u) * power + u * noise);
    noise = MOST(memory * noise + (ALL(1) - memory) * heard, ALL(1e-10f));
    // Power that has stayed above a level for one to two windows is noise (minimum statistics, Martin 2001), if it was steady.
    lanes smooth = ALL(0.85f) * LOAD(hop->smoothed + k) + ALL(0.15f) * power, least = LOAD(hop->least + k);
    lanes former = LOAD(hop->formerLeast + k), most = LOAD(hop->most + k);
    if (hop->beginsWindow) {
      former = SELECT(most < ALL(hop->steadiness) * least, least, ALL(0));
      least = smooth;
      most = smooth;
    }
    least = LEAST(least, smooth);
    most = MOST(most, smooth);
    STORE(hop->smoothed + k, smooth);
    STORE(hop->least + k, least);
    STORE(hop->most + k, most);
    STORE(hop->formerLeast + k, former);
    noise = SELECT(isEcho, noise, MOST(noise, LEAST(least, former)));
    STORE(hop->noise + k, noise);
    // Comfort noise fills up to the noise that noise suppression leaves; digital silence gets none.
    lanes missing = POSITIVE(floorOfNoise * floorOfNoise * (noise - ALL(1.01e-10f)) - gain * gain * power);
    missing *= share + (ALL(1) - share) * echoShare;
    lanes level = ALL(hop->comfort) * ROOTS(missing);
    STORE(re + k, gain * LOAD(re + k) + level * LOAD(hop->phaseRe + k));
    STORE(im + k, gain * LOAD(im + k) + level * LOAD(hop->phaseIm + k));
  }
}
