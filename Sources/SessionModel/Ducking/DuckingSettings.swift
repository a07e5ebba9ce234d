/// How far other applications are lowered while a call is up (D3). LiveKit: `AudioDuckingLevel`. [any]
public enum DuckingLevel: String, Codable, Sendable, CaseIterable {
  /// The least: others stay as loud as possible.
  case min
  case `default`
  case mid
  /// The most: what is said is understood, whatever else plays.
  case max

  /// By how many dB; the seed says none.
  public var decibels: Double {
    switch self {
    case .min: 3
    case .default: 9
    case .mid: 15
    case .max: 24
    }
  }
}

/// How other applications are ducked. [any]
public struct DuckingSettings: Codable, Sendable, Equatable {
  /// `duckingLevel`.
  public var level = DuckingLevel.min
  /// `isAdvancedDuckingEnabled`: all of it only while somebody speaks, on either side, and a third of it in silence.
  public var isAdvanced = false

  public init(level: DuckingLevel = .min, isAdvanced: Bool = false) {
    self.level = level
    self.isAdvanced = isAdvanced
  }

  /// Gain of other applications while a call is up, in dB, 0 or less.
  public func gain(hasVoice: Bool) -> Double { isAdvanced && !hasVoice ? -level.decibels / 3 : -level.decibels }
}

/// Ducking as it is now. [any]
public struct DuckingStatus: Codable, Sendable, Equatable {
  public var settings: DuckingSettings
  /// A call is up, and voice processing is in use.
  public var isActive: Bool
  /// Somebody speaks, or did a moment ago; looked at where ducking is advanced.
  public var hasVoice: Bool
  /// Gain that others' streams have, or are on their way to, in dB.
  public var gain: Double
  /// Names of the streams that are lowered now.
  public var streams: [String]

  public init(
    settings: DuckingSettings = DuckingSettings(), isActive: Bool = false, hasVoice: Bool = false, gain: Double = 0, streams: [String] = []
  ) {
    self.settings = settings
    self.isActive = isActive
    self.hasVoice = hasVoice
    self.gain = gain
    self.streams = streams
  }

  /// For people, in one line.
  public var words: String {
    let kind = settings.isAdvanced ? "by voice activity" : "fixed"
    guard isActive else { return "\(settings.level.rawValue) (\(Int(settings.level.decibels)) dB), \(kind), no call" }
    let names = streams.isEmpty ? "nobody is lowered" : streams.joined(separator: ", ")
    return "\(settings.level.rawValue), \(kind), now \(Int(gain)) dB: \(names)"
  }
}
