// A recurrent network's layers.

// Inputs and weights of a dense layer, 16 bits each, and sums of products of two neighbours.
#ifdef NEAREND_HAS_AVX2
typedef short shorts __attribute__((vector_size(32)));
typedef int integers __attribute__((vector_size(32)));
#define MULTIPLY_PAIRS(a, b) ((integers)__builtin_ia32_pmaddwd256(a, b))
#else
typedef short shorts __attribute__((vector_size(16)));
typedef int integers __attribute__((vector_size(16)));
#ifdef __x86_64__
#define MULTIPLY_PAIRS(a, b) ((integers)__builtin_ia32_pmaddwd128(a, b))
#else
#define EVERY_SECOND(v, first) __builtin_convertvector(SHUFFLE(v, v, first, first + 2, first + 4, first + 6), integers)
#define MULTIPLY_PAIRS(a, b) (EVERY_SECOND(a, 0) * EVERY_SECOND(b, 0) + EVERY_SECOND(a, 1) * EVERY_SECOND(b, 1))
#endif
#endif
typedef signed char bytes __attribute__((vector_size(sizeof(shorts) / 2)));
typedef short sixteen_shorts __attribute__((vector_size(32)));
typedef float floats __attribute__((vector_size(sizeof(integers))));

// Outputs that are computed together: their weights for two inputs are neighbours in memory.
#define TOGETHER 64
#define LANES ((int)(sizeof(integers) / sizeof(int)))
#define VECTORS (TOGETHER / LANES)
// The largest input of a dense layer, and what is added so that the lowest bits of a float are the nearest integer.
#define SHORT_ONE 32767
#define TO_INTEGER 12582912

// Returns inputs as pairs of 16-bit integers.
INLINE void shorten(const float *in, int count, short *out) {
  for (int i = 0; i < count; i += 16) {
    wide x = MOST(LEAST(LOAD_WIDE(in + i), EVERY(1)), EVERY(-1));
    // Two statements, so that no processor rounds once instead of twice.
    x = EVERY(SHORT_ONE) * x;
    x = x + EVERY(TO_INTEGER);
    STORE(out + i, __builtin_convertvector((wide_masks)x, sixteen_shorts));
  }
}

static void dense(const nearend_dense *layer, const float *in, float *out) {
  short inputs[NEAREND_DENSE_INPUTS];
  shorten(in, layer->inputs, inputs);
  const signed char *weights = layer->weights;
  const int count = layer->inputs;
  for (int first = 0; first < layer->outputs; first += TOGETHER) {
    integers sums[VECTORS];
    for (int i = 0; i < VECTORS; i++) sums[i] = (integers){0};
#pragma clang loop unroll_count(4)
    for (int k = 0; k < count; k += 2, weights += 2 * TOGETHER) {
      integers pair = (integers){0} + LOAD_AS(int, inputs + k);
#pragma clang loop unroll(full)
      for (int i = 0; i < VECTORS; i++) {
        shorts factors = __builtin_convertvector(LOAD_AS(bytes, weights + 2 * LANES * i), shorts);
        sums[i] += MULTIPLY_PAIRS(factors, (shorts)pair);
      }
    }
    for (int i = 0; i < VECTORS; i++) {
      int at = first + LANES * i;
      floats scales = LOAD_AS(floats, layer->scales + at) * (1.0f / SHORT_ONE);
      STORE(out + at, LOAD_AS(floats, layer->biases + at) + scales * __builtin_convertvector(sums[i], floats));
    }
  }
}

// Vectors of bands.
#define BAND_VECTORS (NEAREND_SHARED_BANDS / 8)
_Static_assert(NEAREND_SHARED_BANDS % 8 == 0, "bands come in vectors of eight");

static void shared(const nearend_shared *layer, const float *in, float *out) {
  const float *weights = layer->weights, *biases = layer->biases;
  const int inputs = layer->inputs;
  for (int output = 0; output < layer->outputs; output++, weights += inputs, out += NEAREND_SHARED_BANDS) {
    // Of every first and every second input: sums that do not wait for each other.
    lanes sums[BAND_VECTORS], others[BAND_VECTORS];
    for (int i = 0; i < BAND_VECTORS; i++) {
      sums[i] = layer->hasBiasesByBand ? LOAD(biases + NEAREND_SHARED_BANDS * output + 8 * i) : ALL(biases[output]);
      others[i] = ALL(0);
    }
#pragma clang loop unroll_count(4)
    for (int k = 0; k < inputs; k += 2) {
      const float *row = in + NEAREND_SHARED_BANDS * k, *next = row + NEAREND_SHARED_BANDS;
#pragma clang loop unroll(full)
      for (int i = 0; i < BAND_VECTORS; i++) {
        sums[i] += ALL(weights[k]) * LOAD(row + 8 * i);
        others[i] += ALL(weights[k + 1]) * LOAD(next + 8 * i);
      }
    }
    for (int i = 0; i < BAND_VECTORS; i++) STORE(out + 8 * i, sums[i] + others[i]);
  }
}

#define LOGISTIC(x) (EVERY(1) / (EVERY(1) + EXP2(EVERY(-LOG2_E) * (x))))
#define TANH(x) (EVERY(2) * LOGISTIC(EVERY(2) * (x)) - EVERY(1))

static void logarithms(float *values, int count, float least, float factor, float offset) {
  for (int i = 0; i < count; i += 16) STORE(values + i, EVERY(factor) * LOG2(LOAD_WIDE(values + i) + EVERY(least)) + EVERY(offset));
}

static void logistic(float *values, int count) {
  for (int i = 0; i < count; i += 16) STORE(values + i, LOGISTIC(LOAD_WIDE(values + i)));
}

static void hyperbolic_tangent(float *values, int count) {
  for (int i = 0; i < count; i += 16) STORE(values + i, TANH(LOAD_WIDE(values + i)));
}

static void recur(const float *gates, const float *own, float *state, int units) {
  for (int i = 0; i < units; i += 16) {
    wide reset = LOGISTIC(LOAD_WIDE(gates + i) + LOAD_WIDE(own + i));
    wide keep = LOGISTIC(LOAD_WIDE(gates + units + i) + LOAD_WIDE(own + units + i));
    wide new = TANH(LOAD_WIDE(gates + 2 * units + i) + reset * LOAD_WIDE(own + 2 * units + i));
    STORE(state + i, new + keep * (LOAD_WIDE(state + i) - new));
  }
}
