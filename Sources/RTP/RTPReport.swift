/// The RTCP report that accompanies a stream once a second (RFC 3550, 6.4): what was sent, and what was received of the other's stream.
/// [any]
package struct RTPReport: Sendable, Equatable {
  /// A reception report about one stream.
  package struct Block: Sendable, Equatable {
    package var ssrc: UInt32
    /// Share of the packets lost since the last report, 0–1, in steps of 1/256.
    package var fractionLost: Double
    package var lost: Int
    package var highestSequence: UInt32
    /// Seconds.
    package var jitter: Double
    /// When the last report received was sent, by its sender's clock, in 1/65536 s; 0 for none.
    package var lastReport: UInt32
    /// Time since that report arrived, in 1/65536 s.
    package var delay: UInt32
    /// Whether a stream can be like this: audio that arrives 10 s apart is none.
    package var isPlausible: Bool { jitter <= 10 }

    package init(
      ssrc: UInt32, fractionLost: Double, lost: Int, highestSequence: UInt32, jitter: Double, lastReport: UInt32, delay: UInt32
    ) {
      (self.ssrc, self.fractionLost, self.lost, self.highestSequence) = (ssrc, fractionLost, lost, highestSequence)
      (self.jitter, self.lastReport, self.delay) = (jitter, lastReport, delay)
    }
  }
  /// The reporter.
  package var ssrc: UInt32
  /// The sending time by the sender's own clock, in 2⁻³² s.
  package var time: UInt64
  /// The same time as a timestamp of the stream.
  package var timestamp: UInt32
  package var packets: UInt32
  package var octets: UInt32
  package var block: Block?

  package init(ssrc: UInt32, time: UInt64, timestamp: UInt32, packets: UInt32, octets: UInt32, block: Block?) {
    (self.ssrc, self.time, self.timestamp, self.packets, self.octets, self.block) = (ssrc, time, timestamp, packets, octets, block)
  }

  /// Bytes of the largest datagram accepted.
  package static let largest = 1_500

  /// Converts seconds to an NTP timestamp, the format of `time`.
  package static func time(_ seconds: Double) -> UInt64 {
    let whole = UInt64(max(0, seconds))
    return whole << 32 | UInt64((max(0, seconds) - Double(whole)) * 0x1p32) & 0xFFFF_FFFF
  }

  /// Returns the middle 32 bits of `time`, as report blocks carry them (RFC 3550, 6.4.1).
  package static func middle(_ time: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: time >> 16) }

  /// Returns the round-trip time in seconds, from a block received at `now`; nil if it answers no report.
  package static func roundTrip(_ block: Block, now: UInt64) -> Double? {
    guard block.lastReport != 0 else { return nil }
    let units = middle(now) &- block.lastReport &- block.delay
    // More than a minute is not a round trip but a disagreement of clocks.
    return units < 60 << 16 ? Double(units) / 65_536 : nil
  }

  /// The sending times of the last reports, of which the other machine's blocks speak. A time that was never sent measures nothing.
  package struct Sent: Sendable, Equatable {
    private var times: [UInt32] = []
    /// A minute of them.
    private static let most = 60

    package init() {}

    package mutating func note(_ report: RTPReport) {
      times.append(RTPReport.middle(report.time))
      if times.count > Self.most { times.removeFirst() }
    }

    /// Returns the round-trip time in seconds, from a block received at `now`; nil if it answers none of the reports.
    package func roundTrip(_ block: Block, now: UInt64) -> Double? {
      times.contains(block.lastReport) ? RTPReport.roundTrip(block, now: now) : nil
    }
  }

  /// A compound packet: a sender report, followed by the CNAME that RFC 3550 requires.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [0x80 | (block == nil ? 0 : 1), 200, 0, UInt8(6 + (block == nil ? 0 : 6))]
    for word in [ssrc, UInt32(time >> 32), UInt32(truncatingIfNeeded: time), timestamp, packets, octets] { bytes.append(bigEndian: word) }
    if let block {
      bytes.append(bigEndian: block.ssrc)
      let fraction = UInt32(max(0, min(255, block.fractionLost * 256)))
      let lost = UInt32(bitPattern: Int32(max(-0x80_0000, min(0x7F_FFFF, block.lost)))) & 0xFF_FFFF
      bytes.append(bigEndian: fraction << 24 | lost)
      let jitter = UInt32(max(0, min(4e9, block.jitter * Double(RTPFormat.rate))))
      for word in [block.highestSequence, jitter, block.lastReport, block.delay] { bytes.append(bigEndian: word) }
    }
    // CNAME "nearend", and the end of the list: 12 bytes after the header's SSRC.
    bytes += [0x81, 202, 0, 4]
    bytes.append(bigEndian: ssrc)
    bytes += [1, 7] + Array("nearend".utf8) + [0, 0, 0]
    return bytes
  }

  /// Parses a compound packet: its first sender or receiver report, with only the block about `stream`. Returns nil if there is no report.
  package init?(_ datagram: UnsafeRawBufferPointer, about stream: UInt32) {
    var offset = 0
    while offset + 8 <= datagram.count {
      guard datagram[offset] >> 6 == 2 else { return nil }
      let kind = datagram[offset + 1]
      let size = 4 * (1 + (Int(datagram[offset + 2]) << 8 | Int(datagram[offset + 3])))
      guard offset + size <= datagram.count else { return nil }
      let begin = kind == 200 ? 28 : 8
      guard kind == 200 || kind == 201, size >= begin else {
        offset += size
        continue
      }
      ssrc = datagram.bigEndian(at: offset + 4)
      (time, timestamp, packets, octets) = (0, 0, 0, 0)
      if kind == 200 {
        time = UInt64(datagram.bigEndian(at: offset + 8)) << 32 | UInt64(datagram.bigEndian(at: offset + 12))
        timestamp = datagram.bigEndian(at: offset + 16)
        packets = datagram.bigEndian(at: offset + 20)
        octets = datagram.bigEndian(at: offset + 24)
      }
      for index in 0..<Int(datagram[offset] & 0x1F) {
        let place = begin + 24 * index
        guard place + 24 <= size else { return nil }
        let block = Block(datagram, at: offset + place)
        if block.ssrc == stream { self.block = block }
      }
      return
    }
    return nil
  }
}

extension RTPReport.Block {
  fileprivate init(_ datagram: UnsafeRawBufferPointer, at offset: Int) {
    ssrc = datagram.bigEndian(at: offset)
    fractionLost = Double(datagram[offset + 4]) / 256
    let bits = datagram.bigEndian(at: offset + 4) & 0xFF_FFFF
    lost = Int(Int32(bitPattern: bits << 8) >> 8)
    highestSequence = datagram.bigEndian(at: offset + 8)
    jitter = Double(datagram.bigEndian(at: offset + 12)) / Double(RTPFormat.rate)
    lastReport = datagram.bigEndian(at: offset + 16)
    delay = datagram.bigEndian(at: offset + 20)
  }
}
