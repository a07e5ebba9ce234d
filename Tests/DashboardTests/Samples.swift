import SessionModel
import TestSupport

/// Calls for the dashboard's less common displays.
extension Sample {
  /// Two participants on other machines: one is heard, the other has not sent anything yet.
  static var remote: Snapshot {
    var snapshot = active()
    snapshot.sinks[0].remote = RemoteStatus(
      address: "0.0.0.0:5004", peer: "10.0.0.8:40123", channels: 1, packetTime: 10, packets: 59_406, lost: 594, late: 12, duplicates: 3,
      streams: 1, lossPercent: 3.4, jitter: 6.25, latency: 101.5, roundTrip: 62.5)
    snapshot.sinks[1].remote = RemoteStatus(address: "10.0.0.7:5006", refused: 17, lastRefusal: "another sender")
    snapshot.sends = [
      SendStatus(
        id: "alice", address: "10.0.0.8:5004", ssrc: 7, packetTime: 10, packets: 60_000, lossPercent: 1.1, jitter: 5, roundTrip: 62.5),
      SendStatus(
        id: "to-10.0.0.9", address: "10.0.0.9:5004", ssrc: 8, packetTime: 10, packets: 1, failures: 9, failure: "Connection refused"),
    ]
    return snapshot
  }

  /// Voice isolation that is heard, with a few late blocks.
  static var isolatedLate: Snapshot {
    var snapshot = active()
    snapshot.processing.micMode = MicModeStatus(
      requested: .voiceIsolation, active: .voiceIsolation, effective: .voiceIsolation, latency: 2_520, lateBlocks: 17,
      isolator: "DeepFilterNet 3")
    return snapshot
  }

  /// Voice isolation that was requested but is not installed.
  static var notIsolated: Snapshot {
    var snapshot = active()
    snapshot.processing.micMode = MicModeStatus(
      requested: .voiceIsolation, active: .standard, effective: .standard,
      reason: "it is not installed: `nearend isolation install` fetches it (13 MB)")
    return snapshot
  }

  static var idle: Snapshot {
    var snapshot = active(sinks: 0)
    snapshot.session = SessionStatus()
    snapshot.graph = GraphStatus(isConnected: true, daemonVersion: "0.3.65", nodeId: 47)
    let components = snapshot.processing.components
    snapshot.processing = ProcessingStatus()
    snapshot.processing.library = "webrtc-audio-processing 0.3"
    snapshot.processing.components = components
    return snapshot
  }

  /// Nobody in a call, the microphone muted, and nothing to be heard from the speaker.
  static var mutedAndQuiet: Snapshot {
    var snapshot = idle
    snapshot.session.isMicrophoneMuted = true
    snapshot.route.volumes.speaker.volume = 0.05
    return snapshot
  }

  static var interrupted: Snapshot {
    var snapshot = active()
    snapshot.session.state = .interrupted
    snapshot.session.interruption = Interruption(reason: .daemonLost, duration: 3.4)
    snapshot.session.interruptions = [
      InterruptionRecord(reason: .sleep, began: 1_700_000_010, duration: 4_210, outcome: .recovered),
      InterruptionRecord(reason: .daemonLost, began: 1_700_000_070, duration: 3.4, outcome: .holds),
    ]
    snapshot.graph.isConnected = false
    return snapshot
  }

  static var muted: Snapshot {
    var snapshot = active()
    snapshot.session.isMicrophoneMuted = true
    snapshot.processing.voiceLevel = -120
    return snapshot
  }

  static var mutedAndInterrupted: Snapshot {
    var snapshot = interrupted
    snapshot.session.interruption = Interruption(reason: .noDevice, duration: 125)
    snapshot.session.interruptions = []
    snapshot.session.isMicrophoneMuted = true
    return snapshot
  }

  /// Everything that can be wrong with a route at once, with nearend's devices as the defaults.
  static var unplugged: Snapshot {
    var snapshot = active()
    snapshot.route.isPausedAfterUnplug = true
    snapshot.route.areOursDefault = true
    snapshot.route.current.outputs[0].portType = .builtInSpeaker
    snapshot.route.current.outputs[0].portDescription = "Speakers"
    return snapshot
  }

  /// Programs that choose no device go through nearend, or past it through these filters.
  static func smart(bypasses: [String] = []) -> Snapshot {
    var snapshot = active()
    snapshot.route.defaults = DefaultDeviceStatus(requested: .auto, effective: .smart, bypasses: bypasses)
    return snapshot
  }

  /// A picked speaker, and a picked microphone that is missing.
  static var picked: Snapshot {
    var snapshot = active()
    snapshot.route.pickedSpeaker = speaker.name
    snapshot.route.pickedMicrophone = "alsa_input.usb-Gone_Microphone-00.mono-fallback"
    snapshot.route.usedPrograms = ["firefox", "zoom*"]
    snapshot.route.programs = [
      ProgramStatus(name: "Firefox", isUsed: true, plays: ["nearend.speaker"], records: ["nearend.microphone"]),
      ProgramStatus(name: "Music", plays: [speaker.name]),
    ]
    return snapshot
  }

  /// A microphone of several channels, some of which do not work.
  static var array: Snapshot {
    var snapshot = active()
    snapshot.route.microphoneInputs = [
      MicrophoneInput(channel: 1, name: "FL", level: 0.1), MicrophoneInput(channel: 2, name: "FR", level: 0.09),
      MicrophoneInput(channel: 3, name: "RL", use: .silent), MicrophoneInput(channel: 4, name: "RR", level: 0.1, use: .opposite),
    ]
    return snapshot
  }

  static var mutedUnpluggedAndInterrupted: Snapshot {
    var snapshot = mutedAndInterrupted
    snapshot.route.isPausedAfterUnplug = true
    snapshot.route.current = RouteDescription()
    snapshot.route.devices = []
    return snapshot
  }

  static var rehearsal: Snapshot {
    var snapshot = active()
    snapshot.rehearsal = RehearsalStatus(phase: .doubleTalk, erle: 26.1, nearEndLevel: -0.8, seconds: 75)
    return snapshot
  }

  /// Everything that can be shown about the outgoing microphone.
  static var outgoing: Snapshot {
    var snapshot = active()
    snapshot.session.microphoneMuteMode = .inputMixer
    snapshot.session.isRecordingAlwaysPrepared = true
    snapshot.appAudio = AppAudioStatus(
      sources: [SinkStatus(id: "jingle", state: .playing)], isSounding: true, level: -18.2, micVolume: 0.8, appVolume: 0.5, isDucking: true,
      duckGain: -11.9, isMonitored: true)
    snapshot.outputVolume = 0.7
    snapshot.route.volumes.nearendSpeaker.isMuted = true
    return snapshot
  }

  static var talkingWhileMuted: Snapshot {
    var snapshot = muted
    snapshot.session.isTalkingWhileMuted = true
    return snapshot
  }

  static var mutedByDevice: Snapshot {
    var snapshot = active()
    snapshot.route.volumes.microphone.isMuted = true
    return snapshot
  }

  /// Echo cancellation switched off in a call on a loudspeaker, with a microphone that a mixer has turned down.
  static var echoOff: Snapshot {
    var snapshot = active(sinks: 1)
    snapshot.processing.components[1] = ComponentStatus(component: .echoCancellation, isRequested: false, isEffective: false)
    (snapshot.processing.echo, snapshot.processing.erle, snapshot.processing.echoReduction) = (.off, nil, nil)
    snapshot.route.volumes.nearendMicrophone.volume = 0.05
    return snapshot
  }

  static var silentMicrophone: Snapshot {
    var snapshot = active(sinks: 1)
    snapshot.session.microphoneSilence = 15
    (snapshot.processing.microphoneLevel, snapshot.processing.voiceLevel, snapshot.processing.hasVoice) = (-120, -120, false)
    return snapshot
  }

  static var bypassed: Snapshot {
    var snapshot = active()
    snapshot.processing.isBypassed = true
    snapshot.processing.engine = .webrtc
    snapshot.processing.echo = .off
    snapshot.processing.components = ProcessingComponent.allCases.map {
      ComponentStatus(
        component: $0, isRequested: $0 != .noiseSuppression, isEffective: false, reason: $0 != .noiseSuppression ? "bypassed" : nil)
    }
    return snapshot
  }
}
