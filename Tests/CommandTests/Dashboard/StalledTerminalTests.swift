import Foundation
import Platform
import SessionModel
import Testing

@testable import SimulatedHardware

/// A dashboard on a terminal whose output is not read.
@Suite("Dashboard, stalled", .serialized)
struct StalledTerminalTests {
  /// A pseudo-terminal that can be stopped, as by Ctrl-S: writers block.
  private final class Silent {
    let near: Int32
    private let far: Int32

    init() throws {
      var (far, near): (Int32, Int32) = (-1, -1)
      var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
      guard openpty(&far, &near, nil, nil, &size) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      (self.near, self.far) = (near, far)
    }

    /// Bytes waiting for a reader.
    var waiting: Int {
      var count: Int32 = 0
      _ = ioctl(far, UInt(FIONREAD), &count)
      return Int(count)
    }

    func stall() { tcflow(near, TCOOFF) }

    /// Lets it go on, and returns what is written until `isOver`.
    func readAll(until isOver: () -> Bool) -> String {
      tcflow(near, TCOON)
      var all: [UInt8] = [], block = [UInt8](repeating: 0, count: 4_096)
      _ = SimulatedHardware.poll(timeout: factTimeout) {
        let isOver = isOver()
        while waiting > 0 {
          let count = read(far, &block, block.count)
          all += block.prefix(max(0, count))
        }
        return isOver ? true : nil
      }
      return String(decoding: all, as: UTF8.self)
    }
    func press(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(far, $0.baseAddress, $0.count) } }

    /// As `stty -g` prints them, more or less.
    var modes: [tcflag_t] {
      var modes = termios()
      tcgetattr(near, &modes)
      return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
    }

    deinit {
      close(near)
      close(far)
    }
  }

  /// Starts nearend on the terminal, with somebody who records, and waits for its first picture.
  private func start(on terminal: Silent, in session: PrivateSession, _ arguments: [String] = []) throws -> (ChildProcess, ChildProcess) {
    let nearend = try ChildProcess(
      nearendProgram, arguments, environment: session.environment.merging(["TERM": "xterm-256color"]) { $1 },
      group: session.group, input: .descriptor(terminal.near), output: .descriptor(terminal.near),
      errors: .file("\(session.path)/stalled.err"))
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    try session.wait(for: "the microphone's link") {
      try session.links()[.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO")] == "active"
    }
    try session.wait(for: "the first picture") { terminal.waiting > 1_000 }
    return (nearend, recorder)
  }

  @Test("U4: a terminal that accepts nothing delays only the display: cycles go on, and the control socket answers")
  func stalled() throws {
    let session = try plainSession()
    let terminal = try Silent()
    let (nearend, recorder) = try start(on: terminal, in: session, ["--sink", "alice"])
    defer { for process in [nearend, recorder] { process.end() } }
    func status() throws -> Snapshot {
      try JSONDecoder().decode(Snapshot.self, from: Data(session.nearend("status", "--json").output.utf8))
    }
    terminal.stall()
    let before = try status()
    try session.wait(for: "100 cycles") { try status().graph.cycles > before.graph.cycles + 100 }
    #expect(nearend.isRunning)
    #expect(try status().session.interruption == nil)
  }

  @Test(
    "U4 X4: SIGTERM ends a dashboard within 2 s, with 0, its devices and the terminal's modes restored, though nothing of it is read",
    arguments: [false, true])
  func endsWhileStalled(isStopped: Bool) throws {
    let session = try plainSession()
    let terminal = try Silent()
    let modes = terminal.modes
    let (nearend, recorder) = try start(on: terminal, in: session)
    defer { for process in [nearend, recorder] { process.end() } }
    #expect(terminal.modes != modes)
    if isStopped { terminal.stall() }
    // Its main thread sleeps in the write of a picture, and looks at no signal.
    try waitUntilHung(nearend, terminal, in: session)
    let begin = monotonicSeconds()
    nearend.signal(SIGTERM)
    #expect(nearend.wait(timeout: 10) == .status(0))
    let seconds = monotonicSeconds() - begin
    print("U4: from SIGTERM to the end of a dashboard that hangs \(seconds) s")
    #expect(seconds < 2)
    #expect(terminal.modes == modes)
    #expect(try session.ports().allSatisfy { !$0.contains("nearend") })
  }

  @Test("U4: SIGTERM ends the dashboard of another nearend, too, though nothing of it is read; that nearend goes on")
  func attachedEndsWhileStalled() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    #expect(running.says("control socket"), "\(running.errors)")
    let terminal = try Silent()
    let (dashboard, recorder) = try start(on: terminal, in: session, ["attach"])
    defer { for process in [dashboard, recorder] { process.end() } }
    try waitUntilHung(dashboard, terminal, in: session)
    let begin = monotonicSeconds()
    dashboard.signal(SIGTERM)
    #expect(dashboard.wait(timeout: 10) == .status(0))
    #expect(monotonicSeconds() - begin < 2 && running.process.isRunning)
  }

  @Test("O1: a reader that takes its time, or a machine that is busy, gets the whole of the status that a rehearsal ends with")
  func lastStatus() throws {
    let place = try EmptyPlace()
    let terminal = try Silent()
    terminal.stall()
    let errors = "\(place.path)/rehearsal.err"
    let nearend = try ChildProcess(
      nearendProgram, ["rehearse", "--headless", "--json"], environment: place.environment, group: place.group,
      output: .descriptor(terminal.near), errors: .file(errors))
    defer { nearend.end() }
    func said() -> String { FileManager.default.contents(atPath: errors).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    #expect(poll { said().contains("control socket") ? true : nil } == true, "\(said())")
    nearend.signal(SIGTERM)
    // Longer than a dashboard has.
    #expect(nearend.wait(timeout: 1.5) == nil, "it waits for the reader")
    let output = terminal.readAll { !nearend.isRunning }
    #expect(nearend.wait() == .status(0), "\(said())")
    _ = try JSONDecoder().decode(Snapshot.self, from: Data(output.utf8))
  }

  /// Changes the pages until the process's first thread waits in `write`, as /proc tells.
  private func waitUntilHung(_ process: ChildProcess, _ terminal: Silent, in session: PrivateSession) throws {
    try session.wait(for: "the dashboard to hang") {
      terminal.press("\t")
      let path = "/proc/\(process.pid)/syscall"
      // The number of the system call, which depends on the processor, and its first argument: standard output.
      func isWriting() throws -> Bool { try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").dropFirst().first == "0x1" }
      guard try isWriting() else { return false }
      usleep(300_000)
      return try isWriting()
    }
  }
}
