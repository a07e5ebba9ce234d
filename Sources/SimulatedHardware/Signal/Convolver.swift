/// Convolution with a long impulse response in real time: uniformly partitioned overlap-save (Stockham 1966; Kulp 1988; Wefers 2015,
/// chapter 5).
///
/// Takes any number of frames at a time, and adds `latency` frames. All memory is allocated at the start; `process` neither allocates nor
/// locks. Not Sendable: one owner at a time.
final class Convolver {
  /// Frames per partition.
  let block: Int
  /// Frames between a sample's input and the first output of its response.
  var latency: Int { block }

  private let transform: FourierTransform
  private let partitions: Int
  private let bins: Int
  /// The response's spectra, one row of `bins` per partition, scaled for the inverse transform.
  private let response: UnsafeMutablePointer<Complex>
  /// The spectra of the last `partitions` blocks of input, as a ring of rows.
  private let history: UnsafeMutablePointer<Complex>
  private var newest = 0
  /// The last block and the one being filled.
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private var filled = 0

  init(response taps: [Float], block: Int = 256) {
    self.block = block
    transform = FourierTransform(size: 2 * block)
    bins = transform.bins
    partitions = max(1, (taps.count + block - 1) / block)
    response = .allocate(capacity: partitions * bins)
    history = .allocate(capacity: partitions * bins)
    input = .allocate(capacity: 2 * block)
    output = .allocate(capacity: block)
    history.initialize(repeating: .zero, count: partitions * bins)
    input.initialize(repeating: 0, count: 2 * block)
    output.initialize(repeating: 0, count: block)
    let scale = 1 / Float(2 * block)
    for partition in 0..<partitions {
      for k in 0..<(2 * block) {
        let tap = partition * block + k
        transform.samples[k] = k < block && tap < taps.count ? taps[tap] * scale : 0
      }
      transform.forward()
      (response + partition * bins).initialize(from: transform.spectrum, count: bins)
    }
  }

  deinit {
    response.deallocate()
    history.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// Discards all input.
  func reset() {
    history.update(repeating: .zero, count: partitions * bins)
    input.update(repeating: 0, count: 2 * block)
    output.update(repeating: 0, count: block)
    filled = 0
  }

  /// Convolves `frames` samples; `source` and `destination` may be the same.
  func process(_ source: UnsafePointer<Float>, _ destination: UnsafeMutablePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, block - filled)
      (input + block + filled).update(from: source + done, count: count)
      (destination + done).update(from: output + filled, count: count)
      filled += count
      done += count
      if filled == block {
        convolveBlock()
        filled = 0
      }
    }
  }

  private func convolveBlock() {
    transform.samples.update(from: input, count: 2 * block)
    input.update(from: input + block, count: block)
    transform.forward()
    newest = newest == 0 ? partitions - 1 : newest - 1
    (history + newest * bins).update(from: transform.spectrum, count: bins)
    let sum = transform.spectrum
    sum.update(repeating: .zero, count: bins)
    for partition in 0..<partitions {
      let row = newest + partition
      let x = history + (row < partitions ? row : row - partitions) * bins
      let h = response + partition * bins
      for k in 0..<bins {
        sum[k].re += x[k].re * h[k].re - x[k].im * h[k].im
        sum[k].im += x[k].re * h[k].im + x[k].im * h[k].re
      }
    }
    transform.inverse()
    output.update(from: transform.samples + block, count: block)
  }
}
