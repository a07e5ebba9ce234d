import Foundation
import SimulatedHardware

/// Checks that this process's memory stays flat. Of the samples taken while nobody is there, the first quarter warms up; of the rest, the
/// median of the last third is compared with that of the first. Growth counts in the process's own memory and what it shares with the
/// daemons; the pages of programs, which the system drops and reads again at will, are only part of the total that growth is relative to.
/// The service runs in the soak's process, so whatever the soak keeps counts, too.
struct MemoryWatch {
  private struct Reading {
    let seconds, own, all: Double
  }
  private var readings: [Reading] = []

  /// Number of samples of a soak.
  static let samples = 24
  /// Growth between the two medians that does not count as a leak, in percent of all resident memory.
  static let tolerance = 2.0
  /// The address sanitizer retains freed memory for a while, and reports leaks at the end.
  static let isSanitized = dlsym(nil, "__asan_init") != nil

  /// Takes a sample, `seconds` after the start. Free memory that the allocator keeps is returned first.
  mutating func sample(at seconds: Double) {
    _ = Self.trim?(0)
    let resident = Self.resident()
    readings.append(Reading(seconds: seconds, own: resident.own, all: resident.all))
  }

  private var warm: ArraySlice<Reading> { readings[(readings.count / 4)...] }
  private var early: ArraySlice<Reading> { warm.prefix(warm.count / 3) }
  private var late: ArraySlice<Reading> { warm.suffix(warm.count / 3) }

  private struct Growth {
    let before, after, all, minutes: Double
    var percent: Double { (after - before) / all * 100 }
  }

  private var growth: Growth? {
    guard readings.count >= 12 else { return nil }
    let minutes = (median(late.map(\.seconds)) - median(early.map(\.seconds))) / 60
    return Growth(before: median(early.map(\.own)), after: median(late.map(\.own)), all: median(early.map(\.all)), minutes: minutes)
  }

  /// The measurements, and how slow a leak would have gone unnoticed.
  var description: String {
    guard let growth else { return "memory was not measured: \(readings.count) samples are too few" }
    let unnoticed = 1_024 * growth.all * Self.tolerance / 100 / growth.minutes
    return
      "\(number(growth.before, 2)) MiB of its own, of \(number(growth.all)) MiB resident, after warming up, \(number(growth.after, 2)) MiB "
      + "\(number(growth.minutes)) min later (medians of \(early.count) and \(late.count) samples): \(number(growth.percent, 2)) % more"
      + (Self.isSanitized
        ? ", not judged under the address sanitizer"
        : ", \(number(Self.tolerance)) % are allowed, so that a leak shows from \(number(unnoticed, 0)) KiB a minute on")
  }

  var failure: String? {
    guard let growth else { return description }
    return growth.percent <= Self.tolerance || Self.isSanitized ? nil : "memory grew: \(description)"
  }

  /// Every sample in MiB, oldest first, to show whether it climbs or settles.
  var course: String { readings.map { number($0.own, 2) }.joined(separator: " ") }

  /// glibc's `malloc_trim`, which is missing from Swift's overlay; nil with another libc.
  private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }

  /// Resident MiB, without and with files.
  private static func resident() -> (own: Double, all: Double) {
    var figures: [Substring: Double] = [:]
    for line in text(ofFile: "/proc/self/status")?.split(separator: "\n") ?? [] {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1 { figures[words[0]] = (Double(words[1]) ?? 0) / 1_024 }
    }
    return (figures["RssAnon:", default: 0] + figures["RssShmem:", default: 0], figures["VmRSS:", default: 0])
  }
}
