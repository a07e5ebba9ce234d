/// Makes sound of the datagrams of one stream: checked, in order, with lost packets concealed and everything counted. A pure value, which
/// is given the time. [any]
///
///     datagram ─▶ header ─▶ sender ─▶ sequence ─▶ window ─▶ concealment ─▶ samples
///
/// The first sender of whom two packets in a row come is the stream, until nothing has come from it for `silence` seconds: whatever others
/// send meanwhile is counted and not heard.
package struct RTPReceiver: Sendable {
  /// What has been counted since the beginning.
  package struct Counts: Sendable, Equatable {
    /// Packets of the stream that came, including late and doubled ones.
    package var packets: UInt64 = 0
    /// Packets that should have come.
    package var expected: UInt64 = 0
    /// Packets in whose place something else was played, because they never came or came too late.
    package var lost: UInt64 = 0
    /// Those of them that came too late.
    package var late: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Datagrams that are no part of the stream.
    package var refused: UInt64 = 0
    /// Streams that were taken up: 1 for a sender that never began again.
    package var streams: UInt64 = 0
    package init() {}
  }
  /// The sender that is heard.
  package struct Stream: Sendable, Equatable {
    package let ssrc: UInt32
    package let source: DatagramSource
    package let payloadType: UInt8
    package let channels: Int
  }

  /// Seconds without a packet behind which another sender may be the stream.
  package static let silence = 1.0

  /// Interleaved samples of two channels at 48,000 Hz, in order.
  package typealias Output = (_ samples: [Int16]) -> Void

  package private(set) var counts = Counts()
  /// Why the last datagram was refused; nil if none was.
  package private(set) var lastFault: RTPFault?
  /// nil before the first.
  package private(set) var stream: Stream?
  /// Frames of the last packet.
  package private(set) var packetFrames = 0
  /// Share of the packets of the last 10 s that were lost, 0–1.
  package func recentLoss(at time: Double) -> Double { recent.share(at: time) }
  /// As in RFC 3550, in seconds.
  package var jitter: Double { (meter?.jitter ?? 0) / Double(RTPFormat.rate) }

  /// The first of two packets that make a stream.
  private struct Candidate: Sendable {
    var header: RTPPacket
    var source: DatagramSource
    var bytes: Int
  }
  /// The last packet of the stream's sender that had a length of the stream's format.
  private var previous: (sequence: UInt16, timestamp: UInt32, bytes: Int)?
  private let patience: Double
  private let longest: Int
  private var candidate: Candidate?
  private var meter: SequenceMeter?
  private var window: PacketWindow
  private var concealment = Concealment()
  private var recent = LossWindow()
  private var lastArrival = -Double.infinity
  /// What earlier streams had expected.
  private var formerExpected: UInt64 = 0

  /// - Parameters:
  ///   - patience: seconds that a missing packet is waited for.
  ///   - longest: frames that a packet may have.
  package init(patience: Double, longest: Int) {
    (self.patience, self.longest) = (patience, longest)
    window = PacketWindow(next: 0, patience: patience)
  }

  /// The highest sequence number, extended as in RFC 3550.
  package var highestSequence: UInt32 { UInt32(truncatingIfNeeded: meter?.highest ?? 0) }

  /// Whether there was a stream, and nothing has come of it for `silence` seconds.
  package func isSilent(at time: Double) -> Bool { stream != nil && time - lastArrival > Self.silence }

  /// When `advance` is to be called, in seconds; nil while nothing is missing.
  package var deadline: Double? { window.deadline }

  /// Takes a datagram that came from `source` at `time`, in seconds of a clock that is never set.
  package mutating func take(_ datagram: UnsafeRawBufferPointer, from source: DatagramSource, at time: Double, _ output: Output) {
    do throws(RTPFault) {
      try takeChecked(datagram, from: source, at: time)
      advance(to: time, output)
    } catch {
      counts.refused += 1
      lastFault = error
    }
  }

  /// Counts a datagram that never came to be looked at.
  package mutating func refuse(_ fault: RTPFault) {
    counts.refused += 1
    lastFault = fault
  }

  /// Gives up what is overdue at `time`.
  package mutating func advance(to time: Double, _ output: Output) {
    for step in window.take(at: time) {
      switch step {
      case .audio(let samples):
        recent.note(lost: 0, of: 1, at: time)
        output(concealment.pass(samples))
      case .lost(let packets, let frames):
        counts.lost += UInt64(packets)
        recent.note(lost: packets, of: packets, at: time)
        if frames > 0 { output(concealment.fill(frames)) } else { concealment.restart() }
      }
    }
  }

  private mutating func takeChecked(_ datagram: UnsafeRawBufferPointer, from source: DatagramSource, at time: Double) throws(RTPFault) {
    let header = try RTPPacket(datagram)
    guard RTPFormat.payloadTypes.contains(header.payloadType) else { throw .payloadType }
    let payload = UnsafeRawBufferPointer(rebasing: datagram[header.payload])
    guard let stream, stream.ssrc == header.ssrc, stream.source == source else { return try consider(header, payload, source, time) }
    let fault = fault(of: header, payload.count, in: stream)
    if fault == nil || fault == .spacing { previous = (header.sequence, header.timestamp, payload.count) }
    if let fault {
      // A sender that goes on with another format is taken up as another one would be.
      guard isSilent(at: time) else { throw fault }
      return try consider(header, payload, source, time)
    }
    switch meter?.place(header.sequence) {
    case .at(let place): keep(header, payload, at: place, stream.channels, time)
    case .restarted(let place):
      window = PacketWindow(next: place, patience: patience)
      concealment.restart()
      keep(header, payload, at: place, stream.channels, time)
    case .astray, nil: throw .jump
    }
  }

  /// Why a packet does not have the stream's format.
  private func fault(of header: RTPPacket, _ bytes: Int, in stream: Stream) -> RTPFault? {
    guard header.payloadType == stream.payloadType else { return .payloadType }
    guard bytes > 0, bytes % (2 * stream.channels) == 0 else { return .payloadSize }
    guard bytes <= 2 * stream.channels * longest else { return .tooMuchSound }
    guard let previous, previous.sequence &+ 1 == header.sequence else { return nil }
    // Timestamps tell the other number of channels: what comes would be played at half or twice its speed.
    let other = 2 * (3 - stream.channels)
    return previous.bytes == other * Int(header.timestamp &- previous.timestamp) ? .spacing : nil
  }

  private mutating func keep(_ header: RTPPacket, _ payload: UnsafeRawBufferPointer, at place: Int64, _ channels: Int, _ time: Double) {
    lastArrival = time
    meter?.note(arrival: UInt32(truncatingIfNeeded: Int64(time * Double(RTPFormat.rate))), timestamp: header.timestamp)
    let held = PacketWindow.Held(timestamp: header.timestamp, samples: RTPFormat.samples(payload, channels: channels), arrival: time)
    packetFrames = held.frames
    counts.packets += 1
    switch window.insert(held, at: place) {
    case .kept: break
    case .duplicate: counts.duplicates += 1
    case .late: counts.late += 1
    }
    counts.expected = formerExpected + UInt64(max(0, meter?.expected ?? 0))
  }

  /// Takes up a stream: with the second of two packets in a row, whose timestamps tell how many channels they have.
  private mutating func consider(
    _ header: RTPPacket, _ payload: UnsafeRawBufferPointer, _ source: DatagramSource, _ time: Double
  ) throws(RTPFault) {
    guard stream == nil || time - lastArrival > Self.silence else { throw .source }
    let first = candidate
    candidate = Candidate(header: header, source: source, bytes: payload.count)
    guard let first, first.source == source, first.header.ssrc == header.ssrc, first.header.payloadType == header.payloadType,
      first.header.sequence &+ 1 == header.sequence
    else { return }
    let frames = Int(header.timestamp &- first.header.timestamp)
    guard frames > 0, let channels = [1, 2].first(where: { first.bytes == 2 * frames * $0 }), payload.count % (2 * channels) == 0,
      payload.count > 0
    else { throw .spacing }
    guard max(first.bytes, payload.count) <= 2 * channels * longest else { throw .tooMuchSound }
    candidate = nil
    formerExpected = counts.expected
    counts.streams += 1
    stream = Stream(ssrc: header.ssrc, source: source, payloadType: header.payloadType, channels: channels)
    var meter = SequenceMeter(from: header.sequence)
    _ = meter.place(header.sequence)
    self.meter = meter
    previous = (header.sequence, header.timestamp, payload.count)
    window = PacketWindow(next: Int64(header.sequence), patience: patience)
    concealment.restart()
    keep(header, payload, at: Int64(header.sequence), channels, time)
  }
}

/// How many of the packets of the last ten seconds were lost. A pure value.
struct LossWindow: Sendable {
  private static let length = 10
  private var counts = [(second: Int, lost: Int, all: Int)](repeating: (-1, 0, 0), count: length)

  mutating func note(lost: Int, of all: Int, at time: Double) {
    let second = Int(max(0, time))
    let index = second % Self.length
    if counts[index].second != second { counts[index] = (second, 0, 0) }
    counts[index].lost += lost
    counts[index].all += all
  }

  func share(at time: Double) -> Double {
    let recent = counts.filter { $0.second >= 0 && Int(max(0, time)) - $0.second < Self.length }
    let all = recent.reduce(0) { $0 + $1.all }
    return all > 0 ? Double(recent.reduce(0) { $0 + $1.lost }) / Double(all) : 0
  }
}
