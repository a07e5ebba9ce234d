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

  /// Returns the message for people that a selected device is not available.
  package func awaiting(_ name: String) -> String {
    "\(setting.rawValue): \(name) is chosen, and will be used once it is available"
  }

  /// Returns the message for people that a selected device is one of the other direction.
  package func isMisplaced(_ name: String) -> String {
    "\(setting.rawValue): \(name) is chosen, but is a \(self == .input ? "speaker" : "microphone"); the default is used"
  }
}
