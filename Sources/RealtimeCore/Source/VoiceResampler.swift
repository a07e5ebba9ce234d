internal import CSampleRate

/// Converts a mono voice between rates, outside the audio thread. One thread at a time. [control]
package final class VoiceResampler {
  private let resampler: OpaquePointer
  /// 0 after a reset: the next ratio applies at once.
  private var ratio = 0.0
  /// Input that the filter has not consumed yet.
  private var waiting: [Float] = []

  /// Returns nil if memory is short.
  package init?() {
    guard let resampler = rt_resampler_create(1) else { return nil }
    self.resampler = resampler
  }

  deinit { rt_resampler_destroy(resampler) }

  /// Discards all state: the next input does not continue the previous.
  package func reset() {
    rt_resampler_reset(resampler)
    waiting.removeAll(keepingCapacity: true)
    ratio = 0
  }

  /// Converts `input`. `ratio` is the output rate over the input rate, 1/256–256. The output lags by the filter's length; nothing is lost.
  package func convert(_ input: [Float], ratio: Double) -> [Float] {
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
