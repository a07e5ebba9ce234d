import RealtimeCore
import SessionModel
import Synchronization

extension ManualRenderer {
  /// Creates a buffer for a participant's PCM, which is mixed into `speaker` from the next cycle on. [any]
  /// - Parameters:
  ///   - sampleRate: Hz of what will be written, 8000–192000.
  ///   - channels: 1, played on both sides, or 2.
  ///   - bufferDuration: the buffer's capacity. Playback starts once half of it, or 0.1 s, is filled.
  /// - Throws: `OutputError`; nothing has changed then.
  public func makeOutput(
    sampleRate: Int = 48_000, channels: Int = 1, bufferDuration: Duration = .milliseconds(200)
  ) throws(OutputError) -> Output {
    let buffer = try OutputBuffer(sampleRate: sampleRate, channels: channels, duration: bufferDuration)
    let id = "manual output \(outputs.add(1, ordering: .relaxed).newValue)"
    do throws(SinkError) {
      let sink = try RingSink(id: id, format: buffer.format, capacityBytes: buffer.bytes)
      try core.mixer.add(sink)
      return Output(sink, buffer, core.mixer)
    } catch {
      throw OutputError(error, id: id)
    }
  }

  /// An output of a manual renderer: a handle, which ends with its last reference, or by `end()`. Accepts interleaved 16-bit PCM. [any]
  ///
  /// As ``Call/Output``: a write that does not fit is refused whole, and accepted audio is played at the writer's own speed.
  public final class Output: Sendable {
    /// Hz.
    public var sampleRate: Int { buffer.format.sampleRate }
    /// 1, or 2.
    public var channels: Int { buffer.format.channelCount }
    /// The buffer's capacity.
    public var bufferDuration: Duration { buffer.duration }

    private let sink: RingSink
    private let buffer: OutputBuffer
    private let mixer: Mixer
    private let ended = Atomic(false)

    fileprivate init(_ sink: RingSink, _ buffer: OutputBuffer, _ mixer: Mixer) {
      (self.sink, self.buffer, self.mixer) = (sink, buffer, mixer)
    }

    deinit { end() }

    /// A Boolean value indicating whether it has ended.
    public var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Ends the output with a fade-out. Idempotent.
    public func end() {
      if !ended.exchange(true, ordering: .acquiringAndReleasing) { _ = mixer.remove(id: sink.id) }
    }

    /// Writes interleaved samples, whole or not at all. Never blocks.
    /// - Parameter samples: a whole number of frames.
    /// - Throws: `WriteError`; nothing is written then.
    public func write(_ samples: [Int16]) throws(WriteError) {
      let result = samples.withUnsafeBytes { bytes in Result { () throws(WriteError) in try write(bytes) } }
      try result.get()
    }

    /// Writes interleaved native-endian 16-bit samples, whole or not at all. Never blocks.
    /// - Parameter bytes: a whole number of frames.
    /// - Throws: `WriteError`; nothing is written then.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(WriteError) {
      try buffer.check(bytes.count)
      try WriteError.check(hasEnded ? nil : sink.put(bytes), id: sink.id)
    }

    /// The duration of the audio in the buffer.
    public var buffered: Duration { hasEnded ? .zero : buffer.duration(ofBytes: sink.fill.bytes) }

    /// State, levels and counters; nil once it has ended.
    public var status: OutputStatus? { hasEnded ? nil : OutputStatus(sink.status()) }

    /// Sets the linear gain, 0–4 (clamped), with a ramp. Default 1.
    /// - Parameter gain: NaN is ignored.
    public func setGain(_ gain: Double) { sink.gain = Float(gain) }

    /// Mutes the output, with a ramp; its buffer continues to be read. Default false.
    /// - Parameter isMuted: whether it is silent.
    public func setMuted(_ isMuted: Bool) { sink.isMuted = isMuted }
  }
}

extension ManualRenderer {
  /// Delivers the processed voice to a callback in each cycle from the next on, on the thread that runs it. Ends the previous tap. [any]
  /// - Parameters:
  ///   - context: passed to the callback; it has to live until the tap has ended.
  ///   - callback: must not end the tap.
  public func tapMicrophone(context: UnsafeMutableRawPointer? = nil, callback: @escaping MicrophoneCallback) -> MicrophoneTap {
    let number = taps.withLock { taps in
      core.source.attach(callback, context: context)
      taps += 1
      return taps
    }
    return MicrophoneTap { [self] in taps.withLock { if $0 == number { core.source.detach() } } }
  }
}
