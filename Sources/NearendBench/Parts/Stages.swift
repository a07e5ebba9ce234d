import ArgumentParser
import Foundation
import RealtimeCore

/// Measures what each stage of nearend's own capture path costs, in instructions, while both ends talk and while the far end is silent.
func measureStages() throws -> Table {
  let counter = try InstructionCounter()
  /// The instructions of the steady state, and its hops.
  func profile(_ what: String, _ options: [String] = []) throws -> (CallgrindProfile, hops: Double) {
    progress("stages: \(what)")
    let seconds = (few: 4, many: 6)
    let (many, few) = (
      try counter.profile(["capture", "--seconds", "\(seconds.many)"] + options),
      try counter.profile(["capture", "--seconds", "\(seconds.few)"] + options)
    )
    return (many.subtracting(few), Double(Talk.rate * (seconds.many - seconds.few)) / Double(CaptureCommand.quantum))
  }
  let runs = [
    try profile("both talk"), try profile("far end silent", ["--far-silent"]), try profile("copied", ["--unprocessed"]),
  ]
  let costs = try runs.map { try Stage.divide($0.0).mapValues { [hops = $0.hops] in $0 / hops } }
  let transforms = try Transforms(runs[0].0)
  var table = Table(
    title: "The capture path's stages",
    note:
      "Instructions per hop of 256 frames at 48 kHz, mono, counted by valgrind's callgrind as the difference of two runs of unlike length, with the "
      + "vector instructions of this processor. Each stage includes what it calls; \"other\" is all that no stage claims. The floor: the transforms that "
      + "the stage cannot do without, as counted (\(transforms.description)), and the arithmetic that the filters' sizes ask for, 16 operations an "
      + "instruction (eight lanes, multiplied and added), nothing for memory. –: not reckoned.",
    columns: ["stage", "both talk", "floor", "far end silent", "floor"])
  let floors = [Stage.floors(transforms), Stage.silentFloors(transforms)]
  func row(_ name: String, _ values: [Double], _ floors: [Double?]) {
    table.rows.append([name] + zip(values, floors).flatMap { [grouped($0), $1.map(grouped) ?? "–"] })
  }
  for name in Stage.names { row(name, costs[0...1].map { $0[name] ?? 0 }, floors.map { $0[name] }) }
  let all = costs.map { $0.values.reduce(0, +) }
  row("all", Array(all[0...1]), floors.map { $0.values.reduce(0, +) })
  row("all, voice processing off: a hop is copied and metered", [all[2], all[2]], [nil, nil])
  return table
}

/// Runs the capture path and does nothing else, for counting instructions.
struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "capture", abstract: "Cycles of the capture path.", shouldDisplay: false)
  /// Frames per cycle: a hop of the canceller.
  static let quantum = 256
  @Option var seconds: Int
  @Flag var farSilent = false
  @Flag var unprocessed = false

  func run() throws {
    let talk = try Talk().double(seconds: Double(seconds))
    let far = farSilent ? [Float](repeating: 0, count: talk.far.count) : talk.far
    let quantum = Self.quantum
    let controls = CaptureControls()
    controls.usesVoiceProcessing = !unprocessed
    var path = try CapturePath(
      engine: .nearend, rate: Talk.rate, maximumQuantum: 8_192, controls: controls, meters: SequenceLocked(CaptureMeters()))
    var voice = [Float](repeating: 0, count: quantum)
    talk.microphone.withUnsafeBufferPointer { microphone in
      far.withUnsafeBufferPointer { far in
        for start in stride(from: 0, to: far.count / quantum * quantum, by: quantum) {
          let reference = far.baseAddress! + start
          path.process(
            microphone: microphone.baseAddress! + start, reference: reference, right: reference, voice: &voice, frames: quantum)
        }
      }
    }
  }
}
