import RealtimeCore
import SessionModel

/// Processed microphone audio in the format that a program asked for, in buffers of about 10 ms. [any]
///
///     for await buffer in try service.openMicrophone(mediaId: "call", sampleRate: 16_000, channelCount: 1) { send(buffer.samples) }
///
/// It waits while the session does not run (S3), and goes on by itself after an interruption or a change of the graph's rate. It ends with its source: when
/// that or its media is unregistered, on `cancel()`, when a task that awaits it is cancelled, and with the last reference to it. Several tasks share
/// its buffers.
public final class MicrophoneStream: AsyncSequence, Sendable {
  public typealias Element = MicrophoneBuffer
  public typealias Failure = Never

  /// Hz that a program may ask for.
  public static let sampleRates = SinkFormat.sampleRates
  public static let channelCounts = SinkFormat.channelCounts

  private let pump: SourcePump
  private let core: AudioCore
  private let unregister: @Sendable () -> Void

  init(pump: SourcePump, core: AudioCore, unregister: @escaping @Sendable () -> Void) {
    self.pump = pump
    self.core = core
    self.unregister = unregister
  }

  deinit { cancel() }

  /// Hz of what it gives.
  public var sampleRate: Int { pump.sampleRate }
  /// 1, or 2 with the mono voice on both.
  public var channelCount: Int { pump.channelCount }
  /// Hz of the voice as it comes from the graph; 0 before the graph's first cycle.
  public var captureRate: Int { core.cycleMeters.rate }
  /// The voice's rate is converted.
  public var isResampling: Bool { captureRate > 0 && captureRate != sampleRate }
  /// Cycles lost because nobody took the audio in time.
  public var overruns: UInt64 { pump.queue.overruns }

  /// Ends it and unregisters its source. Doing it again has no effect.
  public func cancel() {
    unregister()
    pump.end()
  }

  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let stream: MicrophoneStream

    /// Nil at the end.
    public mutating func next() async -> MicrophoneBuffer? {
      let stream = stream
      return await withTaskCancellationHandler {
        await stream.pump.next()
      } onCancel: {
        stream.cancel()
      }
    }
  }
}
