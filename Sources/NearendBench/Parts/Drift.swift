import Foundation
import RealtimeCore
import SimulatedHardware
import Synchronization

/// Simulates an hour of a writer with a different clock and a network, through the real render path (K3).
/// - Throws: `BenchError` if a ring ran dry or over, or its fill left the promised range.
func measureDrift(hours: Double) throws -> Table {
  var table = Table(
    title: "Drift",
    note:
      "\(number(hours * 60, 0)) simulated minutes each: a participant's packets of 20 ms into a ring of 200 ms, graph at 48 kHz, quantum 256. "
      + "Underruns and drops after the first second; fill against its target in every cycle after the first 5 s, averaged over the cycle.",
    columns: ["sink", "writer's clock", "network", "underruns", "drops", "fill of target", "mean", "drift as learnt"])
  let runs = [48_000, 44_100, 16_000].flatMap { rate in
    [500.0, -500].flatMap { drift in DriftRun.Network.allCases.map { DriftRun(rate: rate, drift: drift, network: $0) } }
  }
  let results = Mutex<[Int: Result<DriftRun.Outcome, any Error>]>([:])
  DispatchQueue.concurrentPerform(iterations: runs.count) { index in
    let result = Result { try runs[index].outcome(seconds: hours * 3_600) }
    results.withLock { $0[index] = result }
    progress("drift: \(runs[index])")
  }
  for (index, run) in runs.enumerated() {
    let outcome = try results.withLock { $0[index]! }.get()
    table.rows.append([
      "\(run.rate) Hz", "\(number(run.drift, 0)) ppm", run.network.rawValue, "\(outcome.underruns)", "\(outcome.drops)",
      "\(number(outcome.fill.lowerBound * 100, 0))–\(number(outcome.fill.upperBound * 100, 0)) %", "\(number(outcome.mean * 100)) %",
      "\(number(outcome.drift, 0)) ppm",
    ])
    if let complaint = run.complaint(outcome) { throw BenchError("\(run): \(complaint)\n\(table.markdown)") }
  }
  return table
}

/// One participant with its duration and network.
struct DriftRun: CustomStringConvertible {
  enum Network: String, CaseIterable {
    case even
    /// Some packets are delayed by 60 ms, and delay those after them: they arrive in a burst.
    case bursts = "bursts of 60 ms"
    /// Every packet is late by up to 60 ms.
    case jitter = "jitter of 60 ms"

    var schedule: PacketSchedule.Network {
      switch self {
      case .even: .none
      case .bursts: .init(jitter: 0, mostJitter: 0, stalls: 0.01, stall: 0.06...0.06)
      case .jitter: .init(jitter: 0.02, mostJitter: 0.06, stalls: 0, stall: 0...0)
      }
    }
  }
  struct Outcome {
    var underruns: UInt64
    var drops: UInt64
    /// Relative to the target.
    var fill: ClosedRange<Double>
    var mean: Double
    /// In parts per million.
    var drift: Double
  }

  let rate: Int
  let drift: Double
  let network: Network

  var description: String { "\(rate) Hz, \(number(drift, 0)) ppm, \(network.rawValue)" }

  func outcome(seconds: Double) throws -> Outcome {
    let mixer = Mixer()
    let (quantum, graphRate) = (256, 48_000)
    let format = try SinkFormat(sampleRate: rate, channelCount: 1)
    let sink = try RingSink(id: "writer", format: format, capacityBytes: rate / 5 * format.bytesPerFrame)
    try mixer.add(sink)
    let packet = [Int16](repeating: 1_000, count: rate / 50)
    var schedule = PacketSchedule(drift: drift, network: network.schedule, seed: UInt64(rate))
    var arrival = schedule.next().arrival
    var (left, right) = ([Float](repeating: 0, count: quantum), [Float](repeating: 0, count: quantum))
    var start: SinkStatus?
    var (least, most, sum, count) = (Double.infinity, 0.0, 0.0, 0.0)
    let cycles = Int(seconds * Double(graphRate) / Double(quantum))
    for cycle in 0..<cycles {
      let time = Double(cycle * quantum) / Double(graphRate)
      while arrival <= time {
        packet.withUnsafeBytes { _ = sink.write($0) }
        arrival = schedule.next().arrival
      }
      let before = sink.status()
      if start == nil, time >= 1 { start = before }
      mixer.renderPath.pointee.process(
        call: StereoInput(left: nil, right: nil), graphSinks: nil, speakerLeft: &left, speakerRight: &right, frames: quantum,
        rate: graphRate)
      guard time > 5 else { continue }
      let after = sink.status()
      let fill = Double(before.fillBytes + after.fillBytes) / 2 / Double(sink.capacityBytes) / after.targetFill
      (least, most, sum, count) = (min(least, fill), max(most, fill), sum + fill, count + 1)
    }
    let end = sink.status()
    guard let start, end.framesRead > 0, count > 0 else { throw BenchError("the sink did not play") }
    return Outcome(
      underruns: end.totalUnderruns - start.totalUnderruns, drops: end.totalDrops - start.totalDrops, fill: least...most, mean: sum / count,
      drift: end.driftPPM)
  }

  /// Describes a violation of K3, if any.
  func complaint(_ outcome: Outcome) -> String? {
    if outcome.underruns > 0 || outcome.drops > 0 { return "\(outcome.underruns) underruns and \(outcome.drops) drops" }
    if network == .even, outcome.fill.lowerBound < 0.8 || outcome.fill.upperBound > 1.2 {
      return "the fill left its target by more than a fifth"
    }
    if abs(outcome.drift - drift) > 100 { return "the drift was not learnt" }
    return nil
  }
}
