import Nearend
import SessionModel
import SimulatedHardware

/// Lets the room measure anew wherever the voice's processing is switched, so that no figure is of a voice that is heard no more. Ends with
/// the last reference to it. [any]
final class RehearsedFigures: Sendable {
  private let subscription: EventBus.Subscription

  /// What changes the voice.
  private static let settings: [Setting] = [
    .useVoiceProcessingIO, .bypassVoiceProcessing, .echoCanceller, .echoCancellation, .noiseSuppression, .voiceProcessingEnableAGC,
    .highPassFilter, .micMode, .micVolume, .microphone, .microphoneChannels, .beamforming,
  ]

  init(of room: RoomProcess, _ service: NearendService) {
    subscription = service.events.subscribe { [weak room] news in
      guard case .event(let event) = news, event.kind == .settingChanged else { return }
      if Self.settings.contains(where: { event.detail["setting"] == .string($0.rawValue) }) { room?.measureAnew() }
    }
  }
}
