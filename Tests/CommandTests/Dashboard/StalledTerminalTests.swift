import Foundation
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

    deinit {
      close(near)
      close(far)
    }
  }

  @Test("U4: a terminal that accepts nothing delays only the display: cycles go on, and the control socket answers")
  func stalled() throws {
    let session = try plainSession()
    let terminal = try Silent()
    let errors = "\(session.path)/stalled.err"
    let nearend = try ChildProcess(
      nearendProgram, ["--sink", "alice"], environment: session.environment.merging(["TERM": "xterm-256color"]) { $1 },
      group: session.group, input: .descriptor(terminal.near), output: .descriptor(terminal.near), errors: .file(errors))
    defer { nearend.end() }
    let recorder = try session.spawn("pw-record", ["--target", "nearend.microphone", "/dev/null"])
    defer { recorder.end() }
    func status() throws -> Snapshot {
      try JSONDecoder().decode(Snapshot.self, from: Data(session.nearend("status", "--json").output.utf8))
    }
    try session.wait(for: "the microphone's link") {
      try session.links()[.init(from: "hw.mic:capture_MONO", to: "nearend:mic_MONO")] == "active"
    }
    try session.wait(for: "the first picture") { terminal.waiting > 1_000 }
    terminal.stall()
    let before = try status()
    try session.wait(for: "100 cycles") { try status().graph.cycles > before.graph.cycles + 100 }
    #expect(nearend.isRunning)
    #expect(try status().session.interruption == nil)
  }
}
