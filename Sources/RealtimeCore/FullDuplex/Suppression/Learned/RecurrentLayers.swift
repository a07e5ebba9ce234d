internal import CKernels

/// A gated recurrent layer that bands share. [realtime] except `init` and `deinit`.
struct SharedRecurrent: ~Copyable {
  private let input, state: SharedLayer
  private let gates, own: Samples
  private let count: Int32

  init(_ reader: inout WeightReader, inputs: Int, units: Int) {
    input = reader.shared(inputs, 3 * units)
    state = reader.shared(units, 3 * units)
    gates = Samples(3 * units * NetworkBands.count)
    own = Samples(3 * units * NetworkBands.count)
    count = Int32(units * NetworkBands.count)
  }

  /// Replaces the state, whose rows are those of a band each.
  @_noLocks @_noAllocation
  func run(_ inputs: UnsafePointer<Float>, state values: UnsafeMutablePointer<Float>) {
    input.apply(inputs, into: gates.start)
    state.apply(values, into: own.start)
    nearend_recur(gates.start, own.start, values, count)
  }
}

/// A gated recurrent layer of all bands. [realtime] except `init` and `deinit`.
struct DenseRecurrent: ~Copyable {
  private var input, state: nearend_dense
  private let gates, own: Samples
  private let units: Int32

  init(_ reader: inout WeightReader, inputs: Int, units: Int) {
    input = reader.dense(inputs, 3 * units)
    state = reader.dense(units, 3 * units)
    gates = Samples(3 * units)
    own = Samples(3 * units)
    self.units = Int32(units)
  }

  /// Replaces the state.
  @_noLocks @_noAllocation
  mutating func run(_ inputs: UnsafePointer<Float>, state values: UnsafeMutablePointer<Float>) {
    nearend_dense_apply(&input, inputs, gates.start)
    nearend_dense_apply(&state, values, own.start)
    nearend_recur(gates.start, own.start, values, units)
  }
}
