import Foundation
import SeededSignals
import Synchronization
import Testing

@testable import SimulatedHardware

@Suite("Conversation and participants")
struct ConversationTests {
  private static let times = stride(from: 0.0, to: 240, by: 0.05).map { $0 }

  @Test("O3: a conversation is a function of seed and time alone")
  func deterministic() {
    let (one, same, other) = (Conversation(seed: 5), Conversation(seed: 5), Conversation(seed: 6))
    func script(_ conversation: Conversation, _ times: some Sequence<Double>) -> [String] {
      times.map { time in "\(conversation.span(at: time)) \((0..<3).map { conversation.farEndTalk($0, at: time) != nil })" }
    }
    #expect(script(one, Self.times) == script(same, Self.times.reversed()).reversed())
    #expect(script(one, Self.times) != script(other, Self.times))
  }

  @Test(
    "O3: the far end talks alone for 8 s or more before anything else, then every phase comes, again and again",
    arguments: [1, 2, 3] as [UInt64])
  func phases(seed: UInt64) {
    let conversation = Conversation(seed: seed)
    var spans: [Conversation.Span] = []
    for time in Self.times where spans.last != conversation.span(at: time) { spans.append(conversation.span(at: time)) }
    #expect(spans[0].seconds.lowerBound == 0)
    #expect(spans.filter { $0.phase == .farEnd }.allSatisfy { $0.seconds.upperBound - $0.seconds.lowerBound >= 8 })
    #expect(spans.map(\.phase).starts(with: [.farEnd, .nearEnd, .doubleTalk, .silence, .farEnd]))
    #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.seconds.upperBound == $1.seconds.lowerBound })
    #expect(spans.allSatisfy { $0.seconds.upperBound - $0.seconds.lowerBound > 1 })
    #expect(conversation.phase(at: -1) == .silence)
  }

  @Test("O3: somebody talks exactly while the phase says so, and every remote participant has a turn")
  func talkers() {
    let conversation = Conversation(seed: 2)
    var heard: Set<Int> = []
    for time in Self.times {
      let phase = conversation.phase(at: time)
      let talkers = (0..<3).filter { conversation.farEndTalk($0, at: time)?.contains(time) == true }
      heard.formUnion(talkers)
      #expect(talkers.isEmpty == (phase == .nearEnd || phase == .silence))
      #expect((conversation.nearEndTalk(at: time) != nil) == (phase == .nearEnd || phase == .doubleTalk))
    }
    #expect(heard == [0, 1, 2])
  }

  @Test("O3: packets come at the participant's clock rate, to 20 ppm over an hour", arguments: [200.0, -200, 0])
  func rate(drift: Double) {
    var schedule = PacketSchedule(drift: drift, seed: 4)
    let count = 180_000
    var arrivals: [Double] = []
    for _ in 0..<count { arrivals.append(schedule.next().arrival) }
    let measured = Double(count - 1) * PacketSchedule.packet / (arrivals[count - 1] - arrivals[0])
    #expect(abs((measured - 1) * 1e6 - drift) < 20)
  }

  @Test("O3: the network delays by up to 40 ms, holds packets up now and then, and keeps their order")
  func jitter() {
    var schedule = PacketSchedule(drift: 0, seed: 9)
    let packets = (0..<20_000).map { _ in schedule.next() }
    let delays = packets.map { $0.arrival - $0.sent }
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
    #expect(delays.allSatisfy { $0 >= 0 && $0 < 0.17 })
    let late = delays.filter { $0 > 0.04 }.count
    #expect(late > 50 && late < 1_000)
    let mean = delays.reduce(0, +) / Double(delays.count)
    #expect(mean > 0.008 && mean < 0.03)
    // A good network is not always even, but never so late that a buffer of 100 ms runs dry.
    var good = PacketSchedule(drift: 0, network: .good, seed: 9)
    let goodDelays = (0..<180_000).map { _ in good.next() }.map { $0.arrival - $0.sent }
    #expect(goodDelays.allSatisfy { $0 < 0.061 } && goodDelays.contains { $0 > 0.03 })
    #expect(Participant.Profile.three.allSatisfy { $0.network == .good })
    var none = PacketSchedule(drift: 100, network: .none, seed: 9)
    #expect((0..<100).map { _ in none.next() }.allSatisfy { $0.sent == $0.arrival })
  }

  @Test("O3: packets hold the talker's speech in both channels while it has the word, and silence otherwise")
  func packets() throws {
    let conversation = Conversation(.alternating, seed: 1)
    let tone = Speech(rate: 48_000, samples: sine(500, frames: 48_000, level: 0.5))
    let source = PacketSource(speech: tone, channels: 2, conversation: conversation, talker: 0)
    #expect(source.samplesPerPacket == 1_920)
    for time in stride(from: 0.1, to: 24, by: 0.71) {
      var packet = [Int16](repeating: 1, count: source.samplesPerPacket)
      source.fill(&packet, at: time)
      let talks = conversation.farEndTalk(0, at: time + 0.01) != nil || conversation.farEndTalk(0, at: time) != nil
      #expect((packet.map { abs(Int($0)) }.max()! > 0) == talks)
      #expect(stride(from: 0, to: packet.count, by: 2).allSatisfy { packet[$0] == packet[$0 + 1] })
    }
  }

  @Test("O3: a participant hands over 20 ms packets in its own format until it is stopped")
  func participant() throws {
    let participant = try Participant(
      Participant.Profile.three[0], talker: 0, conversation: Conversation(.farEndOnly), epoch: monotonicSeconds(), cache: speechCache)
    let sizes = Mutex<[Int]>([])
    participant.start { packet in
      sizes.withLock { sizes in
        sizes.append(packet.count)
        return sizes.count > 2
      }
    }
    #expect(poll { participant.counters.packets >= 5 ? true : nil } == true)
    participant.stop()
    #expect(sizes.withLock { Set($0) } == [640])
    #expect(participant.counters.refused == 2)
  }
}
