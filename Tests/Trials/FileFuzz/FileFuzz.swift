import ArgumentParser
import Border
import Foundation
import OfflineProcessing
import SessionModel
import SimulatedHardware

/// Passes sound files of every container and sample type that libsndfile writes through `nearend process` and `nearend play-into-mic`:
/// whole, truncated, joined and mutated. Fails if a whole file is not used to its end, a truncated one passes for whole, a joined one for
/// its first part, a file is neither accepted nor refused with a reason, or takes too much time or memory; a crash ends the program with
/// a signal.
struct FileFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz-files", abstract: "Truncated, joined and mutated sound files through nearend.")

  @OptionGroup var options: FuzzOptions

  /// Seconds that a file may take, on a busy machine and with a sanitizer.
  private static let patience = 60.0
  /// Bytes by which the process may grow after the first rounds.
  private static let memory = 512 << 20

  func run() throws {
    let (seconds, seed) = (options.seconds, options.seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-fuzz-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let originals = try SoundSample.all(in: folder)
    say("fuzz-files: \(seconds) s, seed \(seed), \(originals.count) kinds of files")
    var tally = Tally()
    let began = ContinuousClock.now
    var round: UInt64 = 0
    while ContinuousClock.now - began < .seconds(seconds) {
      var generator = SeededGenerator(seed: seed &+ round)
      // Each kind first whole, truncated and joined, then any of these or mutated.
      let cycle = round / UInt64(originals.count)
      let index = cycle < 3 ? Int(round % UInt64(originals.count)) : Int.random(in: originals.indices, using: &generator)
      let (sample, treatment) = (originals[index], Treatment(cycle, &generator))
      let (bytes, other) = treatment.bytes(of: sample, among: originals, &generator)
      // After a crash the file is left, and its name says which kind it is.
      let path = "\(folder)/round-\(round).\(sample.name)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let start = ContinuousClock.now
      let outcome = try Self.outcome(of: path, folder, processes: treatment != .mutated || round % 4 == 0)
      if let failure = tally.failure(outcome, sample, other, treatment) {
        let kept = FileManager.default.temporaryDirectory.appending(path: "fuzz-files-\(seed)-\(round).\(sample.name)").path
        try Data(bytes).write(to: URL(fileURLWithPath: kept))
        tally.failures.append("round \(round) (\(treatment), kept as \(kept)): \(failure)")
      }
      if ContinuousClock.now - start > .seconds(Self.patience) { tally.failures.append("round \(round) (\(sample.name)): takes too long") }
      try FileManager.default.removeItem(atPath: path)
      round += 1
      if round == 200 { tally.memory = residentBytes(ofProcess: getpid()) }
      if round > 200, round % 100 == 0, residentBytes(ofProcess: getpid()) > tally.memory + Self.memory {
        tally.failures.append("round \(round): \(residentBytes(ofProcess: getpid()) >> 20) MiB are in use")
      }
      guard tally.failures.count < 10 else { break }
    }
    say("fuzz-files: \(round) rounds, \(tally.taken) files taken, \(tally.refused) refused")
    guard tally.failures.isEmpty else {
      for failure in tally.failures { say("fuzz-files: FAILED: \(failure)") }
      throw ExitCode.failure
    }
    say("fuzz-files: nothing to complain of")
  }

  /// What is done to a file.
  private enum Treatment {
    case whole, truncated, joined, mutated

    init(_ cycle: UInt64, _ generator: inout SeededGenerator) {
      let all: [Treatment] = [.whole, .truncated, .joined]
      self = cycle < 3 ? all[Int(cycle)] : [.truncated, .joined, .mutated, .mutated].randomElement(using: &generator)!
    }

    /// The bytes, and the sample that was appended.
    func bytes(of sample: SoundSample, among all: [SoundSample], _ generator: inout SeededGenerator) -> ([UInt8], SoundSample?) {
      switch self {
      case .whole: return (sample.bytes, nil)
      case .truncated: return (Array(sample.bytes.prefix(Int.random(in: 1..<sample.bytes.count, using: &generator))), nil)
      case .mutated: return (sample.mutated(&generator), nil)
      case .joined:
        let other = all.filter { $0.container == sample.container && $0.channels == sample.channels }.randomElement(using: &generator)!
        return (sample.bytes + other.bytes, other)
      }
    }
  }

  private struct Tally {
    var (taken, refused) = (0, 0)
    var memory = 0
    var failures: [String] = []
    /// The frames of each kind's whole file, by name.
    var frames: [String: Int] = [:]

    /// Counts an outcome; returns what is wrong with it, or nil.
    mutating func failure(_ outcome: Outcome, _ sample: SoundSample, _ other: SoundSample?, _ treatment: Treatment) -> String? {
      let frames: Int, notes: [String]
      switch outcome {
      case .refused(let reason):
        refused += 1
        if reason.printableLines() != reason { return "the reason is not printable: \(reason.debugDescription)" }
        return treatment == .whole && sample.isTaken ? "refused as it is: \(reason)" : nil
      case .taken(let count, let remarks): (frames, notes) = (count, remarks)
      }
      taken += 1
      if frames == 0 { return "taken without a frame" }
      switch treatment {
      case .mutated: return nil
      case .whole:
        self.frames[sample.name] = frames
        return frames < SoundSample.frames ? "only \(frames) frames are used" : nil
      case .truncated:
        // What follows the samples may be missing.
        let isWhole = frames >= self.frames[sample.name] ?? 0
        return isWhole || notes.contains { $0.contains("does not tell its length") } ? nil : "\(frames) frames pass for the whole"
      case .joined:
        guard let other, sample.isTaken, other.isTaken else { return nil }
        let all = (self.frames[sample.name] ?? 0) + (self.frames[other.name] ?? 0)
        return frames == all ? nil : "\(frames) of \(all) frames are used"
      }
    }
  }

  private enum Outcome {
    case taken(frames: Int, notes: [String])
    case refused(String)
  }

  /// Plays the file to its end, and processes it as microphone and as far end.
  private static func outcome(of path: String, _ folder: String, processes: Bool) throws -> Outcome {
    do {
      let reader = try SoundReader(path: path)
      var count = 0
      // As much as a few KiB can hold of the most compressed kind.
      while let samples = try reader.read(), count < 100_000_000 { count += samples.count }
      let frames = count / reader.channelCount
      guard processes else { return .taken(frames: frames, notes: reader.notes) }
      let output = "\(folder)/out.wav"
      defer { try? FileManager.default.removeItem(atPath: output) }
      var options = OfflineOptions(microphone: path, farEnd: path, output: output)
      options.plot = "\(folder)/plot.png"
      let result = try OfflineProcessor(options).run()
      _ = ChartText(glyphs: .ascii).lines(of: Chart(result.metrics))
      _ = try JSONEncoder().encode(result.metrics)
      _ = try SoundReader(path: output).read()
      return .taken(frames: min(frames, result.metrics.description.microphone.frames), notes: result.notes)
    } catch let error as OfflineError {
      guard case .input = error else { throw error }
      return .refused("\(error)")
    }
  }
}
