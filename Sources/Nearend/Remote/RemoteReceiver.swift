import Platform
import RTP
import RealtimeCore
import SessionModel
import Synchronization

/// Receives one participant's RTP on a thread of its own, and writes it into the participant's ring. [any]
///
///     socket ─▶ RTPReceiver ─▶ ring sink ─▶ resample + steer ─▶ mixer
///
/// The ring is twice as long as the requested latency and is steered to its middle, so that the other machine's clock may drift.
final class RemoteReceiver: Sendable {
  let address: RTPAddress
  let sink: RingSink
  let thread: SocketThread
  private var socket: DatagramSocket { thread.socket }
  /// The only host accepted; nil for any.
  private let from: DatagramSource?
  private let log: EventLog
  private struct State {
    var receiver: RTPReceiver
    var cleared = RTPReceiver.Counts()
    /// Whether the ring has overflowed: nothing is written before it is back at its target, or the rest of the call would be late.
    var isShedding = false
    var loggedFault: (fault: RTPFault, time: Double)?
    var roundTrip: Double?
    /// Whether the sender is silent, which is not an underrun.
    var hasEnded = false
  }
  private let state: Mutex<State>

  private static let stackSize = 512 << 10
  /// Allowed fill of a ring in milliseconds, half of its capacity.
  static let latencies = 20...100
  static let standardLatency = 60
  /// Datagrams received between checks for a stop request.
  private static let burst = 256

  init(_ socket: DatagramSocket, _ address: RTPAddress, from: RTPAddress?, latency: Int, sink: RingSink, log: EventLog) {
    (thread, self.address, self.sink, self.log) = (SocketThread(socket), address, sink, log)
    self.from = from.map { DatagramSource($0) }
    // A quarter of the latency: concealing a gap late must not empty the ring.
    state = Mutex(State(receiver: RTPReceiver(patience: Double(latency) / 4_000, longest: latency * RTPFormat.rate / 1_000)))
  }

  /// - Parameter ended: called on the receiver's thread after it has ended.
  func start(ended: @escaping @Sendable () -> Void) {
    thread.start(name: "nearend-rtp-in", stackSize: Self.stackSize, run: { [self] in run() }, ended: ended)
  }

  /// Ends it, and releases the port before it returns. Must not be called from `ended`. Idempotent.
  func stop() { thread.stop() }

  /// The state from which a report to the sender is made (see `RTPReport`).
  var reading: RTPReceiver { state.withLock { $0.receiver } }

  /// Stores the measured round-trip time to the sender, in seconds.
  func note(roundTrip: Double) { state.withLock { $0.roundTrip = roundTrip } }

  func clearCounters() { state.withLock { $0.cleared = $0.receiver.counts } }

  var status: RemoteStatus {
    let fill = Double(sink.fill.bytes / sink.format.bytesPerFrame) * 1_000 / Double(sink.format.sampleRate)
    let now = monotonicSeconds()
    return state.withLock { state in
      let (receiver, cleared) = (state.receiver, state.cleared)
      let packet = Double(receiver.packetFrames) * 1_000 / Double(RTPFormat.rate)
      func since(_ count: KeyPath<RTPReceiver.Counts, UInt64>) -> UInt64 { receiver.counts[keyPath: count] - cleared[keyPath: count] }
      return RemoteStatus(
        address: "\(address)", peer: receiver.stream.map { "\($0.source)" }, channels: receiver.stream?.channels ?? 0, packetTime: packet,
        packets: since(\.packets), lost: since(\.lost), late: since(\.late), duplicates: since(\.duplicates), refused: since(\.refused),
        lastRefusal: receiver.lastFault?.rawValue, streams: receiver.counts.streams,
        lossPercent: receiver.recentLoss(at: now) * 100, jitter: receiver.jitter * 1_000,
        latency: receiver.stream == nil ? 0 : packet + fill + (state.roundTrip ?? 0) * 500, roundTrip: state.roundTrip.map { $0 * 1_000 })
    }
  }

  // MARK: Its thread

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: RTPFormat.largest, alignment: 8)
    defer { buffer.deallocate() }
    var known: RTPReceiver.Stream?
    while socket.wait(seconds: state.withLock { max(0.001, min(1, ($0.receiver.deadline ?? .infinity) - monotonicSeconds())) }) {
      if sink.isRemoved { return }
      for _ in 0..<Self.burst {
        guard let (length, source) = socket.receive(into: buffer) else { break }
        receive(buffer, length, source)
      }
      let stream = state.withLock { state in
        advance(&state)
        if state.receiver.isSilent(at: monotonicSeconds()) != state.hasEnded {
          state.hasEnded.toggle()
          if state.hasEnded { sink.end() }
        }
        return state.receiver.stream
      }
      if let stream, stream != known { streamChanged(to: stream) }
      known = stream
      logFault()
    }
  }

  private func receive(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int, _ source: DatagramSource) {
    let now = monotonicSeconds()
    state.withLock { state in
      if let from, !source.isHost(of: from) { return state.receiver.refuse(.source) }
      guard length <= buffer.count else { return state.receiver.refuse(.tooLong) }
      var isShedding = state.isShedding
      state.receiver.receive(UnsafeRawBufferPointer(rebasing: buffer[..<length]), from: source, at: now) { play($0, &isShedding) }
      state.isShedding = isShedding
    }
  }

  private func advance(_ state: inout State) {
    var isShedding = state.isShedding
    state.receiver.advance(to: monotonicSeconds()) { play($0, &isShedding) }
    state.isShedding = isShedding
  }

  private func play(_ samples: [Int16], _ isShedding: inout Bool) {
    let fill = sink.fill
    if isShedding, fill.bytes > fill.target {
      sink.noteDrops(1)
      return
    }
    isShedding = false
    if case .dropped = samples.withUnsafeBytes({ sink.put($0) }) { isShedding = fill.target > 0 }
  }

  private func streamChanged(to stream: RTPReceiver.Stream) {
    sink.ssrc = stream.ssrc
    log.add(
      .info,
      "participant \(sink.id): from \(stream.source), \(stream.channels) channel\(stream.channels == 1 ? "" : "s"), SSRC \(stream.ssrc)")
  }

  /// Logs refused datagrams at most once a minute, and another reason at most once in ten seconds.
  private func logFault() {
    let now = monotonicSeconds()
    let news: RTPFault? = state.withLock { state in
      guard state.receiver.counts.refused > state.cleared.refused, let fault = state.receiver.lastFault else { return nil }
      if let logged = state.loggedFault, now - logged.time < (logged.fault == fault ? 60 : 10) { return nil }
      state.loggedFault = (fault, now)
      return fault
    }
    if let news { log.add(.warning, "participant \(sink.id): datagrams at \(address) are refused and counted: \(news.rawValue)") }
  }
}
