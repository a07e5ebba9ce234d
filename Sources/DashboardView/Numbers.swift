import Glibc
import SessionModel

/// Formats numbers. Cheap, because they are formatted ten times a second.
enum Numbers {
  /// A level in dBFS: "-23.4", or "silent".
  static func level(_ level: Double) -> String { level > -119.5 ? decimal(level, 1) : "silent" }

  /// A level with its unit.
  static func dBFS(_ level: Double) -> String { level > -119.5 ? decimal(level, 1) + " dBFS" : "silent" }

  /// A difference in dB with its sign and unit.
  static func dB(_ value: Double, unit: String = " dB") -> String { decimal(value, 1, sign: true) + unit }

  /// A linear gain in dB.
  static func gain(_ gain: Double, unit: String = " dB") -> String { gain > 0 ? dB(20 * log10(gain), unit: unit) : "silent" }

  /// A share in whole percents.
  static func percent(_ share: Double) -> String { decimal(share * 100, 0) + "%" }

  /// A count of bytes in at most 5 characters, below 100 GB.
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<100_000: String(count)
    case ..<1_000_000: String(count / 1_000) + "k"
    case ..<1_000_000_000: decimal(Double(count) / 1e6, count < 100_000_000 ? 1 : 0) + "M"
    default: decimal(Double(count) / 1e9, 1) + "G"
    }
  }

  /// A count in at most 5 characters.
  static func count(_ count: UInt64) -> String {
    count < 100_000 ? String(count) : count < 10_000_000 ? String(count / 1_000) + "k" : String(count / 1_000_000) + "M"
  }

  /// A count in few characters, rounded down: "999", "1.2k", "118k", "2.3M"; without decimals "1k", "2M".
  static func short(_ count: UInt64, decimals: Int) -> String {
    guard count >= 1_000 else { return String(count) }
    let (unit, name) = count < 1_000_000 ? (UInt64(1_000), "k") : (1_000_000, "M")
    let isExact = decimals > 0 && count < 10 * unit
    return String(count / unit) + (isExact ? ".\(count % unit * 10 / unit)" : "") + name
  }

  /// Frames as time: "8.0 ms"; "-" while the rate is unknown.
  static func milliseconds(frames: Int, rate: Int) -> String {
    rate > 0 ? decimal(Double(frames) * 1_000 / Double(rate), 1) + " ms" : "- ms"
  }

  /// "45 s", "2 min 5 s", "3 h 12 min".
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "-" }
    let seconds = Int(min(max(seconds, 0), 1e9))
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
    default: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    }
  }

  /// Time of day, "14:03:59".
  static func clock(_ time: Double, utcOffset: Int) -> String {
    guard time.isFinite, abs(time) < 1e12 else { return "--:--:--" }
    let second = Int(time.rounded(.down)) + utcOffset
    let ofDay = (second % 86_400 + 86_400) % 86_400
    func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    return "\(twoDigits(ofDay / 3_600)):\(twoDigits(ofDay % 3_600 / 60)):\(twoDigits(ofDay % 60))"
  }
}
