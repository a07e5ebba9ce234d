import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

/// A network writer in simulated time: packets of `burst` seconds, each up to `jitter` late, in order, from a clock that is `ppm` fast.
/// About every fiftieth is delayed by `stall` together with those after it, which then arrive at once.
struct NetworkWriter {
  let burst: Double
  let jitter: Double
  let ppm: Double
  let stall: Double
  var dice: SeededGenerator
  private var sent = 0
  private var arrival = 0.0

  init(burst: Double, jitter: Double, ppm: Double, stall: Double = 0, seed: UInt64 = 1) {
    self.burst = burst
    self.jitter = jitter
    self.ppm = ppm
    self.stall = stall
    dice = SeededGenerator(seed: seed)
    schedule()
  }

  private mutating func schedule() {
    let nominal = Double(sent) * burst / (1 + ppm * 1e-6)
    let isHeldUp = stall > 0 && Int.random(in: 0..<50, using: &dice) == 0
    arrival = max(arrival, nominal + Double.random(in: 0...max(jitter, 1e-9), using: &dice) + (isHeldUp ? stall : 0))
  }

  /// The number of packets that arrive before `time`.
  mutating func due(before time: Double) -> Int {
    var count = 0
    while arrival < time {
      count += 1
      sent += 1
      schedule()
    }
    return count
  }
}

@Suite struct RenderDriftTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var ppm: Double
    var jitter = 0.06
    var burst = 0.02
    var quantum = 512
    var rate = 8_000
    var milliseconds = 200
    /// Length of the run in simulated time.
    var seconds = 90.0
    var testDescription: String {
      "\(Int(ppm)) ppm, \(Int(jitter * 1000)) ms jitter, \(Int(burst * 1000)) ms packets, quantum \(quantum), ring of \(milliseconds) ms"
    }
  }

  static let cases = [
    Case(ppm: 500, seconds: 120), Case(ppm: -500), Case(ppm: 0), Case(ppm: 500, burst: 0.06), Case(ppm: -500, burst: 0.06),
    Case(ppm: -500, jitter: 0.002, burst: 0.01, quantum: 80, milliseconds: 60), Case(ppm: 500, quantum: 1_024, milliseconds: 1_000),
    Case(ppm: 500, jitter: 0, burst: 0.02, quantum: 160),
  ]

  @Test("K3: a drifting, jittering writer neither overruns nor underruns, and its fill stays at the target", arguments: cases)
  func drift(_ run: Case) throws {
    // Graph and sink at 8 kHz: the loop counts seconds, not frames, and a debug build is slow.
    let rig = RenderRig(rate: run.rate, quantum: run.quantum)
    rig.records = false
    let sink = try rig.ring(rate: run.rate, milliseconds: run.milliseconds)
    var network = NetworkWriter(burst: run.burst, jitter: run.jitter, ppm: run.ppm, seed: 7)
    let packet = [Int16](repeating: 1_000, count: Int(run.burst * Double(run.rate)))
    let seconds = run.seconds
    var time = 0.0
    var fills: [Double] = []
    var lastRatio = 1.0
    var fastest = 0.0
    var widest = 0.0
    var gapsAtStart: UInt64 = 0
    var dropsAtStart: UInt64 = 0
    let step = Double(run.quantum) / Double(run.rate)
    while time < seconds {
      for _ in 0..<network.due(before: time) { sink.write(packet) }
      let before = sink.status()
      rig.cycle()
      let after = sink.status()
      time += step
      if time < 1 {
        gapsAtStart = after.totalUnderruns
        dropsAtStart = after.totalDrops
        lastRatio = after.resampleRatio
        continue
      }
      let capacity = Double(sink.capacityBytes)
      if time > 30 { fills.append(Double(before.fillBytes + after.fillBytes) / 2 / capacity / after.targetFill) }
      fastest = max(fastest, abs(after.resampleRatio - lastRatio) / step)
      widest = max(widest, abs(after.resampleRatio - 1))
      lastRatio = after.resampleRatio
    }
    let status = sink.status()
    let mean = fills.reduce(0, +) / Double(fills.count)
    let window = max(1, Int(2 / step))
    let means = stride(from: 0, to: fills.count - window, by: window).map { fills[$0..<$0 + window].reduce(0, +) / Double(window) }
    #expect(status.totalUnderruns == gapsAtStart)
    #expect(status.totalDrops == dropsAtStart)
    // Each write moves the fill by a packet: no steering can hold it closer.
    let packetShare = run.burst * Double(run.rate * sink.format.bytesPerFrame) / Double(sink.capacityBytes) / status.targetFill
    let tolerance = max(0.2, packetShare) + 0.01
    #expect(abs(mean - 1) < tolerance / 2)
    #expect(means.allSatisfy { abs($0 - 1) < tolerance }, "every 2 s mean after the first 30 s: \(means)")
    #expect(widest <= DriftSteering.limit * 1.01)
    #expect(fastest <= DriftSteering.slew * 1.01)
    #expect(abs(status.driftPPM - run.ppm) < 300)
  }

  /// The whole hour, at every rate and with every network, is `make bench ARGS="--parts drift"`. In the loop's first 25 s, 1/ω, its fill
  /// deviates as far from the target as it ever does.
  @Test(
    "K3: at ±500 ppm there is neither a gap nor a drop after the first second, and every cycle's fill is within a fifth of its target",
    arguments: [48_000, 44_100, 16_000], [500.0, -500])
  func fillHoldsAtAllTimes(sinkRate: Int, ppm: Double) throws {
    let rig = RenderRig(rate: 16_000, quantum: 160)
    rig.records = false
    let sink = try rig.ring(rate: sinkRate)
    var network = NetworkWriter(burst: 0.02, jitter: 0, ppm: ppm)
    let packet = [Int16](repeating: 1_000, count: sinkRate / 50)
    var start: SinkStatus?
    var (least, most) = (Double.infinity, 0.0)
    for cycle in 0..<3_000 {
      let time = Double(cycle) * 0.01
      for _ in 0..<network.due(before: time) { sink.write(packet) }
      let before = sink.status()
      if time >= 1, start == nil { start = before }
      rig.cycle()
      let after = sink.status()
      guard time >= 5 else { continue }
      let fill = Double(before.fillBytes + after.fillBytes) / 2 / Double(sink.capacityBytes) / after.targetFill
      (least, most) = (min(least, fill), max(most, fill))
    }
    let end = sink.status()
    #expect(end.state == .playing)
    #expect(end.totalUnderruns == start?.totalUnderruns)
    #expect(end.totalDrops == start?.totalDrops)
    #expect(least > 0.8 && most < 1.2, "\(least)…\(most) of the target")
  }

  @Test(
    "K3: packets that the network delays by 60 ms, and then delivers in a burst, leave no gap with a ring of 200 ms",
    arguments: [500.0, 0, -500])
  func bursts(ppm: Double) throws {
    let rig = RenderRig(rate: 8_000, quantum: 80)
    rig.records = false
    let sink = try rig.ring(rate: 8_000)
    var network = NetworkWriter(burst: 0.02, jitter: 0.001, ppm: ppm, stall: 0.06, seed: 3)
    let packet = [Int16](repeating: 1_000, count: 160)
    var lowest = Int.max
    for cycle in 0..<6_000 {
      for _ in 0..<network.due(before: Double(cycle) * 0.01) { sink.write(packet) }
      rig.cycle()
      if cycle > 100 { lowest = min(lowest, sink.status().fillBytes) }
    }
    #expect(sink.status().totalUnderruns == 0)
    #expect(sink.status().totalDrops == 0)
    #expect(lowest < sink.capacityBytes / 4, "the network held nothing up")
  }
}
