internal import CKernels

/// A layer of which each band has inputs and outputs of its own, and all bands the same weights: rows of `NetworkBands.count` values.
/// [realtime] except `init` and `deinit`.
struct SharedLayer: ~Copyable {
  private let layer: nearend_shared
  private let weights, biases: Samples

  /// - Parameters:
  ///   - weights: the weights of each output in turn; the number of inputs is even.
  ///   - biases: each output's, or each output's in each band.
  init(weights: [Float], biases: [Float], inputs: Int, outputs: Int) {
    precondition(NetworkBands.count == Int(NEAREND_SHARED_BANDS), "the kernels are for another number of bands")
    precondition(inputs % 2 == 0 && weights.count == inputs * outputs && biases.count % outputs == 0)
    let ownWeights = UnsafeMutablePointer<Float>.allocate(capacity: weights.count)
    let ownBiases = UnsafeMutablePointer<Float>.allocate(capacity: biases.count)
    ownWeights.initialize(from: weights, count: weights.count)
    ownBiases.initialize(from: biases, count: biases.count)
    layer = nearend_shared(
      weights: ownWeights, biases: ownBiases, hasBiasesByBand: biases.count > outputs, inputs: Int32(inputs), outputs: Int32(outputs))
    self.weights = Samples(adopting: ownWeights)
    self.biases = Samples(adopting: ownBiases)
  }

  @inline(__always) @_noLocks @_noAllocation
  func apply(_ inputs: UnsafePointer<Float>, into outputs: UnsafeMutablePointer<Float>) {
    withUnsafePointer(to: layer) { nearend_shared_apply($0, inputs, outputs) }
  }
}
