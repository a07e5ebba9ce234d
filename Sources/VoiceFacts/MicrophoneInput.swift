/// One channel of the microphone in use (V15). [any]
package struct MicrophoneInput: Codable, Sendable, Equatable {
  /// What becomes of a channel, and why.
  package enum Use: String, Codable, Sendable, CaseIterable, BitwiseCopyable {
    /// It is heard.
    case heard
    /// It holds nothing, while others do.
    case silent
    /// The voice in it is 12 dB below that in the best one, or less.
    case weak
    /// The voice in it stands out of the noise by 12 dB less than in the best one.
    case noisy
    /// It clips, while others do not.
    case clipped
    /// It is the inverse of the best one: together they would cancel each other.
    case opposite
    /// The setting leaves it out.
    case unchosen

    /// What it is, for people.
    package var words: String {
      switch self {
      case .heard: "heard"
      case .silent: "silent"
      case .weak: "weak"
      case .noisy: "noisy"
      case .clipped: "clipped"
      case .opposite: "in opposite phase"
      case .unchosen: "not chosen"
      }
    }
  }

  /// Its number at the device, from 1.
  package var channel: Int
  /// Its position, "FL" or "AUX3"; empty if the device does not tell.
  package var name: String
  /// Peak, linear, 1 is full scale; rises at once and falls by 20 dB/s.
  package var level: Double
  package var use: Use

  /// Its number, and its position where the device tells one: "3 AUX2".
  package var label: String { name.isEmpty ? "\(channel)" : "\(channel) \(name)" }

  package init(channel: Int, name: String = "", level: Double = 0, use: Use = .heard) {
    self.channel = channel
    self.name = name
    self.level = level
    self.use = use
  }
}

extension [MicrophoneInput] {
  /// Which are heard, and why others are not, for people: "2 of 4 heard: 1 FL, 2 FR; 3 silent, 4 weak".
  package var words: String {
    let heard = filter { $0.use == .heard }.map(\.label), others = filter { $0.use != .heard }.map { "\($0.label) \($0.use.words)" }
    let all = "\(heard.count) of \(count) heard: \(heard.joined(separator: ", "))"
    return others.isEmpty ? all : "\(all); \(others.joined(separator: ", "))"
  }
}
