import ArgumentParser
import Foundation
import RealtimeCore

/// Measures what each stage of nearend's own canceller costs, in instructions, while both ends talk and while the far end is silent.
func measureStages() throws -> Table {
  var table = Table(
    title: "The canceller's stages",
    note:
      "Millions of instructions of the capture path per second of audio at 48 kHz, counted by valgrind's callgrind as the difference of two runs of "
      + "unlike length, with the vector instructions of this processor. The floor: the arithmetic that the sizes ask for, 16 operations an instruction "
      + "(eight lanes, multiplied and added), and nothing for memory.",
    columns: ["stage", "double talk", "floor", "far end silent"])
  let counter = try InstructionCounter()
  func cost(_ options: [String]) throws -> [String: Double] {
    progress("stages: \(options.isEmpty ? "double talk" : "far end silent")")
    let seconds = (few: 4, many: 6)
    let counts = try [seconds.many, seconds.few].map { try counter.countByFunction(["capture", "--seconds", "\($0)"] + options) }
    var byStage: [String: Double] = [:]
    for symbol in Set(counts[0].keys).union(counts[1].keys) {
      let count = (counts[0][symbol] ?? 0) - (counts[1][symbol] ?? 0)
      byStage[Stage.of(symbol), default: 0] += Double(count) / Double(seconds.many - seconds.few) / 1e6
    }
    return byStage
  }
  let (both, silent) = (try cost([]), try cost(["--far-silent"]))
  let names = Stage.all.map(\.name) + [Stage.rest]
  for name in names {
    let floor = Stage.all.first { $0.name == name }?.operations.map { number($0 / 16 / 1e6) } ?? "–"
    table.rows.append([name, number(both[name] ?? 0), floor, number(silent[name] ?? 0)])
  }
  table.rows.append(["all", number(both.values.reduce(0, +)), "", number(silent.values.reduce(0, +))])
  return table
}

/// A stage, identified by the types and kernels that contain its code.
private struct Stage {
  let name: String
  /// Parts of Swift symbols, and whole names of C functions.
  var types: [String] = []
  var kernels: Set<String> = []
  /// Real operations per second of mono audio.
  var operations: Double?

  static let rest = "everything else"

  static let all: [Stage] = {
    let hops = Double(Talk.rate) / 256
    // 13 partitions and 6 of the saturation, and 8 of the fast filter; 472 bins each, because those above 11 kHz are silent in speech.
    let careful: Double = 19 * 472, fast: Double = 8 * 472
    func transform(_ samples: Double) -> Double { 2.5 * samples * log2(samples) }
    // In steps, because Swift 6.0 does not get to the end of whole expressions of literals. A hop's spectra of both references and of the
    // loudspeaker's terms, errors (one and a half), estimates, and the constraint of the rows in turn; the suppressor's; the bands'.
    let constrained: Double = 27 / 16, long: Double = 2 + 0.75 + 1.5 + 2
    let transforms: Double = (long + constrained) * transform(2_048) + 3 * transform(1_024) + 4 * transform(512)
    // Three echoes of eight partitions and nine products, every four hops.
    let partition = 472.0, echoes = 24 * 8 * partition, products = 9 * 5 * partition
    let loudspeaker = (echoes + products) / 4
    let estimate = (careful + fast) * 14, adaptation = (0.5 * careful + fast) * 32
    return [
      Stage(
        name: "Fourier transforms", types: ["FourierTransform"],
        kernels: ["forward", "inverse", "nearend_fourier_forward", "nearend_fourier_inverse"],
        operations: hops * transforms),
      Stage(
        name: "estimate of the echo", kernels: ["predict", "nearend_kalman_predict"], operations: hops * estimate),
      Stage(name: "adaptation", kernels: ["update", "nearend_kalman_update"], operations: hops * adaptation),
      Stage(name: "the filters' other work", types: ["KalmanFilter", "PathSelector", "FilterChoice"]),
      Stage(
        name: "references, their drift and saturation",
        types: ["ReferenceSpectra", "ReferenceLevel", "SaturationReference", "DriftResampler", "DriftTracker"]),
      Stage(
        name: "the loudspeaker's model", types: ["LoudspeakerModel", "LoudspeakerTerms"],
        kernels: ["multiply_add", "nearend_multiply_add", "$s12RealtimeCore21saturatedByLoudspeaker_4gains5SIMD8VySfGAF_SftF"],
        operations: hops * loudspeaker),
      Stage(
        name: "search for the echo, changes of path and volume",
        types: ["DelayScout", "PathChangeDetector", "PathPrior", "GainTracker", "GainChanges", "BandSpectrum"],
        kernels: ["correlate", "nearend_correlate"]),
      Stage(
        name: "suppressor", types: ["Suppressor", "OverlapAdd", "ResidualEcho", "NearEndPresence", "EchoOnlyPass"],
        kernels: ["suppress", "nearend_suppress"]),
      Stage(
        name: "meters, voice detection, gain control",
        types: ["EchoMeter", "VoiceDetector", "GainControl", "TalkWatch", "CaptureMeters", "NoiseFloor"]),
    ]
  }()

  static func of(_ symbol: String) -> String {
    all.first { stage in stage.kernels.contains(symbol) || stage.types.contains { symbol.contains("\($0.utf8.count)\($0)V") } }?.name
      ?? rest
  }
}

/// Runs the capture path and does nothing else, for counting instructions.
struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "capture", abstract: "Cycles of the capture path.", shouldDisplay: false)
  @Option var seconds: Int
  @Flag var farSilent = false

  func run() throws {
    let talk = try Talk().double(seconds: Double(seconds))
    let far = farSilent ? [Float](repeating: 0, count: talk.far.count) : talk.far
    let quantum = 256
    var path = try CapturePath(
      engine: .nearend, rate: Talk.rate, maximumQuantum: 8_192, controls: CaptureControls(), meters: CaptureMeters())
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
