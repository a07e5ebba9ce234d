internal import CAudioProcessing
internal import CRealtime

/// Measures the delay of a processor when its stage is made: each generation of the library splits bands and resamples in its own way, so
/// constants could become outdated. [control]
enum StageDelay {
  /// Returns frames of 1 / (100 · block) s, by cross-correlating a tone sweep through speech frequencies with a fresh processor's output.
  static func measured(_ library: WebRTCLibrary, _ kind: nearend_processor_kind, block: Int) throws(CapturePathError) -> Int {
    let processor = try library.makeProcessor(kind, block: block)
    defer { nearend_processor_destroy(processor) }
    let sweepBlocks = 4, blocks = 10
    var input = [Float](repeating: 0, count: blocks * block)
    let length = Float(sweepBlocks * block), rate = Float(100 * block)
    for i in 0..<(sweepBlocks * block) {
      let t = Float(i) / length
      // 300 Hz to 3 kHz, under a raised cosine.
      let phase = 2 * Float.pi * length / rate * (300 * t + 1350 * t * t)
      input[block + i] = 0.25 * rt_sinf(phase) * (1 - rt_cosf(2 * .pi * t))
    }
    let silence = [Float](repeating: 0, count: block)
    var output = [Float](repeating: 0, count: blocks * block)
    let isProcessed = output.withUnsafeMutableBufferPointer { output in
      (0..<blocks).allSatisfy { index in
        nearend_processor_analyze_reference(processor, silence) == 0
          && input.withUnsafeBufferPointer {
            nearend_processor_process(processor, $0.baseAddress! + index * block, output.baseAddress! + index * block) == 0
          }
      }
    }
    guard isProcessed else { throw .libraryRefused(rate: 100 * block) }
    return bestLag(of: output, behind: input, from: block, count: sweepBlocks * block, longest: 3 * block, rate: 100 * block)
  }

  /// Searches coarsely, then finely. The sweep ends at 3 kHz, so every frame of 1 / 12,000 s distinguishes its products, and only the
  /// neighbourhood of the best of those needs every frame. The coarse search costs the same at every rate.
  static func bestLag(of output: [Float], behind input: [Float], from start: Int, count: Int, longest: Int, rate: Int) -> Int {
    output.withUnsafeBufferPointer { output in
      input.withUnsafeBufferPointer { input in
        func best(of lags: StrideThrough<Int>, step: Int) -> Int {
          var best = 0, highest = -Float.infinity
          for lag in lags {
            var sum: Float = 0
            var i = start
            while i < start + count {
              sum += input[i] * output[i + lag]
              i += step
            }
            if sum > highest { (best, highest) = (lag, sum) }
          }
          return best
        }
        let step = max(1, rate / 12_000)
        let coarse = best(of: stride(from: 0, through: longest, by: step), step: step)
        guard step > 1 else { return coarse }
        return best(of: stride(from: max(0, coarse - step), through: min(longest, coarse + step), by: 1), step: 1)
      }
    }
  }
}
