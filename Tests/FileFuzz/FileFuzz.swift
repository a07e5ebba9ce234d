import ArgumentParser
import Border
import Foundation
import OfflineProcessing
import SessionModel
import SimulatedHardware

/// Passes mutated sound files of every container and sample type that libsndfile writes through `nearend process` and `nearend
/// play-into-mic`. Fails if a file is neither accepted nor refused with a reason, or takes too much time or memory; a crash ends the
/// program with a signal.
@main
struct FileFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz-files", abstract: "Mutated sound files through nearend; the same seed makes the same again.")

  @Option(help: "How long, in seconds.")
  var seconds = 600.0
  @Option(help: "Where the random numbers begin.")
  var seed = UInt64.random(in: 0..<1 << 32)

  /// Seconds that a file may take, on a busy machine and with a sanitizer.
  private static let patience = 60.0
  /// Bytes by which the process may grow after the first rounds.
  private static let memory = 512 << 20

  func run() throws {
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
      // Each kind first unchanged, then mutated.
      let isWhole = round < UInt64(originals.count)
      guard let sample = isWhole ? originals[Int(round)] : originals.randomElement(using: &generator) else { break }
      let bytes = isWhole ? sample.bytes : sample.mutated(&generator)
      // After a crash the file is left, and its name says which kind it is.
      let path = "\(folder)/round-\(round).\(sample.name)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let start = ContinuousClock.now
      tally.note(try Self.refusal(of: path, folder, processes: isWhole || round % 4 == 0), sample, isWhole: isWhole, round)
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

  private struct Tally {
    var (taken, refused) = (0, 0)
    var memory = 0
    var failures: [String] = []

    mutating func note(_ refusal: String?, _ sample: SoundSample, isWhole: Bool, _ round: UInt64) {
      guard let refusal else { return taken += 1 }
      refused += 1
      if isWhole, sample.isTaken { failures.append("round \(round) (\(sample.name)): refused as it is: \(refusal)") }
      if refusal.printableLines() != refusal {
        failures.append("round \(round) (\(sample.name)): the reason is not printable: \(refusal.debugDescription)")
      }
    }
  }

  /// Plays the file to its end, and processes it as microphone and as far end; returns why it was refused, or nil.
  private static func refusal(of path: String, _ folder: String, processes: Bool) throws -> String? {
    do {
      let reader = try SoundReader(path: path)
      var frames = 0
      // As much as a few KiB can hold of the most compressed kind.
      while let samples = try reader.read(), frames < 100_000_000 { frames += samples.count }
      guard processes else { return nil }
      let output = "\(folder)/out.wav"
      defer { try? FileManager.default.removeItem(atPath: output) }
      var options = OfflineOptions(microphone: path, farEnd: path, output: output)
      options.plot = "\(folder)/plot.png"
      let result = try OfflineProcessor(options).run()
      _ = ChartText(glyphs: .ascii).lines(of: Chart(result.metrics))
      _ = try JSONEncoder().encode(result.metrics)
      _ = try SoundReader(path: output).read()
      return nil
    } catch let error as OfflineError {
      return "\(error)"
    }
  }
}

/// Prints a line at once, so that it is there even if the next step crashes.
private func say(_ line: String) {
  print(line)
  fflush(nil)
}
