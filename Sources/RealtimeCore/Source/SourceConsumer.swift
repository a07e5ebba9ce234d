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
    interleaved = Samples(1)
  }

  /// Delivers one cycle's mono voice, at most `CoreState.maximumQuantum` frames. [realtime]
  @_noLocks @_noAllocation
  mutating func deliver(_ voice: UnsafePointer<Float>, frames: Int, rate: Int, channelCount: Int) {
    if let queue { return queue.write(voice, frames: frames, rate: rate) }
    guard let callback else { return }
    var samples = voice
    if channelCount == 2 {
      for i in 0..<frames {
        interleaved[2 * i] = voice[i]
        interleaved[2 * i + 1] = voice[i]
      }
      samples = UnsafePointer(interleaved.start)
    }
    rt_call_microphone(callback, context, samples, frames, channelCount, rate, position)
    position &+= UInt64(frames)
  }
}
