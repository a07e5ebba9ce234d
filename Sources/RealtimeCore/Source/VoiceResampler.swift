internal import CSampleRate

/// Converts a mono voice from one rate to another, outside the audio thread. One thread at a time. [control]
public final class VoiceResampler {
  private let resampler: OpaquePointer
  /// 0 after a reset: the next ratio holds at once.
  private var ratio = 0.0
  /// Input that the filter has not taken yet.
  private var waiting: [Float] = []

  /// Nil where memory is short.
  public init?() {
    guard let resampler = rt_resampler_create(1) else { return nil }
    self.resampler = resampler
  }

  deinit { rt_resampler_destroy(resampler) }

  /// Forgets what it was given: what comes does not continue it.
  public func reset() {
    rt_resampler_reset(resampler)
    waiting.removeAll(keepingCapacity: true)
    ratio = 0
  }

  /// `ratio` is the output's rate by the input's, 1/256–256. What comes out lags by the filter's length; nothing is lost.
  public func convert(_ input: [Float], ratio: Double) -> [Float] {
    if ratio != self.ratio {
      rt_resampler_jump(resampler, ratio)
      self.ratio = ratio
    }
    waiting += input
    var output: [Float] = []
    var part = [Float](repeating: 0, count: Int(Double(input.count) * ratio) + 64)
    var total = 0
    while true {
      var used = 0
      let made = waiting[total...].withUnsafeBufferPointer { source in
        part.withUnsafeMutableBufferPointer { target in
          rt_resampler_process(resampler, source.baseAddress, source.count, target.baseAddress, target.count, ratio, &used)
        }
      }
      if made <= 0 && used == 0 { break }
      output += part.prefix(max(0, made))
      total += used
    }
    waiting.removeFirst(total)
    return output
  }
}
