/// The stream received over the network for a participant on another machine (K12).
public struct RemoteStatus: Codable, Sendable, Equatable {
  /// The local address that receives it, "10.0.0.7:5004".
  public var address: String
  /// The sender's address, "10.0.0.8:40123"; nil before the first packets.
  public var peer: String?
  /// Channels of the stream, 1 or 2; 0 before the first packets.
  public var channels: Int
  /// Milliseconds of audio in a packet.
  public var packetTime: Double
  /// Packets received, including late and duplicated ones.
  public var packets: UInt64
  /// Packets that were concealed, because they never came or came too late.
  public var lost: UInt64
  /// The part of `lost` that came too late.
  public var late: UInt64
  /// Repeated packets; they are not played.
  public var duplicates: UInt64
  /// Datagrams that did not belong to the stream: from another sender, or in another format.
  public var refused: UInt64
  /// Why the last datagram was refused.
  public var lastRefusal: String?
  /// Streams accepted so far; 1 unless the sender restarted.
  public var streams: UInt64
  /// Lost packets in the last 10 s, in percent.
  public var lossPercent: Double
  /// Jitter of arrival in milliseconds, as defined by RFC 3550.
  public var jitter: Double
  /// Milliseconds from the other machine's voice to this machine's mix: a packet, the audio waiting in the buffer, and half of `roundTrip`
  /// if that is known.
  public var latency: Double
  /// Milliseconds to the other machine and back; nil if it does not report, as PipeWire's own modules do not.
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

extension RemoteStatus {
  /// A description for people; not made printable.
  public var words: String {
    guard let peer else { return "RTP at \(address), nothing received" }
    let more = roundTrip == nil ? " plus network delay" : ""
    return
      "RTP at \(address) from \(peer), loss \(decimal(lossPercent, 1)) %, jitter \(decimal(jitter, 1)) ms, "
      + "latency \(decimal(latency, 0)) ms\(more)"
  }
}
