internal import CKernels

/// Reads `suppressor.weights`, whose form CSuppressorWeights.h describes, from its first layer to its last. [control]
struct WeightReader {
  /// What the file says of the network.
  let features, units, outputs, bandUnits, summary, advice: Int

  private let base: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private var next: Int

  init(_ weights: UnsafeRawBufferPointer) {
    guard let base = weights.baseAddress, weights.count > 32 else { preconditionFailure("there are no weights") }
    let header = (0..<8).map { Int(base.load(fromByteOffset: 4 * $0, as: Int32.self)) }
    precondition(header[0] == 3, "the weights have another format")
    precondition(header[1..<7].allSatisfy { (1...4096).contains($0) }, "the weights are another network's")
    (self.base, end, next) = (base, base + weights.count, 32)
    (features, units, outputs) = (header[1], header[2], header[3])
    (bandUnits, summary, advice) = (header[4], header[5], header[6])
  }

  var isAtEnd: Bool { base + (next + 63) / 64 * 64 == end }

  /// The next layer of all bands; its memory is the file's.
  mutating func dense(_ inputs: Int, _ outputs: Int) -> nearend_dense {
    let padded = (outputs + 63) / 64 * 64
    precondition(inputs % 16 == 0 && inputs <= NEAREND_DENSE_INPUTS, "the weights are another network's")
    let weights = take(Int8.self, inputs * padded), scales = take(Float.self, padded), biases = take(Float.self, padded)
    return nearend_dense(weights: weights, scales: scales, biases: biases, inputs: Int32(inputs), outputs: Int32(padded))
  }

  /// The next layer that bands share, with weights as numbers.
  mutating func shared(_ inputs: Int, _ outputs: Int, hasBiasesByBand: Bool = false) -> SharedLayer {
    let weights = take(Int8.self, inputs * outputs), scales = take(Float.self, outputs)
    let biasCount = hasBiasesByBand ? outputs * NetworkBands.count : outputs, biases = take(Float.self, biasCount)
    return SharedLayer(
      weights: (0..<inputs * outputs).map { Float(weights[$0]) * scales[$0 / inputs] }, biases: (0..<biasCount).map { biases[$0] },
      inputs: inputs, outputs: outputs)
  }

  private mutating func take<Value: BitwiseCopyable>(_ type: Value.Type, _ count: Int) -> UnsafePointer<Value> {
    let start = (next + 63) / 64 * 64
    next = start + count * MemoryLayout<Value>.stride
    precondition(base + next <= end, "the weights end early")
    return (base + start).assumingMemoryBound(to: type)
  }
}
