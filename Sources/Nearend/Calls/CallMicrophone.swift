import SessionModel

extension Call {
  /// Opens the microphone, with the far end's echo removed, in buffers of about 10 ms. One at a time in a program.
  ///
  /// It waits while the session does not run, and continues by itself after an interruption or a change of device.
  /// - Parameters:
  ///   - sampleRate: Hz, 8000–192000; nil for the graph's current rate, 48000 before its first cycle.
  ///   - channels: 1, or 2, left and right where the session's settings ask for stereo, otherwise with the mono voice on both; nil for the
  ///     session's setting.
  /// - Throws: `MicrophoneError`; nothing has changed then.
  public func microphone(sampleRate: Int? = nil, channels: Int? = nil) throws(MicrophoneError) -> Microphone {
    let microphone = try whileJoined { () throws(MicrophoneError) in
      do throws(SourceError) {
        return Microphone(self, try owner.openSource(id: id, sampleRate: sampleRate, channelCount: channels))
      } catch {
        throw MicrophoneError(error, self)
      }
    }
    guard let microphone else { throw .callEnded(id: id) }
    return microphone
  }

  /// The microphone of a call: a handle, which ends with its last reference, with its call, when a task that awaits it is cancelled, or by
  /// `end()`. [any]
  ///
  /// Audio that is not consumed waits in a buffer of 1.3 s at 48 kHz. When it is full, the newest audio is dropped, in whole cycles:
  /// ``lostCycles`` counts them, the next buffer's `position` jumps by the gap, and the session posts an event.
  public final class Microphone: AsyncSequence, Sendable {
    public typealias Element = MicrophoneBuffer
    public typealias Failure = Never

    /// The call that it belongs to.
    public let call: Call
    private let stream: MicrophoneStream

    fileprivate init(_ call: Call, _ stream: MicrophoneStream) { (self.call, self.stream) = (call, stream) }

    deinit { end() }

    /// Hz.
    public var sampleRate: Int { stream.sampleRate }
    /// 1, or 2.
    public var channels: Int { stream.channelCount }
    /// Cycles lost because the audio was not consumed in time.
    public var lostCycles: UInt64 { stream.overruns }

    /// Ends the sequence; the call may then take the microphone again. Idempotent.
    public func end() { stream.cancel() }

    /// Returns an iterator over the buffers not consumed yet: several iterators share them, each buffer goes to one.
    public func makeAsyncIterator() -> Iterator { Iterator(microphone: self, buffers: stream.makeAsyncIterator()) }

    /// Consumes buffers, one task at a time, and keeps the microphone open for as long as the iterator exists.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      fileprivate let microphone: Microphone
      fileprivate var buffers: MicrophoneStream.Iterator

      /// Returns the next buffer; nil at the end.
      public mutating func next() async -> MicrophoneBuffer? { await buffers.next() }
    }
  }
}

extension MicrophoneBuffer {
  /// How long it lasts.
  public var duration: Duration { .frames(frames, rate: sampleRate) }

  /// When it begins, counted from the microphone's opening. A jump reveals a loss.
  public var time: Duration { .frames(Int(clamping: position), rate: sampleRate) }
}
