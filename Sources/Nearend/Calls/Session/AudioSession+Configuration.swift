import SessionModel

/// Configuration, before the first call. [any]
extension AudioSession {
  /// The configuration of future sessions.
  public var configuration: AudioSessionConfiguration { owner.configuration }

  /// Changes the configuration.
  /// - Parameter change: modifies the configuration.
  /// - Throws: `SessionRefusal.locked` while a session exists; nothing has changed then.
  public func configure(_ change: (inout AudioSessionConfiguration) -> Void) throws(SessionRefusal) {
    var configuration = owner.configuration
    change(&configuration)
    guard owner.configure(configuration) else { throw .locked(setting: "configuration") }
  }

  /// Changes a setting that is locked during a session: voice processing, channels, a call manager's activation.
  /// - Parameter setting: the setting with its new value.
  /// - Throws: `SessionRefusal.locked` while a call exists, `.impossible` for an impossible value; nothing has changed then.
  public func set(_ setting: InitOnlySetting) throws(SessionRefusal) {
    if let refusal = owner.set(setting) { throw refusal }
  }
}
