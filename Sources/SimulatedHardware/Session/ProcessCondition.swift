import Foundation
internal import Glibc

/// Returns the bytes of memory that a process holds; 0 if it has ended. [any]
package func residentBytes(ofProcess process: Int32) -> Int {
  let pages = text(ofFile: "/proc/\(process)/statm")?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * sysconf(Int32(_SC_PAGESIZE))
}

/// Describes what each thread of a process is doing, for the message about one that is stuck: its state (R running, S sleeping, D sleeping
/// uninterruptibly, T stopped), where in the kernel it waits, and its milliseconds of processor time, of waiting for a processor and of
/// life. [any]
func condition(ofProcess process: Int32) -> String {
  let folder = "/proc/\(process)/task"
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  guard !threads.isEmpty else { return "gone" }
  return threads.compactMap { Int($0) }.sorted().map { thread in
    func said(_ file: String) -> String {
      text(ofFile: "\(folder)/\(thread)/\(file)")?.split(separator: "\n").first.map(String.init) ?? "?"
    }
    // The fields after the name, which may contain anything: the state, and 19 fields later, the start in ticks of 1/100 s since the
    // machine's start.
    let fields = said("stat").split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
    let state = fields.first ?? "?"
    let uptime = Double(text(ofFile: "/proc/uptime")?.split(separator: " ").first ?? "") ?? 0
    let life = fields.count > 19 ? Double(fields[19]).map { "\(Int(uptime * 1_000 - $0 * 10))" } ?? "?" : "?"
    let times = said("schedstat").split(separator: " ").prefix(2).map { (Int($0) ?? 0) / 1_000_000 }
    let (used, queued) = times.count == 2 ? ("\(times[0])", "\(times[1])") : ("?", "?")
    return "\(said("comm")) \(state) in \(said("wchan")), ran \(used) ms, queued \(queued) ms, of \(life) ms"
  }.joined(separator: "; ")
}
