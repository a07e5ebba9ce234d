extension Setting {
  /// A one-line description for people.
  package var summary: String {
    switch self {
    case .bypassVoiceProcessing: "The microphone's sound as it is, at the same latency"
    case .voiceProcessingEnableAGC: "Gain control: talkers near and far from the microphone come out alike"
    case .noiseSuppression: "Noise suppression"
    case .echoCanceller: "Who cancels the echo: nearend's own canceller, WebRTC's, or nobody"
    case .echoCancellation: "Echo cancellation, by the canceller chosen last"
    case .highPassFilter: "High-pass filter: no rumble"
    case .micMode: "What becomes of the room around the voice: less noise, nothing but the voice, or the room as it is"
    case .microphoneMuted: "Nobody hears the microphone"
    case .microphoneMuteMode: "How it is muted: behind processing, by closing the microphone, or before processing"
    case .recordingAlwaysPrepared: "The microphone open and processed, and silent, though nobody records: the first word is there at once"
    case .outputVolume: "Linear gain of everything that nearend plays"
    case .micVolume: "Linear gain of the processed microphone"
    case .appVolume: "Linear gain of what programs play into the microphone"
    case .appDucking: "What programs play into the microphone is 12 dB lower while somebody talks"
    case .appMonitor: "What programs play into the microphone is heard on the speaker, too"
    case .microphone: "Node name of the microphone to use; empty follows the default"
    case .speaker: "Node name of the speaker to use; empty follows the default"
    case .reference: "What the echo canceller hears of the speaker: everything, or nearend's own mix alone"
    case .defaultDevices: "nearend's devices are the session's defaults; the former ones come back afterwards"
    case .pauseOnUnplug: "Headphones gone: pause, rather than play into the room"
    case .duckingLevel: "How far other applications are lowered while a call is up: by 3, 9, 15 or 24 dB"
    case .isAdvancedDuckingEnabled: "Other applications are lowered by all of that only while somebody speaks, and by a third in silence"
    case .useVoiceProcessingIO: "Voice processing in the microphone's path; locked while media is registered"
    case .manualAudioSessionManagement: "A call manager activates and deactivates the session; locked while media is registered"
    }
  }
}
