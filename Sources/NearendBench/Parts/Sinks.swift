import ArgumentParser
import Foundation
import RealtimeCore

/// Measures ring sinks: instructions in total and by rate, signal to noise, and the share of a cycle that many ring and graph sinks take.
func measureSinks() throws -> [Table] {
  let counter = try InstructionCounter()
  return [try measureSinkInstructions(counter), try measureSinkRates(counter), try measureSinkTime()]
}

/// Measures the cost of a ring sink per cycle, idle and busy, in instructions: reproducible to a tenth of a percent even on a busy machine.
private func measureSinkInstructions(_ counter: InstructionCounter) throws -> Table {
  var table = Table(
    title: "Ring sinks",
    note:
      "Instructions of the render path per cycle, quantum 256, graph and sinks at 48 kHz, mono, counted by valgrind's callgrind as the difference of "
      + "two runs of unlike length. Idle: registered, and never written to. Busy: playing. What no sink at all costs is in \"cycle\", and not in \"each sink\".",
    columns: ["sinks", "idle: cycle", "each sink", "busy: cycle", "each sink"])
  func cost(_ sinks: Int, isBusy: Bool) throws -> Double {
    progress("sinks: \(sinks) \(isBusy ? "busy" : "idle")")
    let cycles = (few: 10, many: !isBusy ? 510 : sinks > 100 ? 14 : 30)
    let counts = try [cycles.many, cycles.few].map {
      try counter.count(["render", "--sinks", "\(sinks)", "--cycles", "\($0)"] + (isBusy ? ["--busy"] : []))
    }
    return Double(counts[0] - counts[1]) / Double(cycles.many - cycles.few)
  }
  let none = try cost(0, isBusy: false)
  table.rows.append(["0", number(none, 0), "–", number(none, 0), "–"])
  for count in [1, 4, 16, 64, 256, 1_024] {
    let costs = try [false, true].map { try cost(count, isBusy: $0) }
    table.rows.append(["\(count)"] + costs.flatMap { [number($0, 0), number(($0 - none) / Double(count), 0)] })
  }
  return table
}

/// Measures the instructions of a busy sink at each rate, and its signal to noise.
private func measureSinkRates(_ counter: InstructionCounter) throws -> Table {
  let sinks = 64
  var table = Table(
    title: "Ring sinks by rate",
    note:
      "64 busy mono sinks, quantum 256, the graph at 48 kHz. Instructions as above. Signal to noise is measured with a full-scale sine of 1 kHz in 16-bit "
      + "samples, through a participant's whole render path: everything but the sine is noise, including the samples' own rounding, at about 98 dB.",
    columns: ["sinks at", "instructions per cycle, each", "relative to 48 kHz", "signal to noise at 1 kHz"])
  func each(_ rate: Int) throws -> Double {
    progress("sinks: \(rate) Hz")
    let counts = try [30, 10].map {
      try counter.count(["render", "--sinks", "\(sinks)", "--rate", "\(rate)", "--cycles", "\($0)", "--busy"])
    }
    return Double(counts[0] - counts[1]) / Double(20 * sinks)
  }
  let first = try each(48_000)
  for rate in [48_000, 44_100, 16_000] {
    let cost = rate == 48_000 ? first : try each(rate)
    table.rows.append(["\(rate) Hz", number(cost, 0), number(cost / first, 2), "\(number(try sinkPurity(rate: rate), 1)) dB"])
  }
  return table
}

/// Renders some cycles and does nothing else, for counting instructions.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "render", abstract: "Cycles with ring sinks.", shouldDisplay: false)
  @Option var sinks: Int
  @Option var rate = 48_000
  @Option var cycles: Int
  @Flag var busy = false

  func run() throws {
    let mixer = Mixer()
    let quantum = 256
    let format = try SinkFormat(sampleRate: rate, channelCount: 1)
    // A busy sink's whole audio is in its ring beforehand, so that a further cycle costs only reading.
    let audio = (0..<12_000).map { Int16(20 * sin(Double($0) / 8)) }
    for index in 0..<sinks {
      let sink = try RingSink(id: "\(index)", format: format, capacityBytes: 2 * audio.count)
      try mixer.add(sink)
      if busy { audio.withUnsafeBytes { _ = sink.write($0) } }
    }
    var (left, right) = ([Float](repeating: 0, count: quantum), [Float](repeating: 0, count: quantum))
    for _ in 0..<cycles {
      mixer.renderPath.pointee.process(
        call: StereoInput(left: nil, right: nil), graphSinks: nil, speakerLeft: &left, speakerRight: &right, frames: quantum,
        rate: Talk.rate)
    }
    let states = Set(mixer.ringSinks.map { $0.status().state })
    guard states.isSubset(of: [busy ? .playing : .idle]) else { throw BenchError("the sinks are \(states)") }
  }
}
