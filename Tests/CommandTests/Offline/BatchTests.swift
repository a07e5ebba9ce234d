import Foundation
import OfflineProcessing
import Testing

@testable import SimulatedHardware

@Suite("nearend process --batch", .serialized)
struct BatchTests {
  private let place: EmptyPlace
  private static let names = ["one", "two", "three", "four"]

  init() throws {
    place = try EmptyPlace()
    var generator = SeededGenerator(seed: 3)
    for name in Self.names { try write(name, seconds: 1, &generator) }
  }

  private func write(_ name: String, seconds: Double, _ generator: inout SeededGenerator) throws {
    let samples = (0..<Int(seconds * 48_000)).map { _ in Float(0.1 * generator.gaussian()) }
    try WaveFile(samples: samples, rate: 48_000).write(to: file("\(name).wav"))
  }

  private func file(_ name: String) -> String { "\(place.path)/\(name)" }
  private func manifest(_ text: String) throws { try text.write(toFile: file("cases.csv"), atomically: true, encoding: .utf8) }
  private func manifestOfAll() throws { try manifest("microphone\n" + Self.names.map { "\($0).wav\n" }.joined()) }
  private func arguments(_ more: String...) -> [String] { ["process", "--batch", file("cases.csv"), "--out", file("out")] + more }
  private func batch(_ more: String...) throws -> ToolResult { try place.nearend(arguments() + more) }
  private func outputs() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: file("out"))) ?? []).sorted() }
  private func table() throws -> [Substring] { try String(contentsOfFile: file("out/results.csv"), encoding: .utf8).split(separator: "\n") }

  @Test("O9: process --batch makes a voice and its measures for each row, and one table; a line for each as it is done")
  func all() throws {
    try manifest("microphone,reference,name,agc\none.wav,two.wav,,\nthree.wav,,last,off\n")
    let result = try batch("--jobs", "2")
    #expect(result.succeeded && result.output.isEmpty, "\(result)")
    #expect(outputs() == ["last.json", "last.wav", "one.json", "one.wav", "results.csv"])
    #expect(try table().map { $0.split(separator: ",").first } == ["name", "one", "last"])
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("nearend: 1 of 2: ") && lines[1].hasPrefix("nearend: 2 of 2: "), "\(result.errors)")
    #expect(lines[2].contains("out/results.csv: 2 of 2 cases are done: 2.0 s of audio in ") && lines[2].contains("× real time"))
    #expect(!result.errors.contains("\r"), "a progress bar where there is no terminal")
    // Each equals the output of `process` for that case alone.
    let alone = try place.nearend("process", "--mic", file("three.wav"), "--out", file("alone.wav"), "--no-agc")
    #expect(alone.succeeded, "\(alone)")
    #expect(try Data(contentsOf: URL(filePath: file("alone.wav"))) == Data(contentsOf: URL(filePath: file("out/last.wav"))))
  }

  @Test("O9: a bad file is named in the table and in the end, the rest is done, and the status is 66")
  func badFile() throws {
    try Data("RIFF, but no more".utf8).write(to: URL(filePath: file("two.wav")))
    try manifestOfAll()
    let result = try batch("--jobs", "2")
    #expect(result.exit == .status(66))
    #expect(result.errors.contains("cases.csv:3: two failed: \(file("two.wav")): "), "\(result.errors)")
    #expect(result.errors.hasSuffix("1 of 4 cases failed; the same command tries them again\n"))
    #expect(try table().count == 5)
    #expect(try table()[2].hasPrefix("two,two.wav,,failed,") && table()[3].hasPrefix("three,three.wav,,done,"))
    #expect(outputs().filter { $0.hasSuffix(".wav") } == ["four.wav", "one.wav", "three.wav"])
  }

  @Test("O1: measures that standard output cannot take are told, and the status is 73")
  func fullOutput() throws {
    let process = try ChildProcess(
      nearendProgram, ["process", "--mic", file("one.wav"), "--out", file("alone.wav"), "--metrics", "json"],
      environment: place.environment, group: place.group, output: .file("/dev/full"), errors: .file(file("errors")))
    #expect(process.wait() == .status(73))
    let told = try String(contentsOfFile: file("errors"), encoding: .utf8)
    #expect(told.contains("cannot write to standard output: No space left on device"), "\(told)")
  }

  @Test("O9: a batch that is killed leaves no half voice, and goes on where it was", arguments: [SIGKILL, SIGTERM])
  func killed(signal: Int32) throws {
    var generator = SeededGenerator(seed: 4)
    // The last case is long enough to be killed in.
    try write("long", seconds: 120, &generator)
    try manifest("microphone\none.wav\ntwo.wav\nlong.wav\n")
    let running = try place.start(nearendProgram, arguments("--jobs", "1"))
    let hasBegun = poll { outputs().contains("two.json") && outputs().contains { $0.hasPrefix(".long.wav.") } ? true : nil }
    #expect(hasBegun == true, "\(outputs())")
    running.process.signal(signal)
    let first = running.result()
    #expect(signal == SIGKILL || (first.exit == .status(1) && first.errors.contains("run the same command to resume")), "\(first)")
    #expect(outputs().filter { !$0.hasPrefix(".") } == ["one.json", "one.wav", "two.json", "two.wav"])
    func identity(_ name: String) throws -> UInt64? {
      try FileManager.default.attributesOfItem(atPath: file("out/\(name)"))[.systemFileNumber] as? UInt64
    }
    let before = try identity("one.wav")
    // Shorter, so that the resumed batch ends soon.
    try write("long", seconds: 2, &generator)
    let second = try batch("--jobs", "1")
    #expect(second.succeeded && second.errors.contains("3 of 3 cases are done, 2 of them before: 2.0 s of audio"), "\(second)")
    #expect(try identity("one.wav") == before)
    #expect(try table().count == 4)
  }

  @Test("O9: on a terminal a bar shows how many are done and the time left, and goes at the end")
  func bar() throws {
    var generator = SeededGenerator(seed: 5)
    // The remaining time is shown after half a second.
    try write("one", seconds: 120, &generator)
    try manifest("microphone\none.wav\n")
    let terminal = try Terminal(in: place, "process", "--batch", file("cases.csv"), "--out", file("out"), columns: 120)
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
    let bar = poll { terminal.transcript.firstMatch(of: /0 of 1 \[#+\.+\] \d+ %, \d:\d\d left/) == nil ? nil : true }
    #expect(bar == true, "\(terminal.transcript)")
    #expect(try !terminal.screen().contains("[#") && terminal.screen().contains("1 of 1 cases are done"))
  }

  @Test("O9: a bad manifest ends with 65 and names each line; a folder that is none with 73")
  func refusals() throws {
    try manifest("microphone,aec\none.wav,speex\ntwo.wav,\nthree.wav,no\ntwo.wav,\n")
    let result = try batch()
    #expect(result.exit == .status(65))
    #expect(result.errors.contains("cases.csv:2: column 'aec': 'speex' is not possible"), "\(result.errors)")
    #expect(result.errors.contains("cases.csv:5: column 'name': 'two' is the name of line 3, too"), "\(result.errors)")
    #expect(outputs().isEmpty)
    try manifestOfAll()
    try Data().write(to: URL(filePath: file("out")))
    let none = try batch()
    #expect(none.exit == .status(73) && none.errors.contains("out: it is not a folder"), "\(none)")
    #expect(try place.nearend("process", "--batch", "/nonexistent.csv", "--out", file("o")).exit == .status(65))
  }
}
