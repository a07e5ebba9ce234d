/// How programs that choose no device come to use nearend (R2). [any]
public enum DefaultDeviceMode: String, Codable, Sendable, CaseIterable {
  /// They do not: a program has to choose *Nearend Speaker* and *Nearend Microphone*.
  case off
  /// nearend's devices are the system's defaults; the former ones are restored afterwards.
  case on
  /// nearend's devices are smart filters: the session manager (WirePlumber 0.5) puts them between such programs and the defaults, which
  /// stay as they are.
  case smart
  /// `smart` where the session manager understands it, otherwise `on`.
  case auto

  /// What `off` turns to where somebody only switches it on.
  package static let switchedOn = auto

  /// What setting it means, for the log.
  package var words: String {
    switch self {
    case .off: "programs have to choose nearend's devices; the session's former defaults are back"
    case .on: "nearend's devices are the session's defaults"
    case .smart: "nearend is a smart filter: programs that choose no device go through it"
    case .auto: "programs that choose no device use nearend"
    }
  }
}

/// How programs that choose no device come to use nearend now. [any]
package struct DefaultDeviceStatus: Codable, Sendable, Equatable {
  /// What is set.
  package var requested: DefaultDeviceMode
  /// What is in effect: never `auto`.
  package var effective: DefaultDeviceMode
  /// Why that is not what was asked for, and what happens instead; nil if it is.
  package var reason: String?
  /// Names of other programs' smart filters that are the target of what nearend would take: programs reach the device without nearend.
  package var bypasses: [String]

  package init(requested: DefaultDeviceMode = .off, effective: DefaultDeviceMode = .off, reason: String? = nil, bypasses: [String] = []) {
    self.requested = requested
    self.effective = effective
    self.reason = reason
    self.bypasses = bypasses
  }

  /// Whether programs that choose no device use nearend.
  package var isOn: Bool { effective != .off }
}
