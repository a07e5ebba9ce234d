import SessionModel
import Testing

@testable import SimulatedHardware

@Suite("A rehearsal's array of microphones", .serialized)
struct RehearsedArrayTests {
  @Test("O3 V15: an array of six is heard as one: the echo is gone, and the talker as loud as at the first")
  func sound() throws {
    // A second far end: on a busy machine, the first is over before there is enough of it to measure.
    let run = try RehearsalTests.Run(["--microphones", "6"], seconds: 34)
    #expect(run.exit == .status(0), "\(run.log)")
    let inputs = run.status.route.microphoneInputs
    #expect(inputs.map(\.use) == Array(repeating: .heard, count: 6), "\(inputs.words)")
    #expect(run.status.route.microphone?.name == "hw.array")
    let room = try #require(run.status.rehearsal)
    // Each lost cycle changes the room's echo path.
    #expect(try #require(room.erle) >= (run.status.graph.xruns == 0 ? 30 : 15))
    #expect(abs(try #require(room.nearEndLevel)) <= 3)
  }

  @Test("O3, U1, V15: a key lets a microphone die and live again, and the Routes page shows it")
  func key() throws {
    let terminal = try Terminal(in: try EmptyPlace(), "rehearse", "--microphones", "4")
    try terminal.expect("ACTIVE", "Rehearsal")
    try terminal.type("F3")
    try terminal.expect("Simulated Array of 4", "4 AUX3")
    try terminal.type("X")
    try terminal.expect("the second microphone dies", "silent")
    try terminal.type("X")
    try terminal.expect("the second microphone lives again")
    try terminal.type("?")
    try terminal.expect("array: the second microphone dies, and lives again")
    try terminal.type("?", "q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
  }

  @Test("O3: a number of microphones that no room has, and an array on a desk, end with 64 and what is possible")
  func refusals() throws {
    let place = try EmptyPlace()
    for number in ["3", "0", "-2", "8"] {
      let refused = try place.nearend("rehearse", "--microphones", number, "--headless")
      #expect(refused.exit == .status(64))
      #expect(refused.errors.contains("--microphones \(number): give 2, 4 or 6."), "\(refused.errors)")
    }
    let both = try place.nearend("rehearse", "--microphones", "2", "--desk", "--headless")
    #expect(both.exit == .status(64))
    #expect(both.errors.contains("--microphones and --desk exclude each other"))
  }
}
