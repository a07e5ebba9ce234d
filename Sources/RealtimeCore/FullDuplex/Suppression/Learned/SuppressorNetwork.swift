internal import CKernels
internal import CSuppressorWeights

/// The suppressor's network: two gated recurrent layers (Cho et al., EMNLP 2014) of 128 units between `NetworkFeatures` and gains, with
/// weights of 8 bits that are part of the program. `Training/network.py` is the same. Cost: 260,000 multiplications a run. [realtime]
/// except `init` and `deinit`.
struct SuppressorNetwork: ~Copyable {
  /// What the network says, 0…1: for each band the factors that leave the near end, and all but the echo; then the probability that the
  /// near end is heard.
  let outputs: UnsafePointer<Float>

  /// Values of `outputs`.
  static var count: Int { 2 * NetworkBands.count + 1 }

  private var layers: Layers
  private let results: Samples
  /// Both recurrent layers' states, side by side, which the last layer reads.
  private let states: Samples
  private let dense, gates, own: Samples

  private struct Layers {
    var input, firstInput, firstState, secondInput, secondState, output: nearend_dense
    let units: Int
  }

  /// Takes the weights in the program, or others of the same form, which must outlive the network. [control]
  init(weights: UnsafeRawBufferPointer = Self.weights) {
    var reader = WeightReader(weights)
    let inputs = reader.inputs, units = reader.units, outputs = reader.outputs
    precondition(
      inputs == NetworkFeatures.count && outputs == Self.count && units % 64 == 0, "the weights are another network's")
    layers = Layers(
      input: reader.layer(inputs, units), firstInput: reader.layer(units, 3 * units), firstState: reader.layer(units, 3 * units),
      secondInput: reader.layer(units, 3 * units), secondState: reader.layer(units, 3 * units), output: reader.layer(2 * units, outputs),
      units: units)
    precondition(reader.isAtEnd, "the weights are another network's")
    results = Samples(Int(layers.output.outputs))
    self.outputs = UnsafePointer(results.start)
    states = Samples(2 * units)
    dense = Samples(units)
    gates = Samples(3 * units)
    own = Samples(3 * units)
  }

  /// The weights in the program.
  static var weights: UnsafeRawBufferPointer {
    let range = nearend_weights()
    return UnsafeRawBufferPointer(start: range.begin, count: range.end - range.begin)
  }

  /// Forgets all former input.
  @_noLocks @_noAllocation
  func reset() { clear(states.start, frames: 2 * layers.units) }

  /// Runs once; `outputs` is the result.
  @_noLocks @_noAllocation
  mutating func run(_ features: UnsafePointer<Float>) {
    let units = layers.units
    nearend_dense_apply(&layers.input, features, dense.start)
    nearend_tanh(dense.start, Int32(units))
    nearend_dense_apply(&layers.firstInput, dense.start, gates.start)
    nearend_dense_apply(&layers.firstState, states.start, own.start)
    nearend_recur(gates.start, own.start, states.start, Int32(units))
    nearend_dense_apply(&layers.secondInput, states.start, gates.start)
    nearend_dense_apply(&layers.secondState, states + units, own.start)
    nearend_recur(gates.start, own.start, states + units, Int32(units))
    nearend_dense_apply(&layers.output, states.start, results.start)
    nearend_logistic(results.start, layers.output.outputs)
  }
}

/// Reads the layers of `suppressor.weights`, whose form CSuppressorWeights.h describes. [control]
private struct WeightReader {
  private let base: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private var next: Int

  init(_ weights: UnsafeRawBufferPointer) {
    guard let base = weights.baseAddress, weights.count > 32 else { preconditionFailure("there are no weights") }
    (self.base, end) = (base, base + weights.count)
    next = 32
    precondition(number(0) == 1, "the weights have another format")
  }

  var inputs: Int { number(1) }
  var units: Int { number(2) }
  var outputs: Int { number(3) }
  var isAtEnd: Bool { base + (next + 63) / 64 * 64 == end }

  private func number(_ index: Int) -> Int { Int(base.load(fromByteOffset: 4 * index, as: Int32.self)) }

  mutating func layer(_ inputs: Int, _ outputs: Int) -> nearend_dense {
    let padded = (outputs + 63) / 64 * 64
    let weights = take(inputs * padded), scales = take(4 * padded), biases = take(4 * padded)
    return nearend_dense(
      weights: weights.assumingMemoryBound(to: Int8.self), scales: scales.assumingMemoryBound(to: Float.self),
      biases: biases.assumingMemoryBound(to: Float.self), inputs: Int32(inputs), outputs: Int32(padded))
  }

  private mutating func take(_ bytes: Int) -> UnsafeRawPointer {
    let start = (next + 63) / 64 * 64
    next = start + bytes
    precondition(base + next <= end, "the weights end early")
    return base + start
  }
}
