// A recurrent network's layers.

typedef signed char bytes __attribute__((vector_size(16)));

// Outputs that are computed together: their weights for one input are neighbours in memory.
#define TOGETHER 4

static void dense(const nearend_dense *layer, const float *in, float *out) {
  const signed char *weights = layer->weights;
  for (int first = 0; first < layer->outputs; first += 16 * TOGETHER) {
    wide sums[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) sums[i] = EVERY(0);
    for (int k = 0; k < layer->inputs; k++, weights += 16 * TOGETHER) {
      wide x = EVERY(in[k]);
      for (int i = 0; i < TOGETHER; i++) sums[i] += x * __builtin_convertvector(LOAD_AS(bytes, weights + 16 * i), wide);
    }
    for (int i = 0; i < TOGETHER; i++) {
      STORE(out + first + 16 * i, LOAD_WIDE(layer->biases + first + 16 * i) + LOAD_WIDE(layer->scales + first + 16 * i) * sums[i]);
    }
  }
}

#define LOGISTIC(x) (EVERY(1) / (EVERY(1) + EXP2(EVERY(-LOG2_E) * (x))))
#define TANH(x) (EVERY(2) * LOGISTIC(EVERY(2) * (x)) - EVERY(1))

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
