internal import CKernels

/// What recurrent layers compute before their state changes: one at a time, so that they share the memory. [realtime] except `init` and
/// `deinit`.
struct RecurrentScratch: ~Copyable {
  /// What the inputs add to both gates and to the new state, and what the state before adds.
  fileprivate let fromInputs, fromState: Samples

  /// - Parameter values: the largest number of values of a state.
  init(values: Int) {
    fromInputs = Samples(3 * values)
    fromState = Samples(3 * values)
  }

  /// Replaces a state of as many values, a multiple of 16.
  @inline(__always) @_noLocks @_noAllocation
  fileprivate func replace(_ state: UnsafeMutablePointer<Float>, values: Int32) {
    nearend_recur(fromInputs.start, fromState.start, state, values)
  }
}

/// A gated recurrent layer that bands share. [realtime] except `init` and `deinit`.
struct SharedRecurrent: ~Copyable {
  private let input, state: SharedLayer
  private let values: Int32

  init(_ reader: inout WeightReader, inputs: Int, units: Int) {
    input = reader.shared(inputs, 3 * units)
    state = reader.shared(units, 3 * units)
    values = Int32(units * NetworkBands.count)
  }

  /// Replaces the state, whose rows are those of a band each.
  @_noLocks @_noAllocation
  func run(_ inputs: UnsafePointer<Float>, state rows: UnsafeMutablePointer<Float>, _ scratch: borrowing RecurrentScratch) {
    input.apply(inputs, into: scratch.fromInputs.start)
    state.apply(rows, into: scratch.fromState.start)
    scratch.replace(rows, values: values)
  }
}

/// A gated recurrent layer of all bands. [realtime] except `init` and `deinit`.
struct DenseRecurrent: ~Copyable {
  private var input, state: nearend_dense
  private let units: Int32

  init(_ reader: inout WeightReader, inputs: Int, units: Int) {
    input = reader.dense(inputs, 3 * units)
    state = reader.dense(units, 3 * units)
    self.units = Int32(units)
  }

  /// Replaces the state.
  @_noLocks @_noAllocation
  mutating func run(_ inputs: UnsafePointer<Float>, state values: UnsafeMutablePointer<Float>, _ scratch: borrowing RecurrentScratch) {
    nearend_dense_apply(&input, inputs, scratch.fromInputs.start)
    nearend_dense_apply(&state, values, scratch.fromState.start)
    scratch.replace(values, values: units)
  }
}
