/// The audio that programs play into the outgoing microphone (D4, D5). Field names are those of the status document and do not change.
package struct AppAudioStatus: Codable, Sendable, Equatable {
  /// One row per source, like those of participants.
  package var sources: [SinkStatus]
  /// A Boolean value indicating whether any source is audible now.
  package var isSounding: Bool
  /// Peak of all sources after volume, before ducking, in dBFS; −120 if silent.
  package var level: Double
  /// Linear gain of the processed microphone, 0–1.
  package var micVolume: Double
  /// Linear gain of application audio, 0–1.
  package var appVolume: Double
  /// A Boolean value indicating whether application audio is lowered while the near end talks.
  package var isDucking: Bool
  /// The current gain of ducking in dB, 0 or less.
  package var duckGain: Double
  /// A Boolean value indicating whether application audio is played on the local speaker as well.
  package var isMonitored: Bool

  package init(
    sources: [SinkStatus] = [], isSounding: Bool = false, level: Double = -120, micVolume: Double = 1, appVolume: Double = 1,
    isDucking: Bool = false, duckGain: Double = 0, isMonitored: Bool = false
  ) {
    self.sources = sources
    self.isSounding = isSounding
    self.level = level
    self.micVolume = micVolume
    self.appVolume = appVolume
    self.isDucking = isDucking
    self.duckGain = duckGain
    self.isMonitored = isMonitored
  }
}

/// Volume and mute of a node, as mixers set them (D1).
package struct VolumeStatus: Codable, Sendable, Equatable {
  /// The volume as mixers show it: the cube root of the linear gain; 1 is unchanged.
  package var volume: Double
  /// A Boolean value indicating whether the node is muted, whatever its volume.
  package var isMuted: Bool

  package init(volume: Double = 1, isMuted: Bool = false) {
    self.volume = volume
    self.isMuted = isMuted
  }
}

/// Volumes and mutes set outside nearend: by `wpctl`, `pactl`, a mixer or a switch of the device (D1).
package struct VolumesStatus: Codable, Sendable, Equatable {
  /// The volume of *Nearend Microphone*: everything that goes out.
  package var nearendMicrophone: VolumeStatus
  /// The volume of *Nearend Speaker*: everything that applications play into it.
  package var nearendSpeaker: VolumeStatus
  /// The real microphone, from its node or its card.
  package var microphone: VolumeStatus
  /// The real speaker.
  package var speaker: VolumeStatus

  package init(
    nearendMicrophone: VolumeStatus = .init(), nearendSpeaker: VolumeStatus = .init(), microphone: VolumeStatus = .init(),
    speaker: VolumeStatus = .init()
  ) {
    self.speaker = speaker
    self.nearendMicrophone = nearendMicrophone
    self.nearendSpeaker = nearendSpeaker
    self.microphone = microphone
  }
}

extension VolumesStatus {
  /// One of the four devices on the way of a call.
  package struct End: Sendable, Equatable {
    /// "Nearend Microphone", "the real speaker", …
    package var name: String
    package var direction: Device.Direction
    package var status: VolumeStatus
    /// A Boolean value indicating whether it is one of nearend's own.
    package var isOurs: Bool

    /// The name without an article.
    package var plainName: String { name.hasPrefix("the ") ? String(name.dropFirst(4)) : name }

    /// A Boolean value indicating whether somebody has turned it so far down that a call suffers. Real devices are often low on purpose,
    /// nearend's own are at 100 % unless somebody turns them.
    package var isLow: Bool { !status.isMuted && status.volume < (isOurs ? 0.5 : 0.1) }
    /// What is wrong with it, in words; nil if nothing is.
    package var complaint: String? {
      status.isMuted ? "\(name) is muted by a mixer or a switch" : isLow ? "\(name) is at \(percent(status.volume)), by a mixer" : nil
    }
  }

  package var ends: [End] {
    [
      End(name: "the real microphone", direction: .input, status: microphone, isOurs: false),
      End(name: "Nearend Microphone", direction: .input, status: nearendMicrophone, isOurs: true),
      End(name: "Nearend Speaker", direction: .output, status: nearendSpeaker, isOurs: true),
      End(name: "the real speaker", direction: .output, status: speaker, isOurs: false),
    ]
  }
}
