import Foundation
import PipeWireClient
import Synchronization

/// What one listener hears, cycle by cycle, on CLOCK_MONOTONIC: a cycle's sound begins when it is delivered, whatever the graph's clock
/// says, so that late cycles are heard late.
///
/// `@unchecked Sendable`: one data thread writes an entry before it stores `count` (release), and others read after loading it (acquire);
/// an entry is reused only after minutes.
final class SoundTrack: @unchecked Sendable {
  /// The range from the first to the last sample of a cycle that is not silent; empty if all are.
  struct Entry {
    var begin, end: Double
    /// Sum of squares.
    var energy: Double
    var frames: Int
    /// When the cycle was delivered.
    var time: Double
    var isSounding: Bool { end > begin }
  }

  private static let capacity = 1 << 14
  /// Gaps up to this length do not end a run of sound: a listener has a buffer of a quantum.
  private static let patience = 0.03

  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
  private let count = Atomic<Int>(0)
  /// Anything below is silence.
  let threshold: Float

  init(threshold: Float) {
    self.threshold = threshold
    entries.initialize(repeating: Entry(begin: 0, end: 0, energy: 0, frames: 0, time: 0), count: Self.capacity)
  }

  deinit { entries.deallocate() }

  /// Takes what a port delivers in a cycle. [realtime]
  func add(_ samples: UnsafePointer<Float>, _ cycle: Cycle) {
    let now = Double(cycleNanoseconds()) * 1e-9
    var (first, last, energy) = (cycle.frames, -1, 0.0)
    for k in 0..<cycle.frames {
      energy += Double(samples[k] * samples[k])
      guard abs(samples[k]) > threshold else { continue }
      if first > k { first = k }
      last = k
    }
    let rate = Double(max(1, cycle.rate))
    let index = count.load(ordering: .relaxed)
    entries[index % Self.capacity] = Entry(
      begin: now + Double(first) / rate, end: last < 0 ? 0 : now + Double(last + 1) / rate, energy: energy, frames: cycle.frames, time: now)
    count.store(index + 1, ordering: .releasing)
  }

  /// Returns everything since `time`, oldest first. [any]
  func entries(since time: Double) -> [Entry] {
    var found: [Entry] = []
    let end = count.load(ordering: .acquiring)
    for index in stride(from: end - 1, through: max(0, end - Self.capacity / 2), by: -1) {
      let entry = entries[index % Self.capacity]
      if entry.time < time { break }
      found.append(entry)
    }
    return found.reversed()
  }

  /// The current run of sound, starting not before `time`; nil if there is none.
  func run(since time: Double) -> ClosedRange<Double>? {
    var run: ClosedRange<Double>?
    for entry in entries(since: time) where entry.isSounding {
      if let so = run, entry.begin - so.upperBound <= Self.patience {
        run = so.lowerBound...max(so.upperBound, entry.end)
      } else {
        run = entry.begin...entry.end
      }
    }
    return run
  }

  /// The longest gap between sounds since `time` in seconds; nil if there were fewer than two sounds.
  func longestBreak(since time: Double) -> Double? {
    var last: Double?
    var longest: Double?
    for entry in entries(since: time) where entry.isSounding {
      if let last { longest = max(longest ?? 0, entry.begin - last) }
      last = max(last ?? 0, entry.end)
    }
    return longest
  }

  /// Returns whether anything was heard between two times.
  func sounds(from begin: Double, to end: Double) -> Bool { entries(since: begin).contains { $0.isSounding && $0.begin < end } }

  /// Mean square from one time to another; nil if less than four fifths of it were heard.
  func power(from begin: Double, to end: Double) -> Double? {
    let heard = entries(since: begin).filter { $0.time < end }
    let frames = heard.reduce(0) { $0 + $1.frames }
    return Double(frames) / 48_000 < 0.8 * (end - begin) ? nil : heard.reduce(0) { $0 + $1.energy } / Double(max(1, frames))
  }
}
