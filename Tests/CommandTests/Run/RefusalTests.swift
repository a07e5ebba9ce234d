import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Refusals", .serialized)
struct RefusalTests {
  @Test("O1 U3: a terminal that cannot show the dashboard ends nearend with 78, and is left alone", arguments: Unfit.all)
  func unfitTerminal(_ unfit: Unfit) throws {
    let terminal = try Terminal(
      in: try EmptyPlace(), columns: unfit.columns, rows: unfit.rows, variables: ["TERM": unfit.term])
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 78)
    #expect(terminal.modesAreRestored)
    #expect(try !terminal.isOnAlternateScreen())
    // The terminal may break lines anywhere.
    let words = try terminal.screen().replacing("\n", with: "")
    #expect(words.contains(unfit.words), "\(words)")
    #expect(words.contains("--headless"), "\(words)")
  }

  struct Unfit: Sendable, CustomTestStringConvertible {
    var columns = 80
    var rows = 24
    var term = "screen"
    var words: String
    var testDescription: String { words }

    static let all = [
      Unfit(columns: 39, rows: 20, words: "39 columns and 20 rows"), Unfit(term: "dumb", words: "TERM=dumb cannot show a dashboard"),
      Unfit(term: "no-such-terminal", words: "TERM=no-such-terminal is not known"), Unfit(term: "", words: "TERM is not set"),
    ]
  }

  @Test("L5: nearend source writes no PCM over a terminal: 64, with what to do")
  func sourceInTerminal() throws {
    let terminal = try Terminal(in: try EmptyPlace(), "source")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 64)
    #expect(try terminal.screen().contains("Standard output is a terminal"))
  }

  @Test("O1: a requested device is not replaced by a rehearsal without a daemon: 69")
  func deviceWithoutDaemon() throws {
    let terminal = try Terminal(in: try EmptyPlace(), "--mic", "hw.mic")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 69)
    #expect(try terminal.screen().contains("no PipeWire daemon"))
  }

  @Test("O3: a rehearsal without the session manager installed ends with 69 and names the package; nothing is left")
  func noWireplumber() throws {
    let place = try EmptyPlace()
    let result = try place.nearend(["rehearse", "--headless", "--seconds", "5"], ["PATH": try programs(without: "wireplumber", in: place)])
    #expect(result.exit == .status(69))
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("'wireplumber' is not installed"), "\(result.errors)")
    #expect(result.errors.contains("apt install wireplumber"))
    expectNothingLeft(of: place)
  }

  @Test("O3: a rehearsal without a synthesiser, and no speech in the cache, ends with 69 and names the package; nothing is left")
  func noSynthesiser() throws {
    let place = try EmptyPlace()
    let result = try place.nearend(
      ["rehearse", "--headless", "--seconds", "5"],
      ["PATH": try programs(without: "espeak-ng", in: place), "XDG_CACHE_HOME": "\(place.path)/empty"])
    #expect(result.exit == .status(69))
    #expect(result.errors.contains("'espeak-ng' is not installed"), "\(result.errors)")
    #expect(result.errors.contains("apt install espeak-ng"))
    expectNothingLeft(of: place)
  }

  @Test("O3: a rehearsal without a synthesiser works where the speech is in the cache")
  func cachedSpeech() throws {
    for voice in [Voice.nearEnd] + Voice.farEnd { _ = try Speech(voice, rate: 48_000) }
    let place = try EmptyPlace()
    let running = try place.startNearend(
      "rehearse", "--headless", "--seconds", "9", "--json", variables: ["PATH": try programs(without: "espeak-ng", in: place)])
    #expect(running.result().exit == .status(0), "\(running.errors)")
    #expect(try running.status().rehearsal != nil, "the room does not run")
  }

  /// A folder with every program that a rehearsal uses except one.
  private func programs(without missing: String, in place: EmptyPlace) throws -> String {
    let folder = "\(place.path)/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = place.environment["PATH"] ?? ""
    let all = [
      "sh", "rm", "sleep", "setsid", "dbus-daemon", "pipewire", "wireplumber", "pipewire-pulse", "espeak-ng", "pw-link", "pw-metadata",
    ]
    for name in all where name != missing {
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: try Program.find(name, path: path))
    }
    return folder
  }

  private func expectNothingLeft(of place: EmptyPlace) {
    let isGone = poll { processes(in: place.path).isEmpty ? true : nil }
    #expect(isGone == true, "left: \(processes(in: place.path))")
  }
}
