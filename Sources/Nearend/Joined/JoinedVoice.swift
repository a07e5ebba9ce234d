import Dispatch
import Platform
import RealtimeCore
import Synchronization

/// Receives the voice in a joined program: passes the host's cycles to the tap that the program's source is attached to. [any]
///
/// Its thread stands in for the audio thread: callbacks are called on it, at the pace of the graph's cycles.
final class JoinedVoice: Sendable {
  private let stream: HostStream
  private let over = DispatchSemaphore(value: 0)
  private let graphRate = Mutex(0)

  private static let stackSize = 512 << 10
  private static let rates = 1_000...768_000

  /// - Parameters:
  ///   - lost: called with the number of cycles lost, now and in total, whenever it grows.
  ///   - ended: called once the host has ended the stream; not after `end()`.
  init(
    _ stream: HostStream, into tap: SourceTap, lost: @escaping @Sendable (_ now: UInt64, _ total: UInt64) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    startThread(name: "nearend-voice", stackSize: Self.stackSize) { [self] in
      feed(tap, lost)
      over.signal()
      ended()
    }
  }

  /// Rate of the last cycle in Hz; 0 before the first.
  var rate: Int { graphRate.withLock { $0 } }

  /// Ends the stream. When it returns, nothing more reaches the tap. Must not be called from a callback.
  func end() {
    stream.end()
    over.wait()
    over.signal()
  }

  private func feed(_ tap: SourceTap, _ reportLost: (UInt64, UInt64) -> Void) {
    var lost: UInt64 = 0
    while let head = stream.read(HostProtocol.VoiceRecord.size),
      let record = HostProtocol.read(HostProtocol.VoiceRecord.self, from: head[...])
    {
      let (frames, rate) = (Int(record.frames), Int(record.rate))
      guard HostProtocol.VoiceRecord.frameCounts.contains(frames), Self.rates.contains(rate) else { return }
      guard var bytes = stream.read(frames * 4) else { return }
      graphRate.withLock { $0 = rate }
      let total = UInt64(record.lost)
      if total > lost { reportLost(total - lost, total) }
      lost = total
      bytes.withUnsafeMutableBytes { bytes in
        let samples = bytes.bindMemory(to: Float.self)
        for i in samples.indices where !samples[i].isFinite { samples[i] = 0 }
        tap.feed(UnsafePointer(samples.baseAddress!), frames: frames, rate: rate, hasAudio: record.hasAudio != 0)
      }
    }
  }
}
