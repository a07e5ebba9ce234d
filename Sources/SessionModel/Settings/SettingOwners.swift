extension ProcessingComponent {
  /// The setting that switches the component.
  package var setting: Setting {
    switch self {
    case .highPassFilter: .highPassFilter
    case .echoCancellation: .echoCancellation
    case .noiseSuppression: .noiseSuppression
    case .gainControl: .voiceProcessingEnableAGC
    }
  }
}

extension Device.Direction {
  /// The setting that picks a device.
  package var setting: Setting { self == .input ? .microphone : .speaker }
}
