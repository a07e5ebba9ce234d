/// Turns the datagrams of one stream into sound: checked, in order, with lost packets concealed and everything counted. A pure value; time
/// is passed in. [any]
///
///     datagram ─▶ header ─▶ sender ─▶ sequence ─▶ window ─▶ concealment ─▶ samples
///
/// The first sender of two consecutive packets becomes the stream, until it has been silent for `silence` seconds: whatever others send
/// meanwhile is counted and not played.
package struct RTPReceiver: Sendable {
  /// Counts since the beginning.
  package struct Counts: Sendable, Equatable {
    /// Packets of the stream received, including late and duplicate ones.
    package var packets: UInt64 = 0
    /// Packets that should have arrived.
    package var expected: UInt64 = 0
    /// Packets that were concealed or skipped, because they never arrived or arrived too late.
    package var lost: UInt64 = 0
    /// Those of `lost` that arrived too late.
    package var late: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Datagrams that are not part of the stream.
    package var refused: UInt64 = 0
    /// Streams accepted so far; 1 unless the sender restarted.
    package var streams: UInt64 = 0
    package init() {}
  }
  /// The sender that is played.
  package struct Stream: Sendable, Equatable {
    package let ssrc: UInt32
    package let source: DatagramSource
    package let payloadType: UInt8
    package let channels: Int
  }

  /// Seconds of silence after which another sender may take over.
  package static let silence = 1.0

  /// Interleaved samples of two channels at 48,000 Hz, in order.
  package typealias Output = (_ samples: [Int16]) -> Void

  package private(set) var counts = Counts()
  /// The reason for the last refusal; nil if there was none.
  package private(set) var lastFault: RTPFault?
  /// The current stream; nil before the first.
  package private(set) var stream: Stream?
  /// Frames in the last packet.
  package private(set) var packetFrames = 0
  /// Returns the share of packets lost in the last 10 s, 0–1.
  package func recentLoss(at time: Double) -> Double { recent.share(at: time) }
  /// Interarrival jitter as in RFC 3550, in seconds.
  package var jitter: Double { (meter?.jitter ?? 0) / Double(RTPFormat.rate) }

  /// The first of two packets that start a stream.
  private struct Candidate: Sendable {
    var header: RTPPacket
    var source: DatagramSource
    var bytes: Int
  }
  /// The last packet of the stream's sender whose length fits the stream's format.
  private var previous: (sequence: UInt16, timestamp: UInt32, bytes: Int)?
  private let patience: Double
  private let longest: Int
  private var candidate: Candidate?
  private var meter: SequenceMeter?
  private var window: PacketWindow
  private var concealment = Concealment()
  private var recent = LossWindow()
  private var lastArrival = -Double.infinity
  /// Packets expected of earlier streams.
  private var formerExpected: UInt64 = 0

  /// - Parameters:
  ///   - patience: seconds to wait for a missing packet.
  ///   - longest: frames in a packet at most.
  package init(patience: Double, longest: Int) {
    (self.patience, self.longest) = (patience, longest)
    window = PacketWindow(next: 0, patience: patience)
  }

  /// The highest sequence number, extended as in RFC 3550.
  package var highestSequence: UInt32 { UInt32(truncatingIfNeeded: meter?.highest ?? 0) }

  /// Returns whether a stream existed and has been silent for more than `silence` seconds.
  package func isSilent(at time: Double) -> Bool { stream != nil && time - lastArrival > Self.silence }

  /// The time at which to call `advance`, in seconds; nil while no packet is missing.
  package var deadline: Double? { window.deadline }

  /// Processes a datagram received from `source` at `time`, in seconds on a monotonic clock.
  package mutating func receive(_ datagram: UnsafeRawBufferPointer, from source: DatagramSource, at time: Double, _ output: Output) {
    do throws(RTPFault) {
      try process(datagram, from: source, at: time)
      advance(to: time, output)
    } catch {
      counts.refused += 1
      lastFault = error
    }
  }

  /// Counts a datagram that the caller discarded without passing it to `receive`.
  package mutating func refuse(_ fault: RTPFault) {
    counts.refused += 1
    lastFault = fault
  }

  /// Outputs what can be played at `time`, and gives up overdue packets.
  package mutating func advance(to time: Double, _ output: Output) {
    for step in window.dequeue(at: time) {
      switch step {
      case .audio(let samples):
        recent.note(lost: 0, of: 1, at: time)
        output(concealment.process(samples))
      case .lost(let packets, let frames):
        counts.lost += UInt64(packets)
        recent.note(lost: packets, of: packets, at: time)
        if frames > 0 { output(concealment.fill(frames)) } else { concealment.restart() }
      }
    }
  }

  private mutating func process(_ datagram: UnsafeRawBufferPointer, from source: DatagramSource, at time: Double) throws(RTPFault) {
    let header = try RTPPacket(datagram)
    guard RTPFormat.payloadTypes.contains(header.payloadType) else { throw .payloadType }
    let payload = UnsafeRawBufferPointer(rebasing: datagram[header.payload])
    guard let stream, stream.ssrc == header.ssrc, stream.source == source else { return try probe(header, payload, source, time) }
    let fault = fault(of: header, payload.count, in: stream)
    if fault == nil || fault == .spacing { previous = (header.sequence, header.timestamp, payload.count) }
    if let fault {
      // A silent sender that resumes in another format is accepted like a new one.
      guard isSilent(at: time) else { throw fault }
      return try probe(header, payload, source, time)
    }
    switch meter?.place(header.sequence) {
    case .at(let place): store(header, payload, at: place, stream.channels, time)
    case .restarted(let place):
      window = PacketWindow(next: place, patience: patience)
      concealment.restart()
      store(header, payload, at: place, stream.channels, time)
    case .astray, nil: throw .jump
    }
  }

  /// Returns why a packet does not have the stream's format; nil if it has.
  private func fault(of header: RTPPacket, _ bytes: Int, in stream: Stream) -> RTPFault? {
    guard header.payloadType == stream.payloadType else { return .payloadType }
    guard bytes > 0, bytes % (2 * stream.channels) == 0 else { return .payloadSize }
    guard bytes <= 2 * stream.channels * longest else { return .tooMuchSound }
    guard let previous, previous.sequence &+ 1 == header.sequence else { return nil }
    // The timestamps reveal the other number of channels: played as it is, the sound would have half or twice its speed.
    let other = 2 * (3 - stream.channels)
    return previous.bytes == other * Int(header.timestamp &- previous.timestamp) ? .spacing : nil
  }

  private mutating func store(_ header: RTPPacket, _ payload: UnsafeRawBufferPointer, at place: Int64, _ channels: Int, _ time: Double) {
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

  /// Accepts a stream at the second of two consecutive packets, whose timestamps reveal the number of channels.
  private mutating func probe(
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
    store(header, payload, at: Int64(header.sequence), channels, time)
  }
}

/// Measures the share of packets lost in the last ten seconds. A pure value.
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
