import Foundation
import Nearend
import SessionModel
import Testing

@testable import OfflineProcessing

@Suite("Batch")
struct BatchTests {
  private static let settings: [Setting: EventValue] = [
    .echoCanceller: .string("nearend"), .noiseSuppression: .bool(true), .voiceProcessingEnableAGC: .bool(true),
    .highPassFilter: .bool(true),
    .micMode: .string("standard"), .micVolume: .number(1), .bypassVoiceProcessing: .bool(false),
  ]

  private static func rows(_ text: String) throws -> [[String]] { try CSVText.rows(Array(text.utf8)).map(\.cells) }

  @Test("O9: CSV is read as RFC 4180 has it, and what is written is read as it was")
  func csv() throws {
    #expect(try Self.rows("a,b\nc,d\n") == [["a", "b"], ["c", "d"]])
    #expect(try Self.rows("\u{FEFF}a,b\r\n\r\n\"c,\"\"d\",\r\n\"e\nf\",g") == [["a", "b"], ["c,\"d", ""], ["e\nf", "g"]])
    #expect(try CSVText.rows(Array("a\n\"b\nc\"\nd\n".utf8)).map(\.line) == [1, 2, 4])
    let hard = ["", "a,b", "quo\"te", "two\r\nlines", "é 🎙", " blanks "]
    #expect(try Self.rows(CSVText.row(hard) + CSVText.row(["x"])) == [hard, ["x"]])
    for (bytes, line) in [
      (Array("a\n\"b".utf8), 2), (Array("a\nb\"c\n".utf8), 2), (Array("\"a\"b\n".utf8), 1), ([97, 10, 0xFF, 10], 2), ([97, 0], 1),
    ] {
      #expect { try CSVText.rows(bytes) } throws: { ($0 as? CSVText.Malformed)?.line == line }
    }
  }

  @Test("O9: a manifest's rows have their files beside it, a name of their own, and what an empty cell leaves to the command")
  func manifest() throws {
    let text = "microphone,reference,name,aec,agc,mic-mode,gain\na/mic.wav,far.wav,,webrtc,off,wideSpectrum,0.5\n/b/x.y.flac,,second,,,,\n"
    let cases = try BatchManifest(Array(text.utf8), path: "/data/cases.csv", settings: Self.settings).cases
    #expect(cases.map(\.name) == ["mic", "second"])
    #expect(cases.map(\.line) == [2, 3])
    #expect(cases.map(\.microphone) == ["/data/a/mic.wav", "/b/x.y.flac"])
    #expect(cases.map(\.reference) == ["/data/far.wav", nil])
    #expect(cases[0].settings[.echoCanceller] == .string("webrtc") && cases[0].settings[.voiceProcessingEnableAGC] == .bool(false))
    #expect(cases[0].settings[.micMode] == .string("wideSpectrum") && cases[0].settings[.micVolume] == .number(0.5))
    #expect(cases[0].settings[.noiseSuppression] == .bool(true))
    #expect(cases[1].settings == Self.settings)
    #expect(try BatchManifest(Array("microphone\na.wav\n".utf8), path: "c.csv", settings: [:]).cases[0].microphone == "a.wav")
  }

  @Test(
    "O9: a bad manifest names line and column, and what is possible",
    arguments: [
      ("", ["c.csv: it is empty; its first row names the columns: name, microphone, reference, aec"]),
      ("microphone\n", ["c.csv: it has no row"]),
      ("name,file\na,b\n", ["c.csv:1: column 'file': there is no such column; there are: name, microphone", "no column 'microphone'"]),
      ("microphone,aec,aec\na,,\n", ["c.csv:1: column 'aec': duplicate column"]),
      ("microphone,aec\na.wav,speex\n", ["c.csv:2: column 'aec': 'speex' is not possible: give", "webrtc"]),
      ("microphone,gain\na.wav,2\nb.wav,x\n", ["c.csv:2: column 'gain'", "c.csv:3: column 'gain': 'x'"]),
      ("microphone,ns\na.wav\n", ["c.csv:2: it has 1 cells, and 2 columns are named: microphone, ns"]),
      ("microphone\na/x.wav\n\nb/x.wav\n", ["c.csv:4: column 'name': 'x' is the name of line 2, too"]),
      ("microphone,name\na.wav,../b\n", ["c.csv:2: column 'name': '../b' cannot name a file: it begins with a dot"]),
      ("microphone,name\na.wav,b/c\n", ["it has a slash"]), ("microphone,name\n,b\n", ["c.csv:2: column 'microphone': it is empty"]),
      ("microphone\n\"a.wav\n", ["c.csv:2: a quote is never closed"]),
    ])
  func badManifest(text: String, words: [String]) throws {
    #expect {
      try BatchManifest(Array(text.utf8), path: "c.csv", settings: Self.settings)
    } throws: { error in
      let message = "\(error)"
      return error is BatchManifestError && words.allSatisfy(message.contains)
    }
  }

  /// A folder with a manifest of three rows and two microphone files, of which the second is missing.
  private func place() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.wave("a.wav", TestSignals.noise(frames: 48_000))
    try folder.wave("c.wav", TestSignals.noise(frames: 24_000))
    try "microphone,ns\na.wav,\nb.wav,\nc.wav,off\n".write(toFile: folder.file("cases.csv"), atomically: true, encoding: .utf8)
    return folder
  }

  private func run(_ folder: TestFolder, only: [String]? = nil, _ more: [Setting: EventValue] = [:]) throws -> Batch.Result {
    let manifest = try BatchManifest(path: folder.file("cases.csv"), settings: Self.settings.merging(more) { $1 })
    return try Batch(
      manifest, folder: folder.file("out"), prototype: OfflineOptions(microphone: "", output: ""), only: only, jobs: 2
    ).run()
  }

  private func states(_ result: Batch.Result) -> [String] {
    result.rows.map {
      switch $0.outcome {
      case .done(_, _, let before): before ? "before" : "done"
      case .failed: "failed"
      case .missing: "missing"
      }
    }
  }

  @Test("O9: a batch's voices are those of process, bit by bit; one bad file is in the table, and the rest is done")
  func voices() throws {
    let folder = try place()
    let result = try run(folder)
    #expect(states(result) == ["done", "failed", "done"])
    #expect(!result.wasInterrupted && result.processed == 1.5)
    var options = OfflineOptions(microphone: folder.file("c.wav"), output: folder.file("alone.wav"))
    options.settings = Self.settings.merging([.noiseSuppression: .bool(false)]) { $1 }
    let alone = try OfflineProcessor(options).run().metrics
    #expect(try Data(contentsOf: URL(filePath: folder.file("alone.wav"))) == Data(contentsOf: URL(filePath: folder.file("out/c.wav"))))

    let table = try Self.rows(String(contentsOfFile: folder.file("out/results.csv"), encoding: .utf8))
    #expect(table[0] == BatchTable.columns && table.allSatisfy { $0.count == table[0].count })
    let cells = table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(table[0], $0)) }
    #expect(cells.map { $0["name"] } == ["a", "b", "c"])
    #expect(cells.map { $0["state"] } == ["done", "failed", "done"])
    #expect(cells[1]["error"]?.contains("b.wav: No such file") == true && cells[1]["seconds"] == "")
    #expect(cells[2]["voiceLevel"] == "\(alone.totals.voiceLevel)" && cells[2]["ns"] == "false" && cells[0]["ns"] == "true")
    #expect(cells[0]["seconds"] == "1.0" && cells[0]["microphone"] == "a.wav")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted()
    #expect(left == ["a.json", "a.wav", "c.json", "c.wav", "results.csv"])
  }

  @Test("O9: a remark on a case's file is in the table, also of a case that was done before, by the name in the manifest")
  func remarks() throws {
    let folder = try place()
    try folder.wave("a.wav", TestSignals.noise(frames: 48_000).flatMap { [$0, -$0] }, channels: 2)
    for _ in 0..<2 {
      _ = try run(folder)
      let table = try Self.rows(String(contentsOfFile: folder.file("out/results.csv"), encoding: .utf8))
      #expect(table[0].last == "notes")
      #expect(table[1].last == "a.wav: channels left out at its end: 2 (in opposite phase)", "\(table[1])")
      #expect(table[3].last == "")
    }
  }

  @Test("O9: a batch that starts again does what is missing, cut short, of other inputs or settings, and no more")
  func resumes() throws {
    let folder = try place()
    _ = try run(folder)
    let table = try Data(contentsOf: URL(filePath: folder.file("out/results.csv")))
    try folder.wave("b.wav", TestSignals.noise(frames: 14_400))
    let second = try run(folder)
    #expect(states(second) == ["before", "done", "before"])
    #expect(second.processed == 0.3)
    #expect(try Data(contentsOf: URL(filePath: folder.file("out/results.csv"))) != table)
    #expect(states(try run(folder)) == ["before", "before", "before"])
    // A truncated voice, and a truncated record.
    try Data(count: 100).write(to: URL(filePath: folder.file("out/a.wav")))
    try Data("{".utf8).write(to: URL(filePath: folder.file("out/c.json")))
    #expect(states(try run(folder)) == ["done", "before", "done"])
    // A changed input, and changed settings.
    try folder.wave("a.wav", TestSignals.noise(frames: 33_600))
    #expect(states(try run(folder)) == ["done", "before", "before"])
    #expect(states(try run(folder, [.voiceProcessingEnableAGC: .bool(false)])) == ["done", "done", "done"])
  }

  @Test("O9: --only does one case, and leaves the table; a name that is none, and an input in a voice's place, are refused")
  func only() throws {
    let folder = try place()
    #expect(throws: OfflineError.options(reason: "\(folder.file("cases.csv")) has no case 'e'")) { try run(folder, only: ["e"]) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
    #expect(states(try run(folder, only: ["c"])) == ["done"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/results.csv")))
    #expect(throws: OfflineError.options(reason: "\(folder.file("cases.csv")) has no case 'd'")) { try run(folder, only: ["d"]) }
    // The voice of case "a" would be written to out/a.wav.
    try FileManager.default.moveItem(atPath: folder.file("a.wav"), toPath: folder.file("out/a.wav"))
    try "microphone,name\nout/a.wav,other\nc.wav,a\n".write(toFile: folder.file("cases.csv"), atomically: true, encoding: .utf8)
    #expect { try run(folder) } throws: { "\($0)".contains("out/a.wav: it is an input of the batch") }
    // The manifest is where the table would be written.
    try FileManager.default.removeItem(atPath: folder.file("cases.csv"))
    try "microphone,name\nc.wav,c\n".write(toFile: folder.file("out/results.csv"), atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: folder.file("cases.csv"), withDestinationPath: folder.file("out/results.csv"))
    #expect { try run(folder) } throws: { "\($0)".contains("results.csv: it is an input of the batch") }
  }

  @Test("O9: partial files of a killed run are removed, unless somebody may still be writing them")
  func leftovers() throws {
    let folder = try place()
    _ = try run(folder)
    for name in [".a.wav.abcdef", ".c.json.ABCDEF", ".other.wav.abcdef", ".a.wav.new123"] {
      try Data("RIFF".utf8).write(to: URL(filePath: folder.file("out/\(name)")))
      let age: Double = name.hasSuffix("new123") ? 0 : 3_600
      try FileManager.default.setAttributes([.modificationDate: Date() - age], ofItemAtPath: folder.file("out/\(name)"))
    }
    _ = try run(folder)
    let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).filter { $0.hasPrefix(".") }.sorted()
    #expect(hidden == [".a.wav.new123", ".other.wav.abcdef"])
  }
}
