/// Runs the suppressor's network with weights from a file, to compare it with the one that was trained. Only `Training/` uses it. [any], on
/// one thread.
package struct NetworkTrial: ~Copyable {
  package static var inputs: Int { NetworkFeatures.count }
  package static var outputs: Int { SuppressorNetwork.count }

  private var network: SuppressorNetwork
  private let weights: CacheLines

  /// - Parameter bytes: in the form that CSuppressorWeights.h describes.
  package init(weights bytes: [UInt8]) {
    weights = CacheLines(byteCount: max(1, bytes.count))
    weights.start.copyMemory(from: bytes, byteCount: bytes.count)
    network = SuppressorNetwork(weights: UnsafeRawBufferPointer(start: weights.start, count: bytes.count))
  }

  /// Returns the outputs for the next step's `inputs` values.
  package mutating func run(_ features: [Float]) -> [Float] {
    network.run(features)
    return Array(UnsafeBufferPointer(start: network.outputs, count: Self.outputs))
  }
}
