import Border

/// How far other applications are lowered while a call is up (D3). [any]
public enum DuckingLevel: String, Codable, Sendable, CaseIterable {
  /// The least ducking: other applications stay as loud as possible.
  case min
  case `default`
  case mid
  /// The most ducking: speech is intelligible whatever else plays.
  case max

  /// The attenuation in dB.
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
package struct DuckingSettings: Codable, Sendable, Equatable {
  /// `duckingLevel`.
  package var level = DuckingLevel.min
  /// `isAdvancedDuckingEnabled`: a Boolean value indicating whether the full amount applies only while somebody speaks at either end, and a
  /// third of it in silence.
  package var isAdvanced = false

  /// Creates settings; the default is the least ducking, regardless of who speaks.
  package init(level: DuckingLevel = .min, isAdvanced: Bool = false) {
    self.level = level
    self.isAdvanced = isAdvanced
  }

  /// The gain of other applications while a call is up, in dB, 0 or less.
  package func gain(hasVoice: Bool) -> Double { isAdvanced && !hasVoice ? -level.decibels / 3 : -level.decibels }
}

/// The current state of ducking. [any]
package struct DuckingStatus: Codable, Sendable, Equatable {
  /// The settings, whether a call is up or not.
  package var settings: DuckingSettings
  /// Whether a call is up and voice processing is in use.
  package var isActive: Bool
  /// Whether somebody speaks or did a moment ago; updated only if ducking is advanced.
  package var hasVoice: Bool
  /// The gain that other streams have or are moving to, in dB.
  package var gain: Double
  /// Names of the streams that are lowered now.
  package var streams: [String]

  package init(
    settings: DuckingSettings = DuckingSettings(), isActive: Bool = false, hasVoice: Bool = false, gain: Double = 0, streams: [String] = []
  ) {
    self.settings = settings
    self.isActive = isActive
    self.hasVoice = hasVoice
    self.gain = gain
    self.streams = streams
  }

  /// A one-line summary for people.
  package var words: String {
    let kind = settings.isAdvanced ? "by voice activity" : "fixed"
    guard isActive else { return "\(settings.level.rawValue) (\(Int(settings.level.decibels)) dB), \(kind), no call" }
    let names = streams.isEmpty ? "nobody is lowered" : streams.joined(separator: ", ")
    return "\(settings.level.rawValue), \(kind), now \(Int(bounded: gain)) dB: \(names)"
  }
}
