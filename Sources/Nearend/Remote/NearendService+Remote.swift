import RTP
import SessionModel

/// Participants on other machines, by RTP (K12). [any]
extension NearendService {
  /// Adds a participant received over the network as RTP (16-bit linear PCM at 48,000 Hz), until `removeSink`.
  /// - Parameters:
  ///   - id: the participant's name.
  ///   - address: where to receive: an address of this machine with a port, "10.0.0.7:5004", or "0.0.0.0:5004" for all of them.
  ///   - host: the only machine accepted, "10.0.0.8"; nil for whichever sends first.
  ///   - latency: milliseconds buffered against jitter, 20–100.
  package func addRemoteSink(id: String, at address: String, from host: String? = nil, latency: Int = 60) throws(RemoteError) {
    try remotes.receive(id: id, at: try Self.address(address), from: try host.map(Self.address), latency: latency)
  }

  /// Sends the voice to another machine, until `endSend`, and keeps the microphone open as long.
  /// - Parameters:
  ///   - address: the other machine's, "10.0.0.8:5004".
  ///   - id: the sender's name; nil for one derived from the address.
  ///   - packetTime: milliseconds of audio in a packet, 1–20.
  /// - Returns: the sender's name.
  @discardableResult
  package func send(to address: String, id: String? = nil, packetTime: Int = 10) throws(RemoteError) -> String {
    try remotes.send(to: try Self.address(address), id: id, milliseconds: packetTime)
  }

  /// Ends sending under that name; if it belongs to a call, ends the whole call.
  package func endSend(id: String) throws(RemoteError) { try remotes.end(id) }

  /// Calls another machine, which calls this one: sends the voice there, plays only what that machine sends, and exchanges reports, until
  /// `endSend` or `removeSink`.
  /// - Parameters:
  ///   - address: the other machine's, "10.0.0.8" or "10.0.0.8:5004".
  ///   - id: the participant's name; nil for one derived from the address.
  ///   - port: where this machine receives; nil for the port of `address`. The next port is for reports.
  ///   - latency: milliseconds buffered against jitter, 20–100.
  ///   - packetTime: milliseconds of audio in a packet, 1–20.
  /// - Returns: the participant's name.
  @discardableResult
  package func call(
    _ address: String, id: String? = nil, port: UInt16? = nil, latency: Int = 60, packetTime: Int = 10
  ) throws(RemoteError) -> String {
    let peer = try Self.address(address)
    guard !peer.isAny else { throw RemoteError(.anyAddress(address)) }
    return try remotes.call(peer, id: id, port: port, latency: latency, milliseconds: packetTime)
  }

  /// The destinations to which the voice is sent. [any]
  package var sends: [SendStatus] { remotes.sends }

  private static func address(_ text: String) throws(RemoteError) -> RTPAddress {
    do throws(RTPAddressError) { return try RTPAddress(text) } catch { throw RemoteError(error) }
  }
}
