import SessionModel

/// Constant snapshots, so that frames can be compared.
enum Sample {
  static let microphone = Device(
    name: "alsa_input.pci-0000_00_1f.3.analog-stereo", description: "Built-in Audio Analog Stereo", direction: .input, isDefault: true,
    portType: .builtInMic, portDescription: "Internal Microphone")
  static let headset = Device(
    name: "bluez_input.AC_80_0A_12_34_56.0", description: "WH-1000XM4 ヘッドセット", direction: .input, portType: .bluetoothHFP,
    availability: .yes)
  static let speaker = Device(
    name: "alsa_output.usb-Focusrite_Scarlett_2i2-00.analog-stereo", description: "Scarlett 2i2 USB", direction: .output,
    portType: .usbAudio)
  static let screen = Device(
    name: "alsa_output.pci-0000_00_1f.3.hdmi-stereo", description: "HDMI / DisplayPort", direction: .output, isDefault: true,
    portType: .hdmi, availability: .no)

  static func sink(_ index: Int) -> SinkStatus {
    let names = ["alice", "Zoë 🦊", "李雷"]
    let states: [SinkStatus.State] = [.playing, .underrun, .buffering, .idle]
    let isDevice = index % 5 == 3
    return SinkStatus(
      id: index < names.count ? names[index] : "guest-\(index)", kind: isDevice ? .graph : .ring, state: states[index % 4],
      sampleRate: index % 2 == 0 ? 48_000 : 44_100, channelCount: 1 + index % 2, fillBytes: isDevice ? 0 : 9_600 / (1 + index % 3),
      capacityBytes: isDevice ? 0 : 19_200, targetFill: isDevice ? 0 : 0.5, consecutiveUnderruns: index % 4 == 1 ? 2 : 0,
      totalUnderruns: UInt64(index % 17), totalDrops: UInt64(index % 7), framesWritten: 480_000, framesRead: 475_200,
      isResampling: index % 2 == 1, resampleRatio: index % 2 == 1 ? 1.088435 : 1, driftPPM: index % 2 == 1 ? -12.5 : 0,
      gain: index % 3 == 2 ? 0.5 : 1, isMuted: index % 6 == 5, peak: -6 - Double(index % 50), rms: -15 - Double(index % 50),
      ssrc: index == 0 ? 3_735_928_559 : nil)
  }

  static func active(sinks: Int = 3) -> Snapshot {
    let components = ProcessingComponent.allCases.map { ComponentStatus(component: $0, isRequested: true, isEffective: true) }
    return Snapshot(
      version: "0.1.0", uptime: 3_725, cpuPercent: 1.25,
      session: SessionStatus(state: .active, sendMedia: ["firefox-71"], receiveMedia: ["firefox-72", "mpv-80"]),
      graph: GraphStatus(
        isConnected: true, daemonVersion: "0.3.65", nodeId: 47, driver: speaker.name, quantum: 256, rate: 48_000, cycles: 698_437,
        busyRatio: 0.031, busyRatioPeak: 0.082, xruns: 2, captureLatency: 1_117, captureLinks: 1, renderLinks: 2,
        realtimePriority: 88),
      route: RouteStatus(
        microphone: microphone, speaker: speaker, devices: [microphone, headset, speaker, screen],
        current: RouteDescription(
          inputs: [
            RoutePort(
              name: microphone.name, description: microphone.description, portType: .builtInMic, port: "analog-input-internal-mic",
              portDescription: "Internal Microphone")
          ], outputs: [RoutePort(name: speaker.name, description: speaker.description, portType: .usbAudio)])),
      processing: ProcessingStatus(
        library: "webrtc-audio-processing 0.3", components: components, echo: .cancelling, erle: 24.3, echoDelay: 41.7, streamDelay: 38.5,
        gain: 3.2, hasVoice: true, microphoneLevel: -23.4, referenceLevel: -31.2, voiceLevel: -20.1, speakerLevel: -2.5,
        limiterGain: -0.6),
      sinks: (0..<sinks).map(sink),
      log: [
        LogEntry(time: 1_700_000_000, level: .info, message: "session active: firefox-71 records"),
        LogEntry(time: 1_700_000_061, level: .warning, message: "Zoë 🦊 runs dry: nothing has come for 40 ms"),
        LogEntry(
          time: 1_700_000_065, level: .error,
          message: "diagnostics cannot be written to /home/somebody/.local/state/nearend/diagnostics-2023-11-14T22-14-25.txt: no space left"
        ),
      ])
  }

  /// Two on other machines, of whom one is in a call and the other has not come.
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

  static var idle: Snapshot {
    var snapshot = active(sinks: 0)
    snapshot.session = SessionStatus()
    snapshot.graph = GraphStatus(isConnected: true, daemonVersion: "0.3.65", nodeId: 47)
    snapshot.processing = ProcessingStatus(library: "webrtc-audio-processing 0.3", components: snapshot.processing.components)
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

  /// Everything that can be wrong with a route at the same time, and nearend's devices as the defaults.
  static var unplugged: Snapshot {
    var snapshot = active()
    snapshot.route.isPausedAfterUnplug = true
    snapshot.route.areOursDefault = true
    snapshot.route.current.outputs[0].portType = .builtInSpeaker
    snapshot.route.current.outputs[0].portDescription = "Speakers"
    return snapshot
  }

  /// A picked speaker, and a picked microphone that is missing.
  static var picked: Snapshot {
    var snapshot = active()
    snapshot.route.pickedSpeaker = speaker.name
    snapshot.route.pickedMicrophone = "alsa_input.usb-Gone_Microphone-00.mono-fallback"
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
