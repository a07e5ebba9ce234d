/// Packetizes a voice: mono, 16-bit linear PCM at 48,000 Hz. A pure value. [any]
package struct RTPSender: Sendable {
  package let ssrc: UInt32
  /// Frames in each packet.
  package let packetFrames: Int
  package private(set) var packets: UInt64 = 0
  /// Bytes of payload sent.
  package private(set) var octets: UInt64 = 0
  /// The timestamp of the next packet.
  package private(set) var timestamp: UInt32

  private var sequence: UInt16
  private var waiting: [Int16] = []
  private var begins = true

  /// - Parameters:
  ///   - milliseconds: audio in each packet, one of `RTPFormat.packetTimes`.
  ///   - ssrc, sequence, timestamp: initial values; random, as RFC 3550 requires.
  package init(
    milliseconds: Int, ssrc: UInt32 = .random(in: 1 ... .max), sequence: UInt16 = .random(in: 0 ... .max),
    timestamp: UInt32 = .random(in: 0 ... .max)
  ) {
    packetFrames = milliseconds * RTPFormat.rate / 1_000
    (self.ssrc, self.sequence, self.timestamp) = (ssrc, sequence, timestamp)
  }

  /// Appends samples, and returns the packets that they complete.
  package mutating func append(_ samples: [Int16]) -> [[UInt8]] {
    waiting += samples
    var packets: [[UInt8]] = []
    var used = 0
    while waiting.count - used >= packetFrames {
      packets.append(packet(waiting[used..<used + packetFrames]))
      used += packetFrames
    }
    waiting.removeFirst(used)
    return packets
  }

  /// Continues after `frames` without packets. Samples of an incomplete packet are discarded.
  package mutating func skip(_ frames: Int) {
    timestamp &+= UInt32(truncatingIfNeeded: frames + waiting.count)
    waiting = []
    begins = true
  }

  private mutating func packet(_ samples: ArraySlice<Int16>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(RTPPacket.headerSize + 2 * packetFrames)
    RTPPacket.append(
      to: &bytes, payloadType: RTPFormat.payloadType, hasMarker: begins, sequence: sequence, timestamp: timestamp, ssrc: ssrc)
    for sample in samples { bytes += [UInt8(truncatingIfNeeded: sample >> 8), UInt8(truncatingIfNeeded: sample)] }
    begins = false
    sequence &+= 1
    timestamp &+= UInt32(packetFrames)
    packets += 1
    octets += UInt64(2 * packetFrames)
    return bytes
  }
}
