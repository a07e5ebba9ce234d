/// The stream that sends the voice to another machine (K12).
package struct SendStatus: Codable, Sendable, Equatable {
  /// Its name, which is also the id of its media.
  package var id: String
  /// The destination, "10.0.0.8:5004".
  package var address: String
  /// The SSRC of the stream.
  package var ssrc: UInt32
  /// Milliseconds of audio in a packet.
  package var packetTime: Double
  /// Packets sent.
  package var packets: UInt64
  /// Packets that this machine could not send, or that the other one refused.
  package var failures: UInt64
  /// Why the last failed packet failed; nil if none has failed for two seconds.
  package var failure: String?
  /// Packets that the other machine reports as lost recently, in percent; nil if it does not report.
  package var lossPercent: Double?
  /// Jitter of arrival in milliseconds, as the other machine reports it; nil if it does not.
  package var jitter: Double?
  /// Milliseconds to the other machine and back; nil if it does not report.
  package var roundTrip: Double?

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

extension SendStatus {
  /// A description for people; not made printable.
  package var words: String {
    let heard = lossPercent.map { ", remote loss \(decimal($0, 1)) %" } ?? ""
    return "to \(address), SSRC \(ssrc), \(packets) packets\(heard)\(failure.map { ", failing: \($0)" } ?? "")"
  }
}
