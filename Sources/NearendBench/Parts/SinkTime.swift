import Foundation
import RealtimeCore

/// Measures the share of a cycle that many participants take: ring sinks at several rates, and the plain mix of graph sinks compared with a
/// copy of the same bytes. With a plot.
func measureSinkTime() throws -> Table {
  let quantum = 256, cycle = Double(quantum) / Double(Talk.rate) * 1e6
  var table = Table(
    title: "Many participants",
    note:
      "Microseconds of one processor per cycle of \(quantum) frames at 48 kHz, which lasts \(number(cycle, 0)); the least of several passes. Ring sinks are "
      + "mono and play; graph sinks are stereo, and what is copied are the samples of both channels.",
    columns: ["what", "µs per cycle", "share of the cycle", "of the line above", "plot: 2 % of the cycle each"])
  var before: Double?
  func add(_ name: String, _ cost: Double) {
    let share = 100 * cost / cycle
    table.rows.append([
      name, number(cost, 1), "\(number(share, 2)) %", before.map { number(cost / $0, 2) } ?? "–",
      String(repeating: "█", count: Int((share / 2).rounded(.up))),
    ])
    before = cost
  }
  let perCycle = Double(quantum) / Double(Talk.rate / 100)
  for count in [64, 256, Mixer.capacity] {
    progress("sink time: \(count) ring sinks")
    add("\(count) ring sinks of 48 kHz", try renderCost(sinks: count, rate: 48_000) * perCycle)
  }
  for rate in [16_000, 44_100] {
    progress("sink time: \(rate) Hz")
    before = nil
    add("\(Mixer.capacity) ring sinks of \(rate) Hz", try renderCost(sinks: Mixer.capacity, rate: rate) * perCycle)
  }
  progress("sink time: graph sinks")
  before = nil
  let (copy, mix) = try copyAndMix(quantum: quantum)
  add("copy of \(Mixer.capacity) stereo buffers", copy)
  add("\(Mixer.capacity) graph sinks, mixed and metered", mix)
  return table
}

/// Microseconds of copying every participant's buffers, and of mixing them.
private func copyAndMix(quantum: Int) throws -> (copy: Double, mix: Double) {
  let mixer = Mixer(), frames = 2 * quantum * Mixer.capacity
  let source = Samples(frames), target = Samples(frames)
  for i in 0..<frames { source[i] = sin(Float(i) / 8) / Float(Mixer.capacity) }
  var inputs = [StereoInput](repeating: StereoInput(left: nil, right: nil), count: Mixer.capacity)
  for index in 0..<Mixer.capacity {
    let slot = try mixer.addGraphSink(id: "\(index)").slot, start = UnsafePointer(source + 2 * quantum * index)
    inputs[slot] = StereoInput(left: start, right: start + quantum)
  }
  var (left, right) = ([Float](repeating: 0, count: quantum), [Float](repeating: 0, count: quantum))
  // Alternating, so that each finds the caches as the other leaves them.
  var costs: [(copy: Double, mix: Double)] = []
  for _ in 0..<40 {
    let begin = processorMicroseconds()
    for participant in 0..<2 * Mixer.capacity {
      memcpy(target + quantum * participant, source + quantum * participant, quantum * MemoryLayout<Float>.stride)
    }
    let between = processorMicroseconds()
    inputs.withUnsafeBufferPointer {
      mixer.renderPath.pointee.process(
        call: StereoInput(left: nil, right: nil), graphSinks: $0.baseAddress, speakerLeft: &left, speakerRight: &right, frames: quantum,
        rate: Talk.rate)
    }
    costs.append((between - begin, processorMicroseconds() - between))
  }
  guard left.contains(where: { $0 != 0 }), target[1] == source[1] else { throw BenchError("nothing was mixed") }
  return (costs.map(\.copy).min()!, costs.map(\.mix).min()!)
}
