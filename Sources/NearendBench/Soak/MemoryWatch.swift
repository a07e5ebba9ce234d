internal import CProfiler
import Foundation
import SimulatedHardware

/// Checks that this process's memory stays flat. Samples are taken while the soak has no guests; the first quarter is warm-up; of the rest,
/// the median of the last third is compared with that of the first. A leak is memory that `malloc` has allocated and that is never freed,
/// which may hardly grow. The process's own memory and what it shares with the daemons may grow more, because free memory between used
/// pieces settles slowly. The pages of programs, which the system drops and rereads at will, are only part of the total that growth is
/// relative to. The service runs in the soak's process, so whatever the soak keeps counts, too.
struct MemoryWatch {
  private struct Reading {
    let seconds, own, all, used: Double
  }
  private var readings: [Reading] = []

  /// Number of samples of a soak.
  static let samples = 24
  /// Allowed growth between the two medians, in percent of all resident memory: of what `malloc` has allocated, and of all.
  static let tolerance = 2.0
  static let ownTolerance = 8.0
  /// The address sanitizer retains freed memory for a while, and reports leaks at the end.
  static let isSanitized = dlsym(nil, "__asan_init") != nil

  /// Takes a sample, `seconds` after the start. Free memory that the allocator keeps is returned first.
  mutating func sample(at seconds: Double) {
    _ = Self.trim?(0)
    let resident = Self.resident()
    readings.append(Reading(seconds: seconds, own: resident.own, all: resident.all, used: Double(heap_in_use()) / 1_048_576))
  }

  private var warm: ArraySlice<Reading> { readings[(readings.count / 4)...] }
  private var early: ArraySlice<Reading> { warm.prefix(warm.count / 3) }
  private var late: ArraySlice<Reading> { warm.suffix(warm.count / 3) }

  private struct Growth {
    let before, after, all: Double
    var percent: Double { (after - before) / all * 100 }
    var words: String { "\(number(before, 2)) MiB, later \(number(after, 2)), \(number(percent, 2)) % more" }
  }

  private func growth(_ figure: (Reading) -> Double) -> Growth? {
    guard readings.count >= 12 else { return nil }
    return Growth(before: median(early.map(figure)), after: median(late.map(figure)), all: median(early.map(\.all)))
  }

  /// The measurements, and the slowest leak that would have been noticed.
  var description: String {
    guard let used = growth(\.used), let own = growth(\.own) else {
      return "memory was not measured: \(readings.count) samples are too few"
    }
    let minutes = (median(late.map(\.seconds)) - median(early.map(\.seconds))) / 60
    let unnoticed = 1_024 * used.all * Self.tolerance / 100 / minutes
    return
      "of \(number(used.all)) MiB resident after warming up, malloc had handed out \(used.words), and its own were \(own.words), "
      + "\(number(minutes)) min apart (medians of \(early.count) and \(late.count) samples)"
      + (Self.isSanitized
        ? ", not judged under the address sanitizer"
        : "; \(number(Self.tolerance)) and \(number(Self.ownTolerance)) % are allowed, so that a leak shows from "
          + "\(number(unnoticed, 0)) KiB a minute on")
  }

  var failure: String? {
    guard let used = growth(\.used), let own = growth(\.own) else { return description }
    let isFlat = used.percent <= Self.tolerance && own.percent <= Self.ownTolerance
    return isFlat || Self.isSanitized ? nil : "memory grew: \(description)"
  }

  /// Every sample in MiB, oldest first, to show whether it climbs or settles, and how much of it `malloc` has allocated: growth of that is
  /// retained memory, growth beyond it is free memory between used pieces.
  var course: String {
    func list(_ figure: (Reading) -> Double) -> String { readings.map { number(figure($0), 2) }.joined(separator: " ") }
    return "\(list(\.own)); handed out by malloc: \(list(\.used))"
  }

  /// Makes all threads allocate from one arena, before they start: each of glibc's sixteen keeps its own fragments, and one that first
  /// holds a capture path late would look like growth.
  static func useOneArena() {
    let arenas: Int32 = -8  // M_ARENA_MAX
    let set = dlsym(nil, "mallopt").map { unsafeBitCast($0, to: (@convention(c) (Int32, Int32) -> Int32).self) }
    _ = set?(arenas, 1)
  }

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
