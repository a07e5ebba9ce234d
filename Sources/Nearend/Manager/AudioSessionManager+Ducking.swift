import SessionModel

/// Ducking of other applications (D3). [any]
extension AudioSessionManager {
  /// How far other applications' playback on the real speaker is lowered while a call is up and voice processing is in use: by 3 (`.min`),
  /// 9 (`.default`), 15 (`.mid`) or 24 dB (`.max`). Default `.min`. May change at any time, with a ramp. LiveKit: `duckingLevel`.
  public var duckingLevel: DuckingLevel {
    get { owner[.duckingLevel, default: .min] }
    set { owner[.duckingLevel, default: .min] = newValue }
  }

  /// True applies the full amount only while somebody speaks at either end, and a third of it in silence. Default false: the full amount
  /// during the whole call. LiveKit: `isAdvancedDuckingEnabled`.
  public var isAdvancedDuckingEnabled: Bool {
    get { owner[isOn: .isAdvancedDuckingEnabled] }
    set { owner[isOn: .isAdvancedDuckingEnabled] = newValue }
  }
}
