import Nearend
import SessionModel
import SimulatedHardware

extension RoomProcess {
  /// What changes the voice.
  private static let voiceSettings: Set<Setting> = [
    .useVoiceProcessingIO, .bypassVoiceProcessing, .echoCanceller, .echoCancellation, .noiseSuppression, .voiceProcessingEnableAGC,
    .highPassFilter, .micMode, .micVolume, .microphone, .microphoneChannels, .beamforming,
  ]

  /// Measures anew wherever the voice's processing is switched, until the subscription ends, so that no figure is of a voice that is heard
  /// no more. [any]
  func measureAnew(atSwitchesOf service: NearendService) -> EventBus.Subscription {
    service.events.subscribe { [weak self] news in
      guard case .event(let event) = news, event.kind == .settingChanged,
        let setting = event.detail["setting"]?.word(Setting.self), Self.voiceSettings.contains(setting)
      else { return }
      self?.measureAnew()
    }
  }
}
