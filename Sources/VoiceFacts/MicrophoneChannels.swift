/// Which channels of a microphone are heard: the value of the setting `microphoneChannels` (V15). [any]
package enum MicrophoneChannels: Sendable, Equatable {
  /// The mean of those that work: silent, weak, noisy, clipped and opposite ones are left out.
  case auto
  /// The mean of all.
  case mean
  /// As `auto`, but the first two of them apart, left and right, where the voice may have two channels (V16).
  case each
  /// The mean of these, from 1: ascending, each once, at least one.
  case only([Int])

  /// The number of channels that are told apart; a device's further ones are not used.
  package static let most = 32

  /// Parses "auto", "mean", "each", or numbers separated by commas, in any order; nil for anything else.
  package init?(_ text: String) {
    switch text.trimmingBlanks {
    case "auto": self = .auto
    case "mean": self = .mean
    case "each": self = .each
    default:
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0.trimmingBlanks) }
      let numbers = Set(parts.compactMap { $0 })
      guard !parts.isEmpty, parts.allSatisfy({ $0.map { (1...Self.most).contains($0) } == true }) else { return nil }
      self = .only(numbers.sorted())
    }
  }

  /// As `init(_:)` parses it.
  package var text: String {
    switch self {
    case .auto: "auto"
    case .mean: "mean"
    case .each: "each"
    case .only(let numbers): numbers.map(String.init).joined(separator: ",")
    }
  }

  /// What a value can be, for people.
  package static let possible = "auto, mean, each, or channels from 1 to \(most), separated by commas"
}

extension StringProtocol {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
