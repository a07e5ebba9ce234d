import Platform
import RTP
import SessionModel
import Synchronization

/// Exchanges RTCP reports with the other machine of a call once a second, at the port after RTP's, and measures the round-trip time. On a
/// thread of its own. [any]
///
/// PipeWire's own modules do not answer: figures that only the other machine knows are missing then.
final class ReportExchange: Sendable {
  let thread: SocketThread
  private var socket: DatagramSocket { thread.socket }
  private let peer: RTPAddress
  /// Where reports come from: another port of that machine may be another user's.
  private let source: DatagramSource
  private let receiver: RemoteReceiver
  private let sender: RemoteSender

  private static let stackSize = 256 << 10
  /// Seconds between reports, twice RFC 3550's minimum for a stream of this rate.
  private static let interval = 1.0

  /// - Parameter socket: bound to the port after RTP's.
  init(_ socket: DatagramSocket, peer: RTPAddress, receiver: RemoteReceiver, sender: RemoteSender) {
    (thread, self.peer, self.receiver, self.sender) = (SocketThread(socket), peer, receiver, sender)
    source = DatagramSource(peer)
  }

  func start() { thread.start(name: "nearend-rtcp", stackSize: Self.stackSize) { [self] in run() } }

  /// Ends it, and releases the port before it returns. Idempotent.
  func stop() { thread.stop() }

  /// The other machine's last report, and its time of arrival.
  private struct Answer {
    var time: UInt64
    var arrival: Double
  }

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: RTPReport.largest, alignment: 8)
    defer { buffer.deallocate() }
    var answer: Answer?
    var before = RTPReceiver.Counts()
    var due = monotonicSeconds()
    var sent = RTPReport.Sent()
    while socket.wait(seconds: max(0.001, due - monotonicSeconds())) {
      // A few at a time: sending must not wait for the end of a flood.
      for _ in 0..<16 {
        guard let (length, source) = socket.receive(into: buffer) else { break }
        guard source == self.source, length <= buffer.count else { continue }
        if let came = handle(UnsafeRawBufferPointer(rebasing: buffer[..<length]), sent) { answer = came }
      }
      let now = monotonicSeconds()
      guard now >= due else { continue }
      due = now + Self.interval
      let reading = receiver.reading
      // Nothing may listen there, which is not this call's fault.
      let report = report(reading, since: before, answer, now)
      sent.note(report)
      _ = socket.send(report.bytes, to: peer)
      before = reading.counts
    }
  }

  private func handle(_ datagram: UnsafeRawBufferPointer, _ sent: RTPReport.Sent) -> Answer? {
    let now = monotonicSeconds()
    guard let report = RTPReport(datagram, about: sender.reading.ssrc) else { return nil }
    if let block = report.block, block.isPlausible {
      let roundTrip = sent.roundTrip(block, now: RTPReport.time(now))
      sender.note(.init(loss: block.fractionLost, jitter: block.jitter, roundTrip: roundTrip))
      if let roundTrip { receiver.note(roundTrip: roundTrip) }
    }
    return report.time == 0 ? nil : Answer(time: report.time, arrival: now)
  }

  private func report(_ reading: RTPReceiver, since before: RTPReceiver.Counts, _ answer: Answer?, _ now: Double) -> RTPReport {
    let sent = sender.reading
    let block = reading.stream.map { stream in
      let expected = Double(reading.counts.expected &- before.expected)
      let missing = expected - Double(reading.counts.packets &- before.packets)
      return RTPReport.Block(
        ssrc: stream.ssrc, fractionLost: expected > 0 ? max(0, missing / expected) : 0,
        lost: Int(truncatingIfNeeded: reading.counts.expected &- reading.counts.packets), highestSequence: reading.highestSequence,
        jitter: reading.jitter, lastReport: answer.map { RTPReport.middle($0.time) } ?? 0,
        delay: answer.map { UInt32(max(0, min(60_000, now - $0.arrival)) * 65_536) } ?? 0)
    }
    return RTPReport(
      ssrc: sent.ssrc, time: RTPReport.time(now), timestamp: sent.timestamp, packets: UInt32(truncatingIfNeeded: sent.packets),
      octets: UInt32(truncatingIfNeeded: sent.octets), block: block)
  }
}
