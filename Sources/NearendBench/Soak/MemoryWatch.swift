import Foundation
import SimulatedHardware

/// Whether this process's resident memory, its own and what it shares with the daemons but not the pages of programs, stays flat: of the samples taken while nobody is there, the first quarter warms up, and of the rest the median of
/// the last third is held against that of the first. The service's process is the soak's own, so whatever the soak keeps counts too.
struct MemoryWatch {
  private var readings: [(seconds: Double, mebibytes: Double)] = []

  /// Samples that a soak takes.
  static let samples = 24
  /// Growth between the two medians that is no leak, in MiB: single samples of a process that leaks nothing lie this far apart.
  static let tolerance = 1.5

  /// Takes a sample, `seconds` after the start. Memory that is free, but that the allocator keeps, is given back before.
  mutating func sample(at seconds: Double) {
    _ = Self.trim?(0)
    readings.append((seconds, Self.resident()))
  }

  private var warm: ArraySlice<(seconds: Double, mebibytes: Double)> { readings[(readings.count / 4)...] }
  private var early: ArraySlice<(seconds: Double, mebibytes: Double)> { warm.prefix(warm.count / 3) }
  private var late: ArraySlice<(seconds: Double, mebibytes: Double)> { warm.suffix(warm.count / 3) }

  private struct Growth {
    let before, after, minutes: Double
    var mebibytes: Double { after - before }
  }

  private var growth: Growth? {
    guard readings.count >= 12 else { return nil }
    let minutes = (median(late.map(\.seconds)) - median(early.map(\.seconds))) / 60
    return Growth(before: median(early.map(\.mebibytes)), after: median(late.map(\.mebibytes)), minutes: minutes)
  }

  /// What was measured, and how slow a leak would have gone unnoticed.
  var description: String {
    guard let growth else { return "memory was not measured: \(readings.count) samples are too few" }
    return
      "resident memory \(number(growth.before, 2)) MiB after warming up, \(number(growth.after, 2)) MiB \(number(growth.minutes)) min later (medians of "
      + "\(early.count) and \(late.count) samples): \(number(growth.mebibytes, 2)) MiB more, \(number(Self.tolerance)) MiB are allowed, so that a leak shows "
      + "from \(number(1_024 * Self.tolerance / growth.minutes, 0)) KiB a minute on"
  }

  var failure: String? {
    guard let growth else { return description }
    return growth.mebibytes <= Self.tolerance ? nil : "memory grew: \(description)"
  }

  /// Every sample in MiB, oldest first: whether it climbs or settles.
  var course: String { readings.map { number($0.mebibytes, 2) }.joined(separator: " ") }

  /// glibc's `malloc_trim`, which Swift's overlay leaves out; nil with another libc.
  private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }

  /// MiB that are resident, files apart.
  private static func resident() -> Double {
    let lines = text(ofFile: "/proc/self/status")?.split(separator: "\n") ?? []
    return lines.reduce(0) { sum, line in
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count > 1, ["RssAnon:", "RssShmem:"].contains(words[0]) else { return sum }
      return sum + (Double(words[1]) ?? 0) / 1_024
    }
  }
}
