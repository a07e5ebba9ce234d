import Foundation
import RealtimeCore
import Testing

@testable import OfflineProcessing

@Suite("Tuning files")
struct TuningFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func voice(_ tuning: Tuning) throws -> Data {
    let far = TestSignals.bursts(frames: 96_000)
    let microphone = far.indices.map { 0.5 * ($0 >= 960 ? far[$0 - 960] : 0) }
    var options = OfflineOptions(
      microphone: try folder.wave("mic.wav", microphone), farEnd: try folder.wave("far.wav", far), output: folder.file("out.wav"))
    options.sampleType = .float
    options.tuning = tuning
    _ = try OfflineProcessor(options).run()
    return try Data(contentsOf: URL(fileURLWithPath: folder.file("out.wav")))
  }

  private func tuning(_ text: String) throws -> Tuning {
    try text.write(toFile: folder.file("t.json"), atomically: true, encoding: .utf8)
    return try TuningFile.read(folder.file("t.json"))
  }

  @Test("S9: the standard, and a file of nothing, leave the voice as it is bit by bit; one value changes it")
  func voices() throws {
    let standard = try voice(.standard)
    #expect(try tuning(TuningFile.document) == .standard)
    #expect(try voice(tuning(TuningFile.document)) == standard)
    #expect(try voice(tuning("{}")) == standard)
    let changed = try tuning(#"{"suppressor": {"noiseFloor": 0.1}, "carefulFilter": {"smoothedBins": 3}}"#)
    #expect(changed != .standard)
    #expect(try voice(changed) != standard)
  }

  @Test(
    "S9: a bad file is refused with its name, what is wrong, and what is possible",
    arguments: [
      ("", ["it is not JSON"]), ("[1]", ["it is not an object of stages"]), ("1", ["it is not an object of stages"]),
      (#"{"gaintracker": {}}"#, ["'gaintracker' is no stage; there are: ", "carefulFilter, ", "gainTracker, "]),
      (#"{"gainTracker": {"lest": 1.3}}"#, ["'lest' is no constant of gainTracker; there are: ", "least, "]),
      (#"{"gainTracker": {"least": "1.3"}}"#, ["gainTracker.least: give a number, such as the standard 1.25"]),
      (#"{"gainTracker": {"least": true}}"#, ["gainTracker.least: give a number"]),
      (#"{"gainTracker": {"least": null}}"#, ["gainTracker.least: give a number"]),
      (#"{"gainTracker": {"least": {"a": 1}}}"#, ["gainTracker.least: give a number"]),
      (#"{"gainTracker": 1}"#, ["gainTracker: give an object of its constants"]),
      (#"{"gainTracker": {"least": 1e400}}"#, ["t.json"]),
      (#"{"gainTracker": {"least": 1e9}}"#, ["gainTracker.least: give 0.00125 to 1250.0, instead of 1.25; 1000000000.0 is absurd"]),
      (#"{"gainTracker": {"least": -1.25}}"#, ["gainTracker.least: give 0.00125"]),
      (#"{"suppressor": {"echoFloorTalking": 2}}"#, ["suppressor.echoFloorTalking: give -2120.0 to -0.00212"]),
      (#"{"pathChangeDetector": {"leastBands": 5.5}}"#, ["pathChangeDetector.leastBands: give a whole number"]),
      (#"{"pathSelector": {"better": 0.2}}"#, ["pathSelector.best is 0.2, and has to be below pathSelector.better, which is 0.2"]),
      (#"{"learnedGains": {"lowERLE": 15, "highERLE": 12}}"#, ["learnedGains.lowERLE is 15.0", "learnedGains.highERLE, which is 12.0"]),
      (#"{"kalmanFilter": {"mostOfPrior": 1.5}}"#, ["kalmanFilter.mostOfPrior is 1.5, and has to be below a whole prior, which is 1.0"]),
      (#"{"referenceLevel": {"leastGain": 6, "mostGain": 4}}"#, ["referenceLevel.leastGain is 6.0", "mostGain, which is 4.0"]),
      (#"{"pathPrior": {"most": 0.03}}"#, ["pathPrior.least is 0.03", "pathPrior.most, which is 0.03"]),
      (#"{"residualEcho": {"low": 8}}"#, ["residualEcho.low is 8.0", "residualEcho.high, which is 8.0"]),
    ])
  func refusals(text: String, words: [String]) throws {
    #expect {
      try tuning(text)
    } throws: { error in
      let message = "\(error)"
      return error is OfflineError && message.hasPrefix(folder.file("t.json")) && words.allSatisfy(message.contains)
    }
  }

  @Test("S9: a file that is not there is named")
  func missing() {
    #expect { try TuningFile.read("/nosuch/t.json") } throws: { "\($0)".contains("/nosuch/t.json") }
  }

  @Test("O9: a case is done again with another tuning")
  func batch() throws {
    try folder.wave("a.wav", TestSignals.noise(frames: 24_000))
    try "microphone\na.wav\n".write(toFile: folder.file("cases.csv"), atomically: true, encoding: .utf8)
    func isDoneBefore(_ tuning: Tuning) throws -> Bool {
      var prototype = OfflineOptions(microphone: "", output: "")
      prototype.tuning = tuning
      let manifest = try BatchManifest(path: folder.file("cases.csv"), settings: [:])
      let batch = try Batch(manifest, folder: folder.file("out"), prototype: prototype, jobs: 1)
      let rows = try batch.run().rows
      guard case .done(_, _, let before)? = rows.first?.outcome else {
        Issue.record("\(rows)")
        return false
      }
      return before
    }
    let changed = try tuning(#"{"suppressor": {"noiseFloor": 0.1}}"#)
    #expect(try !isDoneBefore(.standard))
    #expect(try isDoneBefore(.standard))
    #expect(try !isDoneBefore(changed))
    #expect(try isDoneBefore(changed))
  }
}
