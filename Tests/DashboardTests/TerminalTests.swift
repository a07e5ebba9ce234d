import Foundation
import Testing

@Suite struct TerminalTests {
  private static let enterScreen = "\u{1b}[?1049h"
  private static let leaveScreen = "\u{1b}[?1049l"
  private static let showCursor = "\u{1b}[?12l\u{1b}[?25h"

  private func expectRestored(_ terminal: PseudoTerminal) {
    #expect(terminal.modes == terminal.modesBefore)
    #expect(terminal.text.contains(Self.leaveScreen))
    #expect(terminal.text.contains(Self.showCursor))
    #expect(!terminal.text.components(separatedBy: Self.leaveScreen)[1...].joined().contains(Self.enterScreen))
  }

  private func started(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(arguments, environment: environment)
    try terminal.expect(Self.enterScreen)
    try terminal.expect("Participants")
    try terminal.expect("help")
    #expect(terminal.modes != terminal.modesBefore)
    return terminal
  }

  @Test("U3: q gives the terminal back")
  func quit() throws {
    let terminal = try started()
    terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitCode == 0)
    expectRestored(terminal)
  }

  @Test("U3: SIGTERM and Ctrl-C, by stop() from another thread, give the terminal back", arguments: [true, false])
  func stop(bySignal: Bool) throws {
    let terminal = try started()
    if bySignal { terminal.send(SIGTERM) } else { terminal.type("\u{3}") }
    try terminal.expectEnd()
    #expect(terminal.exitCode == 0)
    expectRestored(terminal)
  }

  @Test(
    "U3: a crash gives the terminal back, and is still that crash",
    arguments: [
      ("trap", [SIGILL, SIGTRAP]), ("abort", [SIGABRT]), ("fault", [SIGSEGV]), ("overflow", [SIGSEGV]), ("thread", [SIGILL, SIGTRAP]),
    ])
  func crash(kind: String, signals: [Int32]) throws {
    let terminal = try started(environment: ["NEAREND_DEMO_CRASH": kind])
    terminal.type("D")
    try terminal.expectEnd()
    let signal = try #require(terminal.deadlySignal)
    #expect(signals.contains(signal))
    expectRestored(terminal)
  }

  @Test("U3: a signal that nobody handles gives the terminal back", arguments: [SIGHUP, SIGQUIT, SIGFPE, SIGBUS])
  func unhandledSignal(signal: Int32) throws {
    let terminal = try started()
    terminal.send(signal)
    try terminal.expectEnd()
    #expect(terminal.deadlySignal == signal)
    expectRestored(terminal)
  }

  @Test("U3: exit() in the middle gives the terminal back")
  func exitInTheMiddle() throws {
    let terminal = try started(environment: ["NEAREND_DEMO_CRASH": "exit"])
    terminal.type("D")
    try terminal.expectEnd()
    #expect(terminal.exitCode == 3)
    expectRestored(terminal)
  }

  @Test("U3: stopped and continued, everything is drawn again")
  func stopAndContinue() throws {
    let terminal = try started(["--still"])
    terminal.send(SIGSTOP)
    try terminal.expectStop()
    terminal.send(SIGCONT)
    try terminal.expect("Participants")
    terminal.type("q")
    try terminal.expectEnd()
    expectRestored(terminal)
  }

  @Test("U3: Ctrl-Z does not stop the process that carries everybody's sound, and says so")
  func suspended() throws {
    let terminal = try started(["--still", "--carries-sound"])
    terminal.type("\u{1A}")
    try terminal.expect("Ctrl-Z would stop everybody's sound")
    terminal.type("q")
    try terminal.expectEnd()
    expectRestored(terminal)
  }

  @Test("U3 U6: resized below 80x24 it shows what a call needs, below 40x10 that it is too small, and all when it is large again")
  func resize() throws {
    let terminal = try started(["--still"])
    terminal.resize(columns: 60, rows: 15)
    try terminal.expect("Heard by")
    terminal.resize(columns: 39, rows: 9)
    try terminal.expect("needs 40x10")
    terminal.resize(columns: 120, rows: 40)
    try terminal.expect("Participants")
    terminal.type("q")
    try terminal.expectEnd()
    expectRestored(terminal)
  }

  @Test("U2: keys reach the call and the pages; escape sequences are keys")
  func keys() throws {
    let terminal = try started(["--still"])
    terminal.type(" ")
    try terminal.expect("MICROPHONE MUTED")
    terminal.type("\u{1b}OR")  // F3
    try terminal.expect("Microphones")
    terminal.type("\u{1b}[Z")  // Shift-Tab
    try terminal.expect("1 of 3: alice")
    terminal.type("\u{1b}OB")  // down
    try terminal.expect("48000, resampled")
    terminal.type("?")
    try terminal.expect("this help")
    terminal.type("\u{1b}")
    try terminal.expect("48000, resampled")
    terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitCode == 0)
  }

  @Test("U3: NO_COLOR sends no colour, and without it there are some", arguments: [true, false])
  func noColor(isSet: Bool) throws {
    let terminal = try PseudoTerminal(environment: isSet ? ["NO_COLOR": "1"] : [:])
    terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.text.contains("ACTIVE"))
    let sequences = terminal.text.components(separatedBy: "\u{1b}[").dropFirst().map { $0.prefix { $0.isNumber || $0 == ";" || $0 == "m" } }
    let colors = sequences.filter { sequence in
      sequence.hasSuffix("m")
        && sequence.dropLast().split(separator: ";").contains { (30...37).contains(Int($0) ?? 0) || (40...47).contains(Int($0) ?? 0) }
    }
    #expect(colors.isEmpty == isSet)
  }

  @Test("U3: a locale that is not UTF-8 gets ASCII, whatever is asked for")
  func asciiLocale() throws {
    let terminal = try PseudoTerminal(["--glyphs", "unicode"], environment: ["LC_ALL": "C"])
    terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.text.contains("ACTIVE"))
    #expect(terminal.output.allSatisfy { $0 < 0x80 })
  }

  @Test("U3: an unsuitable terminal is refused by name and left untouched")
  func refuses() throws {
    for (columns, rows, variables, words) in [
      (39, 9, [:], "39 columns and 9 rows"),
      (80, 24, ["TERM": "no-such-terminal"], "TERM=no-such-terminal is not known"),
      (80, 24, ["TERM": ""], "TERM is not set"),
      (80, 24, ["TERM": "dumb"], "TERM=dumb cannot show a dashboard"),
    ] as [(UInt16, UInt16, [String: String], String)] {
      let terminal = try PseudoTerminal(columns: columns, rows: rows, environment: variables)
      try terminal.expectEnd()
      #expect(terminal.exitCode == 1)
      #expect(terminal.text.contains(words))
      #expect(!terminal.text.contains(Self.enterScreen))
      #expect(terminal.modes == terminal.modesBefore)
    }
  }

  @Test("U3: without a terminal the error names the stream")
  func notATerminal() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: PseudoTerminal.demo)
    process.standardInput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(text.contains("standard input is not a terminal"))
  }
}
