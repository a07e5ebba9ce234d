import Testing

@testable import RTP

@Suite("RTP reception")
struct RTPReceiverTests {
  /// A receiver with a clock and a sender, and the samples that it has played.
  private struct Rig {
    var receiver = RTPReceiver(patience: 0.02, longest: 1_920)
    var played: [Int16] = []
    var time = 100.0
    static let alice = DatagramSource(ipv4: 0x0A00_0008, port: 40_000)
    static let mallory = DatagramSource(ipv4: 0x0A00_0009, port: 40_000)

    mutating func receive(_ packet: [UInt8], from source: DatagramSource = alice) {
      let time = time
      packet.withUnsafeBytes { bytes in receiver.receive(bytes, from: source, at: time) { played += $0 } }
    }
    mutating func pass(_ seconds: Double) {
      time += seconds
      receiver.advance(to: time) { played += $0 }
    }
    /// Receives the packets, one every 10 ms.
    mutating func receive(all packets: some Sequence<[UInt8]>, from source: DatagramSource = alice) {
      for packet in packets {
        receive(packet, from: source)
        pass(0.01)
      }
    }
  }

  /// Packets of 10 ms with a rising sawtooth, whose samples are never 0.
  private func packets(_ count: Int, ssrc: UInt32 = 1, sequence: UInt16 = 65_500, timestamp: UInt32 = 0xFFFF_F000) -> [[UInt8]] {
    var sender = RTPSender(milliseconds: 10, ssrc: ssrc, sequence: sequence, timestamp: timestamp)
    return sender.append(saw(0, count))
  }
  /// The samples of the packets from `from` up to, but not including, `to`.
  private func saw(_ from: Int, _ to: Int) -> [Int16] {
    let frames: Range<Int> = from * 480..<to * 480
    return frames.map { (frame: Int) -> Int16 in Int16(frame % 30_000 + 1) }
  }
  private func mono(_ played: [Int16]) -> [Int16] { stride(from: 0, to: played.count, by: 2).map { played[$0] } }

  @Test("K12: RTP audio is heard unchanged, to the sample, from the second packet on, over the wrap of sequence and timestamp")
  func whole() {
    var rig = Rig()
    rig.receive(all: packets(200))
    let heard = mono(rig.played)
    #expect(heard.count == 199 * 480)
    // After the first packet, which fades in from silence.
    #expect(Array(heard[480...]) == saw(2, 200))
    #expect(rig.receiver.counts.packets == 199 && rig.receiver.counts.expected == 199 && rig.receiver.counts.lost == 0)
    #expect(rig.receiver.stream?.ssrc == 1 && rig.receiver.stream?.channels == 1 && rig.receiver.packetFrames == 480)
    #expect(rig.receiver.jitter < 1e-9)
  }

  @Test("K12: packets in another order are put in order, and doubled ones played once")
  func order() {
    var rig = Rig()
    var sent = packets(100)
    sent.swapAt(50, 51)
    sent.insert(sent[60], at: 61)
    rig.receive(all: sent)
    #expect(Array(mono(rig.played)[480...]) == saw(2, 100))
    #expect(rig.receiver.counts.lost == 0 && rig.receiver.counts.duplicates == 1)
  }

  @Test("K12: a lost packet is counted, and its time filled without a step; one that comes late is counted as that")
  func loss() {
    var rig = Rig()
    var sent = packets(100)
    let late = sent.remove(at: 50)
    rig.receive(all: sent)
    let heard = mono(rig.played)
    #expect(heard.count == 99 * 480, "the time of the lost packet is filled")
    #expect(rig.receiver.counts.lost == 1 && rig.receiver.counts.late == 0)
    #expect(abs(rig.receiver.recentLoss(at: rig.time) - 0.01) < 0.001)
    // The sawtooth rises by 1 a sample: around the gap no step may exceed what the crossfade causes.
    let around: Range<Int> = 48 * 480..<52 * 480
    let steps = around.map { (frame: Int) -> Int in abs(Int(heard[frame + 1]) - Int(heard[frame])) }
    #expect(steps.max()! < 400, "\(steps.max()!)")
    rig.receive(late)
    #expect(rig.receiver.counts.late == 1 && rig.receiver.counts.lost == 1)
    #expect(mono(rig.played).count == 99 * 480)
  }

  @Test("K12: jitter is RFC 3550's: packets that come by turns 4 ms early and late have one of 8 ms")
  func jitter() {
    var rig = Rig()
    for (index, packet) in packets(400).enumerated() {
      rig.time = 100 + Double(index) * 0.01 + (index % 2 == 0 ? 0.004 : -0.004)
      rig.receive(packet)
    }
    #expect(abs(rig.receiver.jitter - 0.008) < 0.0005, "\(rig.receiver.jitter)")
  }

  @Test("K12, X1: a second sender is counted and not heard, flood or not, and is taken up once the first has been silent for a second")
  func second() {
    var rig = Rig()
    rig.receive(all: packets(50))
    for packet in packets(5_000, ssrc: 2) { rig.receive(packet, from: Rig.mallory) }
    for packet in packets(10, ssrc: 3) { rig.receive(packet) }
    // The same SSRC from a different address.
    for packet in packets(10, sequence: 14) { rig.receive(packet, from: Rig.mallory) }
    #expect(rig.receiver.counts.refused == 5_020 && rig.receiver.lastFault == .source)
    #expect(mono(rig.played).count == 49 * 480)
    rig.pass(1.1)
    rig.receive(all: packets(50, ssrc: 2, sequence: 7), from: Rig.mallory)
    #expect(rig.receiver.stream?.ssrc == 2 && rig.receiver.counts.streams == 2)
    #expect(mono(rig.played).count == (49 + 49) * 480)
    #expect(rig.receiver.counts.lost == 0)
  }

  @Test("K12, X1: one stray packet far away is counted; a sender that goes on from there is followed")
  func jump() {
    var rig = Rig()
    let sent = packets(50)
    rig.receive(all: sent)
    rig.receive(packets(1, sequence: 30_000)[0])
    #expect(rig.receiver.counts.refused == 1 && rig.receiver.lastFault == .jump)
    rig.receive(all: packets(50, sequence: 30_500, timestamp: 77))
    #expect(rig.receiver.counts.lost == 0 && rig.receiver.counts.refused == 2)
    #expect(mono(rig.played).count == (49 + 49) * 480)
  }

  @Test("K12, X1: other formats, odd lengths and noise are counted by why, and a stream is heard all the same")
  func noise() {
    var rig = Rig()
    var generator = SystemRandomNumberGenerator()
    var faults: [RTPFault] = []
    for count in 0..<2_000 {
      var noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if count % 2 == 0, noise.count > 1 { (noise[0], noise[1]) = (0x80, 127) }
      rig.receive(noise)
      if let fault = rig.receiver.lastFault { faults.append(fault) }
    }
    #expect(Set(faults).isSuperset(of: [.tooShort, .version]))
    #expect(rig.played.isEmpty)
    rig.receive(all: packets(20))
    for index in [1, 15] {
      var odd = packets(20)[index]
      odd.removeLast()
      rig.receive(odd)
      #expect(rig.receiver.lastFault == .payloadSize)
    }
    var other = packets(21)[20]
    other[1] = 96
    rig.receive(other)
    #expect(rig.receiver.lastFault == .payloadType)
    other[1] = 0
    rig.receive(other)
    #expect(rig.receiver.lastFault == .payloadType)
    rig.receive(all: packets(40)[20...])
    #expect(mono(rig.played).count == 39 * 480 && rig.receiver.counts.lost == 0)
  }

  @Test("K12: timestamps that are not those of 48 kHz are refused before anything is heard")
  func spacing() {
    var rig = Rig()
    for (index, var packet) in packets(20, timestamp: 0).enumerated() {
      let timestamp = UInt32(index * 441)
      (packet[4], packet[5], packet[6], packet[7]) = (0, 0, UInt8(timestamp >> 8), UInt8(timestamp & 0xFF))
      rig.receive(packet)
    }
    #expect(rig.played.isEmpty && rig.receiver.lastFault == .spacing && rig.receiver.counts.refused == 19)
  }

  @Test("K12: a voice that paused goes on at once, with a timestamp as much later, and without a loss")
  func pause() {
    var rig = Rig()
    var sender = RTPSender(milliseconds: 10)
    rig.receive(all: sender.append([Int16](repeating: 1_000, count: 4_800)))
    let before = sender.timestamp
    sender.skip(48_000)
    #expect(sender.timestamp &- before == 48_000)
    rig.pass(1)
    let again = sender.append([Int16](repeating: 1_000, count: 4_800))
    #expect(again[0][1] == 0xFF && again[1][1] == 127, "the first has the marker")
    rig.receive(all: again)
    #expect(mono(rig.played).count == 19 * 480 && rig.receiver.counts.lost == 0)
  }

  /// The same packet in stereo, with both channels alike.
  private func stereo(_ packet: [UInt8]) -> [UInt8] {
    var double = Array(packet[..<12])
    for index in stride(from: 12, to: packet.count, by: 2) {
      for _ in 0..<2 { double += packet[index..<index + 2] }
    }
    return double
  }

  @Test(
    "K12: a sender that goes on with another payload type, or another number of channels, is heard again a second later",
    arguments: ["type", "to stereo", "to mono"])
  func format(_ change: String) {
    var rig = Rig()
    let sent = packets(400)
    let isStereo = change == "to mono"
    rig.receive(all: sent[..<50].map { isStereo ? stereo($0) : $0 })
    let heard = rig.played.count
    rig.receive(
      all: sent[50..<200].map { packet in
        guard change == "type" else { return isStereo ? packet : stereo(packet) }
        var packet = packet
        packet[1] = 96
        return packet
      })
    let (again, channels) = (rig.played.count, change == "to stereo" ? 2 : 1)
    #expect(rig.receiver.stream?.channels == channels && rig.receiver.counts.streams == 2)
    #expect((48...51).contains((again - heard) / 960), "\((again - heard) / 960)")
    // What is heard in the new format is what was sent.
    let end = mono(rig.played).suffix(20 * 480)
    #expect(Array(end) == saw(180, 200))
  }

  @Test("K12: packets of more sound than the latency are refused and counted, of a new sender and in the middle of a stream")
  func long() {
    var rig = Rig()
    rig.receiver = RTPReceiver(patience: 0.02, longest: 479)
    rig.receive(all: packets(20))
    #expect(rig.played.isEmpty && rig.receiver.counts.refused == 19 && rig.receiver.lastFault == .tooMuchSound)
    rig.receiver = RTPReceiver(patience: 0.02, longest: 480)
    var sent = packets(20)
    sent[10] += sent[10][12...]
    rig.receive(all: sent)
    #expect(rig.receiver.lastFault == .tooMuchSound && rig.receiver.counts.lost == 1)
  }
}
