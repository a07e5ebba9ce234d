import Foundation
import SimulatedHardware
import Synchronization

/// Measures the cost of the dashboard beside the call that it shows (U4): of the thread that draws it, at ten pictures a second.
func measureDashboard(_ programs: Programs, seconds: Double) throws -> Table {
  var table = Table(
    title: "Dashboard",
    note: "The thread that draws, in a terminal of 120 × 40 that takes everything, in double talk with participants that are silent, over "
      + "\(number(seconds, 0)) s. U4: under 1 % of a core.",
    columns: ["participants", "of a core", "pictures per s", "bytes per s", "cycles missed"])
  let peer = Peer.nearend(programs)
  let talk = try Talk().double(seconds: seconds + 8)
  for participants in [1, 8, 100] {
    progress("dashboard: \(participants) participants, load average \(Machine.load)")
    let world = try PeerSession(clock: .timer, quantum: 256)
    let terminal = try DrainedTerminal(columns: 120, rows: 40)
    let sinks = (0..<participants).flatMap { ["--sink", "guest\($0)"] }
    try world.start(peer, ["--mic", "hw.mic", "--speaker", "hw.speaker"] + sinks, in: terminal)
    let probe = try world.call("call", through: peer, microphone: talk.microphone, far: talk.far, frames: talk.far.count)
    probe.start()
    Thread.sleep(forTimeInterval: 3)
    let pid = try world.pid(peer)
    let (begin, before, bytes) = (monotonicSeconds(), try Usage(pid: pid, thread: pid), terminal.bytes)
    Thread.sleep(forTimeInterval: seconds)
    let (span, after) = (monotonicSeconds() - begin, try Usage(pid: pid, thread: pid))
    let recording = try probe.finish(timeout: 30)
    table.rows.append([
      "\(participants)", "\(number((after.nanoseconds - before.nanoseconds) / 1e7 / span, 2)) %",
      number((after.voluntary - before.voluntary) / span), number(Double(terminal.bytes - bytes) / span, 0), "\(recording.jumps)",
    ])
  }
  return table
}

/// A terminal whose output is read as fast as it arrives.
final class DrainedTerminal: Sendable {
  /// The program's end.
  let near: Int32
  private let count = Mutex(0)

  init(columns: UInt16, rows: UInt16) throws {
    var ends: (far: Int32, near: Int32) = (-1, -1)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&ends.far, &ends.near, nil, nil, &size) == 0 else {
      throw BenchError("there is no pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    near = ends.near
    let far = ends.far
    Thread.detachNewThread { [self] in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
      while true {
        let got = read(far, buffer.baseAddress, buffer.count)
        guard got > 0 else { return }
        count.withLock { $0 += got }
      }
    }
  }

  /// Bytes read so far.
  var bytes: Int { count.withLock { $0 } }
}
