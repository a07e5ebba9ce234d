import SessionModel

/// The session's own part in the chain of engine observers, with the switches for what it does automatically (S5, S6). [any]
///
/// In the chain it configures the session (nearend links the real devices), activates it with the first media and deactivates it after the
/// last. Outside the chain none of that happens automatically, as with `isAutomaticConfigurationEnabled` false.
public struct SessionHandling: AudioEngineObserver {
  let owner: SessionOwner

  /// As ``AudioSessionManager/isAutomaticConfigurationEnabled``.
  public var isAutomaticConfigurationEnabled: Bool {
    get { owner.isAutomaticConfigurationEnabled }
    nonmutating set { owner.isAutomaticConfigurationEnabled = newValue }
  }

  /// As ``AudioSessionManager/isAutomaticDeactivationEnabled``.
  public var isAutomaticDeactivationEnabled: Bool {
    get { owner.isAutomaticDeactivationEnabled }
    nonmutating set { owner.isAutomaticDeactivationEnabled = newValue }
  }
}

extension AudioSessionManager {
  /// What the session does automatically.
  public var audioSession: SessionHandling { SessionHandling(owner: owner) }

  /// Sets the observers of the engine's life, in this order (S6). By default `[audioSession, mixer]`. Each session begins with the current
  /// chain: configure it once, early; while a session exists a change is ignored and logs a warning.
  ///
  /// A chain without `audioSession`, such as an empty one, leaves configuration, activation and deactivation to the program. One without
  /// `mixer` disables application audio (``MicrophoneMixer``).
  public func set(engineObservers: [any AudioEngineObserver]) {
    let isSet = owner.set(
      engineObservers.filter { !($0 is SessionHandling || $0 is MicrophoneMixer) },
      handlesSession: engineObservers.contains { $0 is SessionHandling }, mixesAppAudio: engineObservers.contains { $0 is MicrophoneMixer })
    guard !isSet else { return }
    owner.log.add(.warning, "engine observers have no effect while a session exists; set them before the first registration")
  }
}
