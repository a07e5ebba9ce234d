internal import CRealtime

/// The consumer of the processed voice on the audio thread. Made and freed by a `SourceTap`.
struct SourceConsumer: ~Copyable {
  private let callback: MicrophoneCallback?
  private let context: UnsafeMutableRawPointer?
  private let queue: SourceQueueWriter?
  private let interleaved: Samples
  private var position: UInt64 = 0

  init(callback: @escaping MicrophoneCallback, context: UnsafeMutableRawPointer?) {
    self.callback = callback
    self.context = context
    queue = nil
    interleaved = Samples(2 * CoreState.maximumQuantum)
  }

  init(queue: SourceQueueWriter) {
    callback = nil
    context = nil
    self.queue = queue
    interleaved = Samples(queue.channels * CoreState.maximumQuantum)
  }

  /// Delivers one cycle's voice, at most `CoreState.maximumQuantum` frames: as two channels, or as the mean of both. `right`: its right
  /// side, if that differs. [realtime]
  @_noLocks @_noAllocation
  mutating func deliver(_ voice: UnsafePointer<Float>, right: UnsafePointer<Float>?, frames: Int, rate: Int, channelCount: Int) {
    var channels = channelCount
    if let queue { channels = queue.channels }
    var samples = voice
    if channels == 2 || right != nil {
      arrange(voice, right ?? voice, frames: frames, channels: channels)
      samples = UnsafePointer(interleaved.start)
    }
    if let queue { return queue.write(samples, frames: frames, rate: rate) }
    guard let callback else { return }
    rt_call_microphone(callback, context, samples, frames, channelCount, rate, position)
    position &+= UInt64(frames)
  }

  @_noLocks @_noAllocation
  private func arrange(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, frames: Int, channels: Int) {
    if channels == 1 {
      for i in 0..<frames { interleaved[i] = 0.5 * (left[i] + right[i]) }
      return
    }
    for i in 0..<frames {
      interleaved[2 * i] = left[i]
      interleaved[2 * i + 1] = right[i]
    }
  }
}
