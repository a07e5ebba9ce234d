/// What a person or a program can ask of a running nearend. [any]
public enum Command: Sendable, Equatable {
  case setBypass(Bool)
  case setComponent(ProcessingComponent, Bool)
  case setMicrophoneMuted(Bool)
  case setSinkMuted(id: String, Bool)
  /// Linear gain, 0–4.
  case setSinkGain(id: String, Double)
  /// Sets underruns, drops and xruns back to zero.
  case clearCounters
  /// Uses this device instead of the session manager's default; nil follows the default again.
  case pickDevice(Device.Direction, name: String?)
  /// Writes the diagnostics to a file and logs its path.
  case saveDiagnostics
}
