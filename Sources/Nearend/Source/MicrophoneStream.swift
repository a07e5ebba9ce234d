import RealtimeCore
import SessionModel

/// Processed microphone audio in a program's format, in buffers of about 10 ms. [any]
///
/// ```swift
/// for await buffer in try manager.microphoneBuffers(mediaId: "call", sampleRate: 16_000, channelCount: 1) { send(buffer.samples) }
/// ```
///
/// It waits while the session does not run (S3), and continues by itself after an interruption or a change of the graph's rate. It ends
/// when its source or its media is unregistered, on `cancel()`, when a task that awaits it is cancelled, and with the last reference to it.
/// Several tasks share its buffers.
public final class MicrophoneStream: AsyncSequence, Sendable {
  public typealias Element = MicrophoneBuffer
  public typealias Failure = Never

  /// Rates in Hz that a program may request.
  public static let sampleRates = SinkFormat.sampleRates
  /// Channel counts that a program may request: 1, or 2, left and right, or the mono voice on both where there is no stereo.
  public static let channelCounts = SinkFormat.channelCounts

  private let pump: SourcePump
  private let graphRate: @Sendable () -> Int
  private let unregister: @Sendable () -> Void

  /// - Parameter graphRate: returns the rate of the voice in Hz; 0 before the first cycle.
  init(pump: SourcePump, graphRate: @escaping @Sendable () -> Int, unregister: @escaping @Sendable () -> Void) {
    self.pump = pump
    self.graphRate = graphRate
    self.unregister = unregister
  }

  deinit { cancel() }

  /// Rate of the buffers in Hz.
  public var sampleRate: Int { pump.sampleRate }
  /// 1, or 2: left and right, or the mono voice on both where there is no stereo.
  public var channelCount: Int { pump.channelCount }
  /// Rate of the voice as it comes from the graph, in Hz; 0 before the graph's first cycle.
  public var captureRate: Int { graphRate() }
  /// A Boolean value indicating whether the rate is converted.
  public var isResampling: Bool { captureRate > 0 && captureRate != sampleRate }
  /// Cycles lost because the audio was not consumed in time.
  public var overruns: UInt64 { pump.queue.overruns }

  /// Ends the stream and unregisters its source. Idempotent.
  public func cancel() {
    unregister()
    pump.end()
  }

  /// Passes the next buffer on, without a task, for which the system would need a thread to spare; nil at the end.
  func next(_ waiter: @escaping SourcePump.Waiter) { pump.next(waiter) }

  /// Returns an iterator over the buffers not consumed yet: several iterators share them, each buffer goes to one.
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  /// Consumes buffers, one task at a time, and keeps the stream open for as long as the iterator exists.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let stream: MicrophoneStream

    /// Returns the next buffer; nil at the end.
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
