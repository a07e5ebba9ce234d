internal import CProfiler
import Foundation
import SimulatedHardware

/// Counts cycles that were not finished in time, with the daemon's profiler. Besides nearend it measures a filter that only copies, and one
/// that also computes for as long as nearend: they show what the machine itself loses, and what it costs any filter with as much work.
func measureLoad(_ programs: Programs, quanta: [Int], seconds: Double) throws -> Table {
  var table = Table(
    title: "Unfinished cycles",
    note:
      "nearend in double talk, beside it a filter that only copies and one that copies and computes for as long as "
      + "nearend, on a clock that waits for nobody, over \(number(seconds, 0)) s; "
      + "counted by the daemon's profiler. A node was late where it had been triggered and had not finished when the next cycle began.",
    columns: [
      "quantum", "load", "cycles", "unfinished", "nearend late", "working filter late", "copying filter late", "other nodes late",
      "nearend busy µs", "working filter busy µs", "nearend longest µs", "of the cycle", "copying filter longest µs",
    ])
  let (nearend, copy) = (Peer.nearend(programs), Peer.copy(programs))
  let talk = try Talk().double(seconds: 2 * seconds + 16)
  for quantum in quanta {
    let world = try PeerSession(clock: .timer, quantum: quantum)
    for peer in [nearend, copy] { try world.start(peer) }
    try world.link(copy.voice, "hw.speaker:playback_FL")
    let probe = try world.call("call", through: nearend, microphone: talk.microphone, far: talk.far, frames: talk.far.count)
    let profiler = try Profiler(socket: world.session.socket, driver: "hw.clock")
    probe.start()
    Thread.sleep(forTimeInterval: 2)
    _ = profiler.drain()
    Thread.sleep(forTimeInterval: 3)
    let work = Peer.work(programs, microseconds: profiler.drain().busy["nearend"] ?? 0)
    try world.start(work)
    try world.link(work.voice, "hw.speaker:playback_FL")
    for isBurdened in [false, true] {
      progress("load: \(quantum), \(isBurdened ? "two busy loops" : "nothing else"), load average \(Machine.load)")
      let loops = isBurdened ? try world.burden() : []
      Thread.sleep(forTimeInterval: 1)
      _ = profiler.drain()
      Thread.sleep(forTimeInterval: seconds)
      let counts = profiler.drain()
      for loop in loops { loop.end() }
      for peer in [nearend, copy, work] { _ = try world.pid(peer) }
      guard counts.cycles > 0 else { throw BenchError("the profiler saw no cycle of hw.clock") }
      let named: Set = ["nearend", "copy", "work"]
      let others = counts.late.filter { !named.contains($0.key) && $0.value > 0 }.sorted { $0.key < $1.key }
      table.rows.append([
        "\(quantum)", isBurdened ? "two busy loops" : "nothing else", "\(counts.cycles)", "\(counts.unfinished)",
        "\(counts.late["nearend"] ?? 0)", "\(counts.late["work"] ?? 0)", "\(counts.late["copy"] ?? 0)",
        others.isEmpty ? "–" : others.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
        number(counts.busy["nearend"] ?? 0, 0), number(counts.busy["work"] ?? 0, 0), number(counts.longest["nearend"] ?? 0, 0),
        "\(number((counts.longest["nearend"] ?? 0) / (Double(quantum) / Double(Talk.rate) * 1e6) * 100, 0)) %",
        number(counts.longest["copy"] ?? 0, 0),
      ])
    }
    _ = try probe.finish(timeout: 30)
  }
  return table
}

/// A client of the daemon's profiler.
final class Profiler {
  struct Counts {
    var cycles = 0
    var unfinished = 0
    /// Cycles in which a node was late, by its name.
    var late: [String: Int] = [:]
    /// Mean run time of a node per cycle, in µs.
    var busy: [String: Double] = [:]
    /// Longest run time of a node in a cycle, in µs, including interruptions by other programs.
    var longest: [String: Double] = [:]
  }
  private let profiler: OpaquePointer

  init(socket: String, driver: String) throws {
    guard let profiler = profiler_start(socket, driver) else {
      throw BenchError("the daemon's profiler cannot be reached: \(String(cString: strerror(errno)))")
    }
    self.profiler = profiler
  }

  deinit { profiler_stop(profiler) }

  /// Returns the counts since the last call.
  func drain() -> Counts {
    var raw = profiler_counts()
    profiler_take(profiler, &raw)
    var counts = Counts(cycles: Int(raw.cycles), unfinished: Int(raw.unfinished))
    withUnsafeBytes(of: &raw.nodes) { bytes in
      let stride = bytes.count / Int(PROFILER_NODES)
      for node in 0..<Int(raw.node_count) {
        let node = bytes.load(fromByteOffset: node * stride, as: profiler_node.self)
        let name = withUnsafeBytes(of: node.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        counts.late[name] = Int(node.late)
        counts.busy[name] = node.finished > 0 ? Double(node.busy) / Double(node.finished) / 1000 : 0
        counts.longest[name] = Double(node.longest) / 1000
      }
    }
    return counts
  }
}
