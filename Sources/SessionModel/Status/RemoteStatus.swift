/// What comes over the network for a participant on another machine (K12).
public struct RemoteStatus: Codable, Sendable, Equatable {
  /// Where it is received, "10.0.0.7:5004".
  public var address: String
  /// Who sends, "10.0.0.8:40123"; nil before the first packets.
  public var peer: String?
  /// Channels of what comes, 1 or 2; 0 before the first packets.
  public var channels: Int
  /// Milliseconds of sound in a packet.
  public var packetTime: Double
  /// Packets that came, including late and doubled ones.
  public var packets: UInt64
  /// Packets in whose place something else was played, because they never came or came too late.
  public var lost: UInt64
  /// Those of them that came too late.
  public var late: UInt64
  /// Packets that came more than once; the further ones are not played.
  public var duplicates: UInt64
  /// Datagrams that were no part of the stream: of another sender, or of another format.
  public var refused: UInt64
  /// Why the last of them was refused.
  public var lastRefusal: String?
  /// Times that a stream began: 1 for a sender that never started again.
  public var streams: UInt64
  /// Share of the packets of the last 10 s that were lost, in percent.
  public var lossPercent: Double
  /// Jitter of arrival in milliseconds, as RFC 3550 has it.
  public var jitter: Double
  /// Milliseconds from the other machine's voice to this machine's mix: a packet, what waits in the buffer, and half of `roundTrip` where
  /// that is known.
  public var latency: Double
  /// Milliseconds to the other machine and back; nil where it does not tell, as PipeWire's own modules do not.
  public var roundTrip: Double?

  package init(
    address: String, peer: String? = nil, channels: Int = 0, packetTime: Double = 0, packets: UInt64 = 0, lost: UInt64 = 0,
    late: UInt64 = 0, duplicates: UInt64 = 0, refused: UInt64 = 0, lastRefusal: String? = nil, streams: UInt64 = 0,
    lossPercent: Double = 0, jitter: Double = 0, latency: Double = 0, roundTrip: Double? = nil
  ) {
    self.address = address
    self.peer = peer
    self.channels = channels
    self.packetTime = packetTime
    self.packets = packets
    self.lost = lost
    self.late = late
    self.duplicates = duplicates
    self.refused = refused
    self.lastRefusal = lastRefusal
    self.streams = streams
    self.lossPercent = lossPercent
    self.jitter = jitter
    self.latency = latency
    self.roundTrip = roundTrip
  }
}

/// The voice on its way to another machine (K12).
public struct SendStatus: Codable, Sendable, Equatable {
  /// What it is called, and the media that it is.
  public var id: String
  /// Where it is sent, "10.0.0.8:5004".
  public var address: String
  /// The SSRC of the stream.
  public var ssrc: UInt32
  /// Milliseconds of sound in a packet.
  public var packetTime: Double
  /// Packets that were sent.
  public var packets: UInt64
  /// Packets that this machine could not send, or that the other one refused.
  public var failures: UInt64
  /// Why the last of them failed; nil where none has for two seconds.
  public var failure: String?
  /// Share of the last packets that the other machine tells it has lost, in percent; nil where it does not tell.
  public var lossPercent: Double?
  /// Jitter of arrival in milliseconds, as the other machine tells it; nil where it does not.
  public var jitter: Double?
  /// Milliseconds to the other machine and back; nil where it does not tell.
  public var roundTrip: Double?

  package init(
    id: String, address: String, ssrc: UInt32 = 0, packetTime: Double = 0, packets: UInt64 = 0, failures: UInt64 = 0,
    failure: String? = nil,
    lossPercent: Double? = nil, jitter: Double? = nil, roundTrip: Double? = nil
  ) {
    self.id = id
    self.address = address
    self.ssrc = ssrc
    self.packetTime = packetTime
    self.packets = packets
    self.failures = failures
    self.failure = failure
    self.lossPercent = lossPercent
    self.jitter = jitter
    self.roundTrip = roundTrip
  }
}

extension RemoteStatus {
  /// For people; not made printable.
  public var words: String {
    guard let peer else { return "RTP at \(address), nothing has come" }
    let more = roundTrip == nil ? " and the way here" : ""
    return
      "RTP at \(address) from \(peer), loss \(decimal(lossPercent, 1)) %, jitter \(decimal(jitter, 1)) ms, "
      + "latency \(decimal(latency, 0)) ms\(more)"
  }
}

extension SendStatus {
  /// For people; not made printable.
  public var words: String {
    let heard = lossPercent.map { ", loss there \(decimal($0, 1)) %" } ?? ""
    return "to \(address), SSRC \(ssrc), \(packets) packets\(heard)\(failure.map { ", failing: \($0)" } ?? "")"
  }
}
