/// How a session is run. [any]
public struct SessionSettings: Codable, Sendable, Equatable {
  /// `useVoiceProcessingIO`: false gives the same graph with nothing done to the voice and nothing added to its path (V1). Locked while media is registered (L6).
  public var usesVoiceProcessing = true
  /// Channels of what a source is given, 1 or 2; the voice itself is mono. Locked while media is registered (L6).
  public var captureChannelCount = 1
  /// Channels of the mix, 1 or 2. Locked while media is registered (L6).
  public var renderChannelCount = 2
  /// `manualAudioSessionManagement`: a call manager activates and deactivates the session (S1). Locked while media is registered (L6).
  public var isManual = false
  /// False: nearend links no real device by itself; who wires the graph does (S5).
  public var isAutomaticConfigurationEnabled = true
  /// False: the session stays active after the last media has left (S5). Without automatic configuration it has no effect.
  public var isAutomaticDeactivationEnabled = true
  /// False: the session is out of the chain of engine observers, and does nothing by itself (S6).
  public var isHandled = true

  /// Whether nearend links the real devices by itself.
  public var configuresDevices: Bool { isHandled && isAutomaticConfigurationEnabled }

  /// The person at the microphone is not heard (D1).
  public var isMicrophoneMuted = false
  public var microphoneMuteMode = MicrophoneMuteMode.voiceProcessing
  /// The capture path is kept warm, with the microphone open and the voice silent, though nobody sends (S8).
  public var isRecordingAlwaysPrepared = false

  public init() {}
}

/// A setting that can be changed only while no media is registered (L6).
public enum InitOnlySetting: Sendable, Equatable {
  case useVoiceProcessingIO(Bool)
  /// Both directions, as the seed's `setChannelCount:` does; 1 or 2.
  case channelCount(Int)
  case captureChannelCount(Int)
  case renderChannelCount(Int)
  case manualAudioSessionManagement(Bool)

  /// As programs and people know it.
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
