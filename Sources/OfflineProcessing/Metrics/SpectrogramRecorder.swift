import RealtimeCore
import SessionModel

/// Collects a spectrogram cycle by cycle: one column per `MetricsRecorder.interval`.
struct SpectrogramRecorder {
  private let bands: SpectrogramBands
  private let step: Int
  private let count: Int
  private var waiting: [Float] = []
  private(set) var columns: [[UInt8]?] = []

  /// - Parameters:
  ///   - rate: Hz.
  ///   - skip: frames at the beginning that are not shown: the signal's delay.
  ///   - length: frames to show.
  init(rate: Int, skip: Int = 0, length: Int) {
    bands = SpectrogramBands(rate: rate, count: SpectrogramScale.bands)
    step = rate / 10
    count = (length + step - 1) / step
    self.skip = skip
  }
  private var skip: Int

  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    let skipped = min(skip, samples.count)
    skip -= skipped
    waiting.append(contentsOf: samples.dropFirst(skipped))
    while waiting.count >= step {
      if columns.count < count { columns.append(bands.levels(of: Array(waiting.prefix(step))).map(SpectrogramScale.byte)) }
      waiting.removeFirst(step)
    }
  }
}
