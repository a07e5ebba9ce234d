import Testing

@testable import RTP

@Suite("RTP packets and addresses")
struct RTPPacketTests {
  /// A packet of two frames in two channels, after `change`.
  private func packet(_ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
    var bytes: [UInt8] = []
    RTPPacket.append(to: &bytes, payloadType: 127, hasMarker: true, sequence: 0x1234, timestamp: 0x0102_0304, ssrc: 0xDEAD_BEEF)
    bytes += [0, 1, 0xFF, 0xFE, 0x7F, 0xFF, 0x80, 0]
    change(&bytes)
    return bytes
  }

  private func read(_ bytes: [UInt8]) -> Result<RTPPacket, RTPFault> {
    bytes.withUnsafeBytes { bytes in
      do throws(RTPFault) { return .success(try RTPPacket(bytes)) } catch { return .failure(error) }
    }
  }

  @Test("K12, X1: a packet is read as RFC 3550 has it, with sources that contribute, an extension and padding")
  func reads() throws {
    let plain = try read(packet()).get()
    #expect(plain.payloadType == 127 && plain.hasMarker && plain.sequence == 0x1234 && plain.timestamp == 0x0102_0304)
    #expect(plain.ssrc == 0xDEAD_BEEF && plain.payload == 12..<20)
    let sources = packet {
      $0[0] |= 2; $0.insert(contentsOf: [UInt8](repeating: 9, count: 8), at: 12)
    }
    #expect(try read(sources).get().payload == 20..<28)
    let extended = packet {
      $0[0] |= 0x10; $0.insert(contentsOf: [1, 2, 0, 1, 7, 7, 7, 7], at: 12)
    }
    #expect(try read(extended).get().payload == 20..<28)
    let padded = packet {
      $0[0] |= 0x20; $0 += [0, 0, 3]
    }
    #expect(try read(padded).get().payload == 12..<20)
    #expect(packet().withUnsafeBytes { RTPFormat.samples(.init(rebasing: $0[12..<20]), channels: 2) } == [1, -2, 32_767, -32_768])
    #expect(packet().withUnsafeBytes { RTPFormat.samples(.init(rebasing: $0[12..<16]), channels: 1) } == [1, 1, -2, -2])
  }

  @Test("K12, X1: truncated packets, other versions and RTCP are refused; no truncation or bit error crashes")
  func refuses() {
    #expect(read([]) == .failure(.tooShort))
    #expect(read(Array(packet().prefix(11))) == .failure(.tooShort))
    #expect(read(packet { $0[0] = 0x40 }) == .failure(.version))
    #expect(read(packet { $0[1] = 200 }) == .failure(.control))
    #expect(read(packet { $0[0] |= 0x0F }) == .failure(.tooShort))
    #expect(
      read(
        packet {
          $0[0] |= 0x10; $0[14] = 0xFF; $0[15] = 0xFF
        }) == .failure(.tooShort))
    #expect(
      read(
        packet {
          $0[0] |= 0x20; $0[19] = 200
        }) == .failure(.tooShort))
    #expect(
      read(
        packet {
          $0[0] |= 0x20; $0[19] = 0
        }) == .failure(.padding))
    for length in 0...40 {
      for value: UInt8 in [0, 0x0F, 0x80, 0x9F, 0xB0, 0xBF, 0xFF] {
        var bytes = [UInt8](repeating: value, count: length)
        if length > 0 { bytes[0] = value | 0x80 }
        if case .success(let packet) = read(bytes) { #expect(packet.payload.lowerBound >= 12 && packet.payload.upperBound <= length) }
      }
    }
  }

  @Test("K12: addresses are numeric and of one machine; others are named with what to give")
  func addresses() throws {
    #expect(try RTPAddress("10.0.0.7:5006").description == "10.0.0.7:5006")
    #expect(try RTPAddress("10.0.0.7").port == 5_004)
    #expect(try RTPAddress("[fd00:0::7]:5006").description == "[fd00::7]:5006")
    #expect(try RTPAddress("fd00::7").port == 5_004)
    #expect(try RTPAddress("0.0.0.0:1").isAny)
    #expect(throws: RTPAddressError.malformed("alice:5004")) { try RTPAddress("alice:5004") }
    #expect(throws: RTPAddressError.malformed("5004")) { try RTPAddress("5004") }
    #expect(throws: RTPAddressError.malformed("10.1:5004")) { try RTPAddress("10.1:5004") }
    #expect(throws: RTPAddressError.malformed("")) { try RTPAddress("") }
    #expect(throws: RTPAddressError.malformed("[::1")) { try RTPAddress("[::1") }
    for port in ["", "0", "65536", "-1", "+1", "x"] {
      #expect(throws: RTPAddressError.port("10.0.0.7:\(port)")) { try RTPAddress("10.0.0.7:\(port)") }
    }
    for group in ["224.0.0.56", "239.255.0.1:5004", "255.255.255.255", "[ff02::1]:5004"] {
      #expect(throws: RTPAddressError.multicast(group)) { try RTPAddress(group) }
    }
    #expect(RTPAddressError.malformed("a\u{1B}[2J").description.contains("\u{1B}") == false)
  }

  @Test("K12: an RTCP report survives encoding; the round trip follows from its timestamps")
  func reports() throws {
    let block = RTPReport.Block(
      ssrc: 7, fractionLost: 0.25, lost: -3, highestSequence: 70_000, jitter: 0.005, lastReport: 0, delay: 0)
    var report = RTPReport(ssrc: 1, time: RTPReport.time(100.5), timestamp: 9, packets: 10, octets: 960, block: block)
    #expect(report.bytes.withUnsafeBytes { RTPReport($0, about: 7) } == report)
    report.block = nil
    #expect(report.bytes.withUnsafeBytes { RTPReport($0, about: 7) } == report)
    #expect([UInt8](repeating: 0x81, count: 300).withUnsafeBytes { RTPReport($0, about: 7) } == nil)
    for length in 0..<report.bytes.count { _ = Array(report.bytes.prefix(length)).withUnsafeBytes { RTPReport($0, about: 7) } }
    var answer = block
    #expect(RTPReport.roundTrip(answer, now: RTPReport.time(200)) == nil)
    answer.lastReport = RTPReport.middle(RTPReport.time(100))
    answer.delay = 65_536 / 2
    let roundTrip = try #require(RTPReport.roundTrip(answer, now: RTPReport.time(100.56)))
    #expect(abs(roundTrip - 0.06) < 0.001)
    #expect(RTPReport.roundTrip(answer, now: RTPReport.time(99)) == nil, "clocks that disagree are no round trip")
    #expect(RTPReport.Sent().roundTrip(answer, now: RTPReport.time(100.56)) == nil, "an answer to nothing")
  }
}
