/// The settings of a session. [any]
package struct SessionSettings: Codable, Sendable, Equatable {
  /// `useVoiceProcessingIO`: false keeps the same graph, leaves the voice unprocessed and adds nothing to its path (V1). Locked while media
  /// is registered (L6).
  package var usesVoiceProcessing = true
  /// Channels delivered to a source, 1 or 2, left and right where there is stereo (V16). Locked while media is registered (L6).
  package var captureChannelCount = 1
  /// Channels of the mix, 1 or 2. Locked while media is registered (L6).
  package var renderChannelCount = 2
  /// `manualAudioSessionManagement`: a call manager activates and deactivates the session (S1). Locked while media is registered (L6).
  package var isManual = false
  /// Whether real devices are linked; if not, that is left to the program (S5).
  package var isAutomaticConfigurationEnabled = true
  /// Whether the session is deactivated after the last media is unregistered (S5). No effect without automatic configuration.
  package var isAutomaticDeactivationEnabled = true
  /// Whether the session is in the chain of engine observers; if not, nearend does nothing automatically (S6).
  package var isHandled = true

  /// Whether nearend links the real devices itself.
  package var configuresDevices: Bool { isHandled && isAutomaticConfigurationEnabled }

  /// Whether the microphone is muted (D1).
  package var isMicrophoneMuted = false
  /// How a mute is carried out (D1); no effect while not muted.
  package var microphoneMuteMode = MicrophoneMuteMode.voiceProcessing
  /// Whether the capture path stays warm, with the microphone open and the voice silent, although nothing sends (S8).
  package var isRecordingAlwaysPrepared = false

  package init() {}

  /// Sets a setting to a value of its own kind. Returns false, and changes nothing, for one that the session does not hold.
  @discardableResult
  package mutating func set(_ setting: Setting, to value: EventValue) -> Bool {
    guard case .session(let place, _) = setting.home else { return false }
    place.write(&self, value)
    return true
  }
}

/// A setting that can be changed only while no media is registered (L6).
public enum InitOnlySetting: Sendable, Equatable {
  case useVoiceProcessingIO(Bool)
  /// Both directions; 1 or 2.
  case channelCount(Int)
  case captureChannelCount(Int)
  case renderChannelCount(Int)
  case manualAudioSessionManagement(Bool)

  /// The name that programs and people use.
  public var name: String {
    switch self {
    case .useVoiceProcessingIO: "useVoiceProcessingIO"
    case .channelCount: "channelCount"
    case .captureChannelCount: "captureChannelCount"
    case .renderChannelCount: "renderChannelCount"
    case .manualAudioSessionManagement: "manualAudioSessionManagement"
    }
  }
}
