import Platform
import Synchronization

/// Measures the process's use of processor time between two readings. [any]
final class ProcessorUse: Sendable {
  private struct Reading {
    var wall: Double
    var cpu: Double
    var percent: Double
  }
  private let last: Mutex<Reading>
  /// Seconds below which the previous result is repeated: shorter spans say nothing.
  private static let shortest = 0.5

  init() { last = Mutex(Reading(wall: monotonicSeconds(), cpu: processorSeconds(), percent: 0)) }

  /// The use since the last reading at least half a second ago, in percent of one processor.
  func percent() -> Double {
    last.withLock { last in
      let (wall, cpu) = (monotonicSeconds(), processorSeconds())
      guard wall - last.wall >= Self.shortest else { return last.percent }
      last = Reading(wall: wall, cpu: cpu, percent: 100 * (cpu - last.cpu) / (wall - last.wall))
      return last.percent
    }
  }
}
