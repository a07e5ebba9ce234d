import Foundation
import RealtimeCore

/// Prints the cost of a cycle in nanoseconds, outside the fence.
func measureRenderPath() throws {
  #if DEBUG
    print("this is a debug build: figures are of no use")
  #endif
  print("quantum  sinks                        ns/cycle   ns/cycle/sink   share of the cycle")
  for quantum in [64, 256, 1_024] {
    try measure("call alone", quantum: quantum, sinks: 0, rate: 48_000, channels: 1)
    for (count, rate, channels) in [(1, 48_000, 1), (1, 48_000, 2), (8, 48_000, 1), (64, 48_000, 1), (64, 44_100, 2), (64, 16_000, 1)] {
      try measure("\(count) ring, \(rate) Hz, \(channels) ch", quantum: quantum, sinks: count, rate: rate, channels: channels)
    }
    try measure("64 idle", quantum: quantum, sinks: 64, rate: 48_000, channels: 1, isIdle: true)
    try measure("call alone, limiter at work", quantum: quantum, sinks: 0, rate: 48_000, channels: 1, call: 2)
  }
}

private func measure(_ name: String, quantum: Int, sinks: Int, rate: Int, channels: Int, isIdle: Bool = false, call: Float = 0.1) throws {
  let driver = RenderDriver()
  driver.quantum = quantum
  let rings = try (0..<sinks).map { try driver.ring("\($0)", rate: rate, channels: channels, milliseconds: 400) }
  for ring in rings { ring.gain = 0.01 }
  let chunk = [Int16](repeating: 8_000, count: rate / 50 * channels)
  var spent = 0.0
  var cycles = 0
  for round in 0..<30 {
    if !isIdle { for ring in rings { while chunk.withUnsafeBytes({ ring.write($0) }) {} } }
    let count = max(1, 9_600 / quantum)
    let start = DispatchTime.now().uptimeNanoseconds
    driver.unfencedCycles(count, call: call)
    // The first rounds start the sinks.
    if round >= 5 {
      spent += Double(DispatchTime.now().uptimeNanoseconds - start)
      cycles += count
    }
  }
  let cost = spent / Double(cycles)
  let share = cost / (Double(quantum) / 48_000 * 1e9) * 100
  let perSink = sinks > 0 ? String(format: "%12.0f", cost / Double(sinks)) : "           –"
  let padded = name.padding(toLength: 28, withPad: " ", startingAt: 0)
  print(String(format: "%7d", quantum), padded, String(format: "%9.0f", cost), "  ", perSink, String(format: "%14.2f %%", share))
}
