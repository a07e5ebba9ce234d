import Foundation

/// Whether this process's resident memory stays flat: the median of the last quarter of the samples against that of the second quarter. The first quarter
/// warms up. The service's process is the soak's own, so whatever the soak keeps counts too.
struct MemoryWatch {
  private var readings: [Double] = []

  /// Samples that a soak takes.
  static let samples = 20
  /// Growth that is no leak, as a share.
  static let tolerance = 0.02

  mutating func sample() { readings.append(Self.resident()) }

  private var early: [Double] { Array(readings[readings.count / 4..<readings.count / 2]) }
  private var late: [Double] { Array(readings[(readings.count * 3 / 4)...]) }

  var growth: Double? { readings.count < 8 ? nil : median(late) / median(early) - 1 }

  var description: String {
    guard let growth else { return "memory was not measured" }
    return
      "resident memory \(number(median(early), 2)) MiB after warming up, \(number(median(late), 2)) MiB at the end (\(number(100 * growth, 2)) %)"
  }

  var failure: String? {
    guard let growth else { return "memory was not measured" }
    return growth <= Self.tolerance ? nil : "memory grew: \(description)"
  }

  /// Every sample in MiB, oldest first: whether it climbs or settles.
  var course: String { readings.map { number($0) }.joined(separator: " ") }

  /// MiB that are resident.
  private static func resident() -> Double {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
    return Double(pages.flatMap { Int($0) } ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }
}
