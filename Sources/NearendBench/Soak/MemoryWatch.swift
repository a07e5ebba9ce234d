import Foundation

/// Whether this process's resident memory stays flat: the median of the last quarter of a soak against that of its second quarter. The first quarter
/// warms up; medians, because participants that are there at the moment take some memory of their own.
struct MemoryWatch {
  private var early: [Double] = []
  private var late: [Double] = []

  /// Growth that is no leak, as a share.
  static let tolerance = 0.02

  mutating func sample(at elapsed: Double, of seconds: Double) {
    let part = elapsed / seconds
    if (0.25..<0.5).contains(part) { early.append(Self.resident()) }
    if part >= 0.75 { late.append(Self.resident()) }
  }

  var growth: Double? { early.isEmpty || late.isEmpty ? nil : median(late) / median(early) - 1 }

  var description: String {
    guard let growth else { return "memory was not measured" }
    return
      "resident memory \(number(median(early), 2)) MiB after warming up, \(number(median(late), 2)) MiB at the end (\(number(100 * growth, 2)) %)"
  }

  var failure: String? {
    guard let growth else { return "memory was not measured" }
    return growth <= Self.tolerance ? nil : "memory grew: \(description)"
  }

  /// MiB that are resident.
  private static func resident() -> Double {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
    return Double(pages.flatMap { Int($0) } ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }
}
