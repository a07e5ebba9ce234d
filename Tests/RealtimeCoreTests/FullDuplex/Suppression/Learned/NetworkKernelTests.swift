import CKernels
import Testing

@testable import RealtimeCore

/// The layers' kernels against plain sums, in double precision.
@Suite("Full duplex: the network's layers")
struct NetworkKernelTests {
  /// A whole number from −127 to 127 for each index, without a pattern that repeats.
  private func weight(_ index: Int) -> Int8 {
    let mixed: Int = 7_919 * index + 104_729 * (index / 3)
    return Int8(mixed % 255 - 127)
  }

  @Test("V14: a dense layer is its biases and the scaled sums of weights and inputs, which count with 16 bits up to ±1")
  func dense() {
    let inputs = 48, outputs = 128
    // As the file has them: 64 outputs, two inputs of each at a time.
    var packed = [Int8](repeating: 0, count: inputs * outputs)
    for input in 0..<inputs {
      for output in 0..<outputs {
        let block: Int = (output / 64) * (64 * inputs), pair: Int = (input / 2) * 128, lane: Int = (output % 64) * 2
        packed[block + pair + lane + input % 2] = weight(input * outputs + output)
      }
    }
    let scales = (0..<outputs).map { 0.001 + 0.0001 * Float($0) }, biases = (0..<outputs).map { 0.1 * Float($0) - 3 }
    // A few are beyond ±1.
    let values = (0..<inputs).map { 1.2 * Float(weight(31 * $0)) / 127 }
    var found = [Float](repeating: .nan, count: outputs)
    packed.withUnsafeBufferPointer { packed in
      scales.withUnsafeBufferPointer { scales in
        biases.withUnsafeBufferPointer { biases in
          var layer = nearend_dense(
            weights: packed.baseAddress!, scales: scales.baseAddress!, biases: biases.baseAddress!, inputs: Int32(inputs),
            outputs: Int32(outputs))
          nearend_dense_apply(&layer, values, &found)
        }
      }
    }
    for output in 0..<outputs {
      var sum = 0.0
      for input in 0..<inputs {
        sum += Double(weight(input * outputs + output)) * Double(min(max(values[input], -1), 1))
      }
      let expected = Double(biases[output]) + Double(scales[output]) * sum
      #expect(abs(Double(found[output]) - expected) < 1e-3, "output \(output): \(found[output]), expected \(expected)")
    }
  }

  @Test(
    "V14: a layer that bands share has the same weights in every band, and a bias for each output, or in each band",
    arguments: [false, true])
  func shared(hasBiasesByBand: Bool) {
    let inputs = 18, outputs = 5, bands = NetworkBands.count
    let weights = (0..<inputs * outputs).map { Float(weight($0)) / 127 }
    let biases = (0..<(hasBiasesByBand ? outputs * bands : outputs)).map { Float(weight(5 * $0)) / 100 }
    let values = (0..<inputs * bands).map { Float(weight(3 * $0 + 1)) / 50 }
    let layer = SharedLayer(weights: weights, biases: biases, inputs: inputs, outputs: outputs)
    var found = [Float](repeating: .nan, count: outputs * bands)
    layer.apply(values, into: &found)
    for output in 0..<outputs {
      for band in 0..<bands {
        var expected = Double(biases[hasBiasesByBand ? output * bands + band : output])
        for input in 0..<inputs {
          expected += Double(weights[output * inputs + input]) * Double(values[input * bands + band])
        }
        let value = Double(found[output * bands + band])
        #expect(abs(value - expected) < 1e-4, "output \(output), band \(band): \(value), expected \(expected)")
      }
    }
  }
}
