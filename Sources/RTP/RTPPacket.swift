/// The header of an RTP packet, and the position of its payload (RFC 3550, 5.1). [any]
package struct RTPPacket: Sendable, Equatable {
  package var payloadType: UInt8
  package var hasMarker: Bool
  package var sequence: UInt16
  package var timestamp: UInt32
  package var ssrc: UInt32
  /// The payload's position in the datagram.
  package var payload: Range<Int>

  /// Bytes of a header without contributing sources and without an extension.
  package static let headerSize = 12

  /// Parses a datagram. Every length in it is checked against the bytes received.
  /// - Throws: `RTPFault`.
  package init(_ datagram: UnsafeRawBufferPointer) throws(RTPFault) {
    guard datagram.count >= Self.headerSize else { throw .tooShort }
    guard datagram[0] >> 6 == 2 else { throw .version }
    payloadType = datagram[1] & 0x7F
    // RTCP on RTP's port, told apart as in RFC 5761.
    guard !(64...95).contains(payloadType) else { throw .control }
    hasMarker = datagram[1] & 0x80 != 0
    sequence = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
    timestamp = datagram.bigEndian(at: 4)
    ssrc = datagram.bigEndian(at: 8)
    var begin = Self.headerSize + 4 * Int(datagram[0] & 0x0F)
    if datagram[0] & 0x10 != 0 {
      guard begin + 4 <= datagram.count else { throw .tooShort }
      begin += 4 + 4 * (Int(datagram[begin + 2]) << 8 | Int(datagram[begin + 3]))
    }
    var end = datagram.count
    if datagram[0] & 0x20 != 0 {
      let padding = Int(datagram[end - 1])
      guard padding > 0 else { throw .padding }
      end -= padding
    }
    guard begin <= end else { throw .tooShort }
    payload = begin..<end
  }

  /// Appends the header of an outgoing packet.
  static func append(
    to bytes: inout [UInt8], payloadType: UInt8, hasMarker: Bool, sequence: UInt16, timestamp: UInt32, ssrc: UInt32
  ) {
    bytes += [0x80, payloadType | (hasMarker ? 0x80 : 0), UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
    bytes.append(bigEndian: timestamp)
    bytes.append(bigEndian: ssrc)
  }
}

/// Why a datagram is not part of the stream. [any]
package enum RTPFault: String, Error, Sendable, CaseIterable {
  case tooShort = "truncated"
  case tooLong = "longer than any packet"
  case version = "not RTP version 2"
  case control = "RTCP on RTP's port"
  case padding = "impossible padding"
  case payloadType = "a payload type that is not L16"
  case payloadSize = "no whole number of frames"
  case spacing = "timestamps that are not those of 48000 Hz L16 with 1 or 2 channels"
  case tooMuchSound = "packets longer than the jitter buffer"
  case source = "another sender"
  case jump = "a jump of the sequence"
}

extension UnsafeRawBufferPointer {
  /// Returns four bytes in network byte order as an integer.
  func bigEndian(at offset: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
}

extension [UInt8] {
  mutating func append(bigEndian value: UInt32) { Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) } }
}
