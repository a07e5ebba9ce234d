// Gated recurrent layers and their gradients for XLA, which `recurrence.py` compiles and calls: `network.recur` says what they compute.
// The rows of a batch know nothing of each other: a few of them go through all steps while the layer's matrix stays in the cache.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Floats = ffi::Buffer<ffi::F32>;
using Result = ffi::Result<Floats>;

namespace {

constexpr int64_t lanes = 16, mostRows = 16;
typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
typedef int32_t Integers __attribute__((vector_size(lanes * sizeof(int32_t))));

Vector load(const float *p) {
  Vector value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

void store(float *p, Vector value) { std::memcpy(p, &value, sizeof value); }

// 2^x by the series of exp at the distance to the nearest integer.
Vector exp2(Vector x) {
  x = x < -126.f ? Vector{} - 126.f : x > 126.f ? Vector{} + 126.f : x;
  Vector shifted = x + 12582912.f, t = (x - (shifted - 12582912.f)) * 0.69314718f;
  Integers exponent = ((Integers)shifted - 0x4B400000 + 127) << 23;
  Vector series = 1.f + t * (1.f + t * (0.5f + t * (1.f / 6 + t * (1.f / 24 + t * (1.f / 120 + t * (1.f / 720))))));
  return (Vector)exponent * series;
}

Vector logistic(Vector x) { return 1.f / (1.f + exp2(-1.44269504f * x)); }
Vector hyperbolicTangent(Vector x) { return 2.f * logistic(2.f * x) - 1.f; }

// out = start + rows × matrix, of `rows` rows; `start` is a vector of `outputs` values for each row, or null for zeros.
template <int rows>
void multiply(
    const float *in, int64_t inStride, const float *matrix, const float *start, int64_t inputs, int64_t outputs, float *out,
    int64_t outStride) {
  for (int64_t column = 0; column < outputs; column += lanes) {
    Vector sums[rows];
    for (int row = 0; row < rows; row++) sums[row] = start ? load(start + column) : Vector{};
    for (int64_t k = 0; k < inputs; k++) {
      Vector weights = load(matrix + k * outputs + column);
#pragma clang loop unroll(full)
      for (int row = 0; row < rows; row++) sums[row] += in[row * inStride + k] * weights;
    }
    for (int row = 0; row < rows; row++) store(out + row * outStride + column, sums[row]);
  }
}

// sum += transposed rows of `in` × rows of `out`.
template <int rows>
void accumulate(
    const float *in, int64_t inStride, int64_t inputs, const float *out, int64_t outStride, int64_t outputs, float *sum) {
  for (int64_t column = 0; column < outputs; column += lanes) {
    Vector values[rows];
    for (int row = 0; row < rows; row++) values[row] = load(out + row * outStride + column);
    for (int64_t k = 0; k < inputs; k++) {
      Vector total = load(sum + k * outputs + column);
#pragma clang loop unroll(full)
      for (int row = 0; row < rows; row++) total += in[row * inStride + k] * values[row];
      store(sum + k * outputs + column, total);
    }
  }
}

template <int rows>
void addRows(const float *in, int64_t stride, int64_t count, float *sum) {
  for (int64_t i = 0; i < count; i += lanes) {
    Vector total = load(sum + i);
    for (int row = 0; row < rows; row++) total += load(in + row * stride + i);
    store(sum + i, total);
  }
}

std::vector<float> transposed(const float *matrix, int64_t rows, int64_t columns) {
  std::vector<float> result(rows * columns);
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t k = 0; k < columns; k++) result[k * rows + i] = matrix[i * columns + k];
  }
  return result;
}

// A layer: `steps` × `count` rows of `heard` inputs and `units` states, and what they are multiplied by.
struct Layer {
  int64_t steps, count, heard, units;
  const float *inputs, *inputMatrix, *inputBias, *matrix, *bias, *runs;
};

// Reset gate, update gate, new state, and the former state's part of the latter: kept for the gradient.
constexpr int64_t kept = 4;

template <int rows>
void forward(const Layer &layer, int64_t first, float *states, float *saved) {
  auto [steps, count, heard, units, inputs, inputMatrix, inputBias, matrix, bias, runs] = layer;
  std::vector<float> zeros(rows * units), own(rows * 3 * units), gates(rows * 3 * units);
  for (int64_t step = 0; step < steps; step++) {
    int64_t now = step * count + first;
    const float *former = step > 0 ? states + (now - count) * units : zeros.data();
    multiply<rows>(inputs + now * heard, heard, inputMatrix, inputBias, heard, 3 * units, gates.data(), 3 * units);
    multiply<rows>(former, units, matrix, bias, units, 3 * units, own.data(), 3 * units);
    for (int row = 0; row < rows; row++) {
      const float *gate = gates.data() + row * 3 * units, *o = own.data() + row * 3 * units, *last = former + row * units;
      float *state = states + (now + row) * units, *keep = saved + (now + row) * kept * units;
      float isRunning = runs[now + row];
      for (int64_t i = 0; i < units; i += lanes) {
        Vector reset = logistic(load(gate + i) + load(o + i));
        Vector update = logistic(load(gate + units + i) + load(o + units + i));
        Vector part = load(o + 2 * units + i);
        Vector fresh = hyperbolicTangent(load(gate + 2 * units + i) + reset * part);
        store(state + i, isRunning * (fresh + update * (load(last + i) - fresh)));
        store(keep + i, reset);
        store(keep + units + i, update);
        store(keep + 2 * units + i, fresh);
        store(keep + 3 * units + i, part);
      }
    }
  }
}

// What the loss's gradient is by the inputs, and by all that they and the states are multiplied by.
struct Gradient {
  float *inputs, *inputMatrix, *inputBias, *matrix, *bias;
};

template <int rows>
void backward(
    const Layer &layer, const Gradient &gradient, int64_t first, const float *wanted, const float *states, const float *saved,
    const float *inputTransposed, const float *ownTransposed) {
  auto [steps, count, heard, units, inputs, inputMatrix, inputBias, matrix, bias, runs] = layer;
  std::vector<float> zeros(rows * units), carried(rows * units), direct(rows * units), own(rows * 3 * units), gates(rows * 3 * units);
  for (int64_t step = steps - 1; step >= 0; step--) {
    int64_t now = step * count + first;
    const float *former = step > 0 ? states + (now - count) * units : zeros.data();
    for (int row = 0; row < rows; row++) {
      const float *keep = saved + (now + row) * kept * units, *want = wanted + (now + row) * units, *last = former + row * units;
      float *gate = gates.data() + row * 3 * units, *o = own.data() + row * 3 * units;
      float isRunning = runs[now + row];
      for (int64_t i = 0; i < units; i += lanes) {
        Vector reset = load(keep + i), update = load(keep + units + i), fresh = load(keep + 2 * units + i);
        Vector change = isRunning * (load(want + i) + load(carried.data() + row * units + i));
        Vector inner = change * (1.f - update) * (1.f - fresh * fresh);
        Vector ofReset = inner * load(keep + 3 * units + i) * reset * (1.f - reset);
        Vector ofUpdate = change * (load(last + i) - fresh) * update * (1.f - update);
        store(gate + i, ofReset);
        store(o + i, ofReset);
        store(gate + units + i, ofUpdate);
        store(o + units + i, ofUpdate);
        store(gate + 2 * units + i, inner);
        store(o + 2 * units + i, inner * reset);
        store(direct.data() + row * units + i, change * update);
      }
    }
    accumulate<rows>(former, units, units, own.data(), 3 * units, 3 * units, gradient.matrix);
    accumulate<rows>(inputs + now * heard, heard, heard, gates.data(), 3 * units, 3 * units, gradient.inputMatrix);
    addRows<rows>(own.data(), 3 * units, 3 * units, gradient.bias);
    addRows<rows>(gates.data(), 3 * units, 3 * units, gradient.inputBias);
    multiply<rows>(gates.data(), 3 * units, inputTransposed, nullptr, 3 * units, heard, gradient.inputs + now * heard, heard);
    multiply<rows>(own.data(), 3 * units, ownTransposed, nullptr, 3 * units, units, carried.data(), units);
    for (int64_t i = 0; i < rows * units; i += lanes) store(carried.data() + i, load(carried.data() + i) + load(direct.data() + i));
  }
}

// Calls `body` with a number of rows, known to the compiler, and the first of them, until all are done.
template <int rows, typename Body>
void forBlocks(int64_t first, int64_t count, Body body) {
  for (; first + rows <= count; first += rows) body(std::integral_constant<int, rows>{}, first);
  if constexpr (rows > 1) forBlocks<rows / 2>(first, count, body);
}

ffi::Error read(Floats inputs, Floats inputMatrix, Floats inputBias, Floats matrix, Floats bias, Floats runs, Layer &layer) {
  auto sizes = inputs.dimensions(), own = matrix.dimensions();
  if (sizes.size() != 3 || own.size() != 2 || sizes[2] % lanes != 0 || own[0] % lanes != 0) {
    return ffi::Error::InvalidArgument("inputs are of the shape (steps, rows, values), with values and units in multiples of 16");
  }
  auto gates = static_cast<size_t>(3 * own[0]);
  if (own[1] != 3 * own[0] || bias.element_count() != gates || inputBias.element_count() != gates
      || inputMatrix.element_count() != sizes[2] * gates || runs.element_count() != static_cast<size_t>(sizes[0] * sizes[1])) {
    return ffi::Error::InvalidArgument(
        "a layer has three gates: (values, 3 units), (3 units), (units, 3 units), (3 units); and (steps, rows)");
  }
  layer = {
      sizes[0], sizes[1], sizes[2], own[0], inputs.typed_data(), inputMatrix.typed_data(), inputBias.typed_data(),
      matrix.typed_data(), bias.typed_data(), runs.typed_data()};
  return ffi::Error::Success();
}

ffi::Error runForward(
    Floats inputs, Floats inputMatrix, Floats inputBias, Floats matrix, Floats bias, Floats runs, Result states, Result saved) {
  Layer layer;
  if (ffi::Error error = read(inputs, inputMatrix, inputBias, matrix, bias, runs, layer); error.failure()) return error;
  forBlocks<mostRows>(0, layer.count, [&](auto rows, int64_t first) {
    forward<rows()>(layer, first, states->typed_data(), saved->typed_data());
  });
  return ffi::Error::Success();
}

ffi::Error runBackward(
    Floats inputs, Floats inputMatrix, Floats inputBias, Floats matrix, Floats bias, Floats runs, Floats wanted, Floats states,
    Floats saved, Result ofInputs, Result ofInputMatrix, Result ofInputBias, Result ofMatrix, Result ofBias) {
  Layer layer;
  if (ffi::Error error = read(inputs, inputMatrix, inputBias, matrix, bias, runs, layer); error.failure()) return error;
  for (Result sum : {ofInputMatrix, ofInputBias, ofMatrix, ofBias}) std::fill_n(sum->typed_data(), sum->element_count(), 0.f);
  Gradient gradient = {
      ofInputs->typed_data(), ofInputMatrix->typed_data(), ofInputBias->typed_data(), ofMatrix->typed_data(), ofBias->typed_data()};
  auto inputTransposed = transposed(layer.inputMatrix, layer.heard, 3 * layer.units);
  auto ownTransposed = transposed(layer.matrix, layer.units, 3 * layer.units);
  forBlocks<mostRows>(0, layer.count, [&](auto rows, int64_t first) {
    backward<rows()>(
        layer, gradient, first, wanted.typed_data(), states.typed_data(), saved.typed_data(), inputTransposed.data(),
        ownTransposed.data());
  });
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    nearend_recur_forward, runForward,
    ffi::Ffi::Bind().Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>().Ret<Floats>().Ret<Floats>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    nearend_recur_backward, runBackward,
    ffi::Ffi::Bind()
        .Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>().Arg<Floats>()
        .Arg<Floats>().Arg<Floats>().Arg<Floats>()
        .Ret<Floats>().Ret<Floats>().Ret<Floats>().Ret<Floats>().Ret<Floats>());
