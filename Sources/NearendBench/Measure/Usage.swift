import Foundation
import SimulatedHardware

/// The resources that all threads of a process have used so far.
struct Usage {
  /// Nanoseconds of processor time, from the scheduler's accounting: the clock ticks of `stat` are too coarse for callbacks of some
  /// microseconds.
  var nanoseconds = 0.0
  /// Context switches: voluntary ones to wait, and involuntary ones.
  var voluntary = 0.0
  var involuntary = 0.0

  /// Reads the usage of one thread, or of all.
  /// - Throws: an error if the process has ended.
  init(pid: Int32, thread: Int32? = nil) throws {
    let threads = try thread.map { ["\($0)"] } ?? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
    for thread in threads {
      let folder = "/proc/\(pid)/task/\(thread)"
      nanoseconds += Double(try String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8).split(separator: " ")[0]) ?? 0
      for line in try String(contentsOfFile: "\(folder)/status", encoding: .utf8).split(separator: "\n") {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words[0] == "voluntary_ctxt_switches:" { voluntary += Double(words[1]) ?? 0 }
        if words[0] == "nonvoluntary_ctxt_switches:" { involuntary += Double(words[1]) ?? 0 }
      }
    }
  }
}

/// Usage per second, which in real time is per second of audio.
struct Rate {
  /// Milliseconds of processor time.
  var milliseconds: Double
  var voluntary: Double
  var involuntary: Double
  var switches: Double { voluntary + involuntary }

  /// Measures a running process for `seconds`.
  init(pid: Int32, seconds: Double) throws {
    let (begin, before) = (monotonicSeconds(), try Usage(pid: pid))
    Thread.sleep(forTimeInterval: seconds)
    let (end, after) = (monotonicSeconds(), try Usage(pid: pid))
    let span = end - begin
    milliseconds = (after.nanoseconds - before.nanoseconds) / 1e6 / span
    voluntary = (after.voluntary - before.voluntary) / span
    involuntary = (after.involuntary - before.involuntary) / span
  }
}
