import Testing

@testable import RealtimeCore

/// 20 ms packets at 48 kHz; times in ms.
@Suite("Arrival of writes")
struct ArrivalTests {
  private static func arrive(_ meter: inout ArrivalMeter, _ milliseconds: Double, frames: Int = 960) -> Double? {
    meter.arrived(frames: frames, rate: 48_000, at: UInt64(1e12 + milliseconds * 1e6))
  }

  /// Returns the times of the spikes among writes at these times.
  private static func spikes(_ times: [Double]) -> [Double] {
    var meter = ArrivalMeter()
    return times.compactMap { arrive(&meter, $0) }
  }

  @Test("T3: writes that come when they are due make no spike and no jitter")
  func steady() {
    var meter = ArrivalMeter()
    for packet in 0..<500 { #expect(Self.arrive(&meter, Double(packet) * 20) == nil) }
    #expect(meter.jitter < 1e-6)
  }

  @Test(
    "T3: a write that is late by more than 60 ms is a spike, as long as it is late by less than a pause",
    arguments: [(59.0, false), (61.0, true), (900.0, true), (1_001.0, false)])
  func late(by late: Double, isSpike: Bool) {
    let spikes = Self.spikes((0..<50).map { Double($0) * 20 } + [50 * 20 + late])
    #expect(spikes.count == (isSpike ? 1 : 0))
    if let spike = spikes.first { #expect(abs(spike - late / 1000) < 1e-6) }
  }

  @Test("T3: delayed packets that arrive together after a spike are no spikes")
  func burst() {
    let steady = (0..<50).map { Double($0) * 20 }
    let burst = (0..<5).map { 1_000 + 100 + Double($0) * 0.1 }
    let after = (5..<50).map { 1_000 + Double($0) * 20 }
    #expect(Self.spikes(steady + burst + after).count == 1)
  }

  @Test("T3: on a network that always jitters, only what is bad for it is a spike")
  func noisy() {
    // ±40 ms, alternating: a deviation of 80 ms each time.
    var meter = ArrivalMeter()
    let spikes = (0..<400).map { index in (index, Self.arrive(&meter, Double(index) * 20 + (index.isMultiple(of: 2) ? 40 : -40))) }
    #expect(meter.jitter > 0.05 && meter.jitter < 0.1)
    #expect(spikes.dropFirst(50).allSatisfy { $0.1 == nil })
  }

  @Test("T3: a writer that ended, or whose sink was reset, starts over; half a second's chunk is due after half a second")
  func restarts() {
    var meter = ArrivalMeter()
    #expect(Self.arrive(&meter, 0) == nil)
    meter.restart()
    #expect(Self.arrive(&meter, 500, frames: 24_000) == nil)
    #expect(Self.arrive(&meter, 1_000) == nil)
  }

  @Test("T3 K5: a sink counts late writes; a refused one counts as an arrival too")
  func sink() throws {
    let sink = try RingSink(id: "a", format: SinkFormat(sampleRate: 48_000, channelCount: 1), capacityBytes: 960)
    let packet = [Int16](repeating: 0, count: 480)
    for _ in 0..<3 { _ = packet.withUnsafeBytes { sink.write($0) } }
    #expect(sink.status().totalDrops == 2)
    #expect(sink.status().jitter > 0, "three writes at once are not when they are due")
    #expect(sink.status().jitterSpikes == 0, "early is not late")
  }
}
