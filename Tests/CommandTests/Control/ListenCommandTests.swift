import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// `nearend listen`, as a user runs it.
@Suite("Hearing oneself, by command", .serialized)
struct ListenCommandTests {
  @Test(
    "O1: of a nearend that runs: phases, then what was recorded; a second one and wrong lengths are refused; whoever asked and leaves ends it"
  )
  func running() throws {
    let session = try plainSession()
    let nearend = try session.start(nearendProgram, ["--headless"])
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    let heard = try session.nearend("listen", "--seconds", "1")
    #expect(heard.succeeded, "\(heard)")
    let order = ["talk now: recording", "1 of 2: the microphone as it is", "2 of 2: your voice as others hear it", "Your voice:", "Raw"]
    var rest = Substring(heard.output)
    for words in order {
      let place = try #require(rest.range(of: words), "\(words) is not in its place: \(heard.output)")
      rest = rest[place.upperBound...]
    }
    #expect(nearend.says("hear yourself: done; the recording is gone"))
    #expect(try session.nearend("listen", "--seconds", "0.5").exit == .status(64))
    #expect(try session.nearend("listen", "--seconds", "31").errors.contains("give 1 to 30"))
    #expect(try session.nearend("listen", "--mic", "hw.mic").exit == .status(64))

    let lines = try session.nearend("listen", "--seconds", "1", "--json").output.split(separator: "\n")
    let last = try JSONDecoder().decode(AuditionReport.self, from: Data(try #require(lines.last).utf8))
    #expect(last.status.phase == .done && last.picture.points.count == 5)

    let first = try session.start(nearendProgram, ["listen", "--seconds", "30"])
    #expect(nearend.says("hear yourself: 30 s"))
    let second = try session.nearend("listen")
    #expect(second.exit == .status(1) && second.errors.contains("somebody hears themselves already"), "\(second)")
    first.process.signal(SIGINT)
    #expect(nearend.says("hear yourself: ended early: who asked for it has gone"))
    let status = try session.nearend("status", "--json").output
    #expect(status.contains("\"phase\" : \"ended\""), "\(status)")
  }

  @Test("O1: in a terminal, what is shown is as wide as that")
  func width() throws {
    let session = try plainSession()
    let terminal = try Terminal(in: session, "listen", "--seconds", "1", columns: 50)
    try terminal.expectEnd()
    let rows = terminal.transcript.split { $0.isNewline }.filter { $0.contains("How others hear you") || $0.contains("Raw") }
    #expect(rows.count == 2 && rows.allSatisfy { $0.drop { "\u{1B}[K".contains($0) }.count <= 50 }, "\(rows)")
  }

  @Test("O1: without one, a nearend runs for as long as it takes, and says so; nothing is left")
  func alone() throws {
    let session = try plainSession()
    let heard = try session.nearend("listen", "--seconds", "1")
    #expect(heard.succeeded && heard.errors.contains("none runs here; one runs until you have heard yourself"), "\(heard)")
    #expect(heard.output.contains("Your voice:"))
    try session.wait(for: "nearend to be gone") { try !session.run("pw-dump", []).output.contains("nearend.microphone") }

    let stopped = try session.start(nearendProgram, ["listen", "--seconds", "30"])
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    stopped.process.signal(SIGINT)
    #expect(stopped.process.wait() == .status(1))
    #expect(stopped.errors.contains("ended early: it was stopped"), "\(stopped.errors)")

    let place = try EmptyPlace()
    let none = try place.nearend("listen")
    #expect(none.exit == .status(69), "\(none)")
    #expect(try place.nearend("listen", "--socket", "/nonexistent").exit == .status(69))
  }
}
