import Foundation
import SessionModel

/// A synthetic call: plausible numbers that move, and working switches.
struct SyntheticCall {
  enum Scene: String, CaseIterable { case active, idle, interrupted, muted, rehearsal }

  private var snapshot = Snapshot(version: "1.2.3")
  private let scene: Scene
  private let isStill: Bool
  private var tick = 0

  init(scene: Scene, sinkCount: Int, isStill: Bool) {
    self.scene = scene
    self.isStill = isStill
    fill(sinkCount)
  }

  /// Returns the call a tenth of a second later.
  mutating func next() -> Snapshot {
    if !isStill { advance() }
    return snapshot
  }

  mutating func perform(_ command: Command) {
    switch command {
    case .set(let setting, let value): set(setting, value)
    case .setSinkMuted(let id, let on): change(id) { $0.isMuted = on }
    case .setSinkGain(let id, let gain): change(id) { $0.gain = gain }
    case .clearCounters:
      snapshot.graph.xruns = 0
      for index in snapshot.sinks.indices {
        snapshot.sinks[index].totalUnderruns = 0
        snapshot.sinks[index].totalDrops = 0
      }
    case .resumeAfterUnplug: snapshot.route.isPausedAfterUnplug = false
    case .saveDiagnostics, .listen, .stopListening, .loadPreset: break
    }
    for index in snapshot.processing.components.indices {
      let component = snapshot.processing.components[index]
      let isHeld = component.isRequested && snapshot.processing.isBypassed
      snapshot.processing.components[index].isEffective = component.isRequested && !isHeld
      snapshot.processing.components[index].reason = isHeld ? "bypassed" : nil
    }
    log("\(command)")
  }

  private mutating func set(_ setting: Setting, _ value: EventValue) {
    let on = value == true
    let volume = if case .number(let number) = value { number } else { 1.0 }
    switch setting {
    case .bypassVoiceProcessing: snapshot.processing.isBypassed = on
    case .voiceProcessingEnableAGC, .noiseSuppression, .echoCancellation, .highPassFilter: request(setting, on)
    case .echoCanceller:
      let canceller = value.word(EchoCanceller.self) ?? .off
      if canceller != .off { snapshot.processing.engine = canceller }
      request(.echoCancellation, canceller != .off)
    case .micMode:
      let mode = value.word(MicMode.self) ?? .standard
      snapshot.processing.micMode.requested = mode
      snapshot.processing.micMode.effective = mode
    case .microphoneMuted: snapshot.session.isMicrophoneMuted = on
    case .microphoneMuteMode: snapshot.session.microphoneMuteMode = value.word() ?? .voiceProcessing
    case .recordingAlwaysPrepared: snapshot.session.isRecordingAlwaysPrepared = on
    case .micVolume: snapshot.appAudio.micVolume = volume
    case .appVolume: snapshot.appAudio.appVolume = volume
    case .appDucking: snapshot.appAudio.isDucking = on
    case .appMonitor: snapshot.appAudio.isMonitored = on
    case .outputVolume: snapshot.outputVolume = volume
    case .microphone:
      snapshot.route.pickedMicrophone = value == "" ? nil : "\(value)"
      snapshot.route.microphone = device(.input, snapshot.route.pickedMicrophone)
    case .speaker:
      snapshot.route.pickedSpeaker = value == "" ? nil : "\(value)"
      snapshot.route.speaker = device(.output, snapshot.route.pickedSpeaker)
    case .reference: snapshot.route.reference = value.word() ?? .everything
    case .defaultDevices:
      let mode: DefaultDeviceMode = value.word() ?? .off
      snapshot.route.defaults = DefaultDeviceStatus(requested: mode, effective: mode == .auto ? .smart : mode)
      snapshot.route.areOursDefault = mode == .on
    case .duckingLevel: snapshot.ducking.settings.level = value.word() ?? .min
    case .isAdvancedDuckingEnabled: snapshot.ducking.settings.isAdvanced = on
    // The rest is not in the snapshot.
    default: break
    }
  }

  private mutating func request(_ setting: Setting, _ on: Bool) {
    for index in snapshot.processing.components.indices where snapshot.processing.components[index].component.setting == setting {
      snapshot.processing.components[index].isRequested = on
    }
  }

  private func device(_ direction: Device.Direction, _ name: String?) -> Device? {
    snapshot.route.devices.first { $0.direction == direction && (name == nil ? $0.isDefault : $0.name == name) }
  }

  private mutating func change(_ id: String, _ change: (inout SinkStatus) -> Void) {
    guard let index = snapshot.sinks.firstIndex(where: { $0.id == id }) else { return }
    change(&snapshot.sinks[index])
  }

  private mutating func log(_ message: String) {
    snapshot.log.append(LogEntry(time: Date().timeIntervalSince1970, level: .info, message: message))
    if snapshot.log.count > 500 { snapshot.log.removeFirst() }
  }

  private mutating func fill(_ sinkCount: Int) {
    let microphone = Device(
      name: "alsa_input.pci-0000_00_1f.3.analog-stereo", description: "Built-in Audio Analog Stereo", direction: .input, isDefault: true)
    let speaker = Device(
      name: "alsa_output.usb-Focusrite_Scarlett_2i2-00.analog-stereo", description: "Scarlett 2i2 USB", direction: .output, isDefault: true)
    snapshot.route = RouteStatus(
      microphone: microphone, speaker: speaker,
      devices: [
        microphone, Device(name: "bluez_input.AC_80_0A_12_34_56.0", description: "WH-1000XM4 ヘッドセット", direction: .input),
        speaker, Device(name: "alsa_output.pci-0000_00_1f.3.hdmi-stereo", description: "HDMI / DisplayPort", direction: .output),
      ])
    snapshot.processing.library = "webrtc-audio-processing 0.3"
    snapshot.processing.components = ProcessingComponent.allCases.map {
      ComponentStatus(component: $0, isRequested: true, isEffective: true)
    }
    (snapshot.processing.echo, snapshot.processing.erle) = (.cancelling, 24.3)
    (snapshot.processing.echoDelay, snapshot.processing.streamDelay) = (41.7, 38.5)
    (snapshot.processing.gain, snapshot.processing.hasVoice) = (3.2, true)
    snapshot.session = SessionStatus(state: .active, sendMedia: ["firefox-71"], receiveMedia: ["firefox-72"])
    snapshot.graph = GraphStatus(
      isConnected: true, daemonVersion: "0.3.65", nodeId: 47, driver: speaker.name, quantum: 256, rate: 48_000, cycles: 1_204_511,
      busyRatio: 0.031, busyRatioPeak: 0.082, xruns: 2, captureLatency: 1_117, captureLinks: 1, renderLinks: 2)
    let names = ["alice", "bob", "carol", "dave", "Zoë 🦊", "李雷", "eve"]
    for index in 0..<sinkCount {
      let name = index < names.count ? names[index] : "participant-\(index)"
      snapshot.sinks.append(
        SinkStatus(
          id: name, kind: index % 5 == 3 ? .graph : .ring, state: .playing, sampleRate: index % 2 == 0 ? 48_000 : 44_100,
          fillBytes: 9_600, capacityBytes: index % 5 == 3 ? 0 : 19_200, targetFill: 0.5, totalUnderruns: UInt64(index % 4),
          framesWritten: 480_000, framesRead: 475_200, isResampling: index % 2 == 1, resampleRatio: index % 2 == 1 ? 1.08844 : 1))
    }
    log("session active: firefox-71 records")
    log("echo canceller has converged")
    switch scene {
    case .active: break
    case .idle:
      snapshot.session = SessionStatus()
      snapshot.graph.captureLinks = 0
      snapshot.processing.echo = .off
    case .interrupted:
      snapshot.session.state = .interrupted
      snapshot.session.interruption = Interruption(reason: .daemonLost, duration: 0)
      snapshot.graph.isConnected = false
    case .muted: snapshot.session.isMicrophoneMuted = true
    case .rehearsal: snapshot.rehearsal = RehearsalStatus(phase: .farEnd, erle: 26.1, nearEndLevel: -0.8)
    }
  }

  private mutating func advance() {
    tick += 1
    let time = Double(tick) / 10
    func level(_ phase: Double) -> Double { -28 + 18 * sin(time * 2.3 + phase) + 6 * sin(time * 7.1 + phase) }
    snapshot.uptime = time
    if snapshot.session.interruption != nil {
      snapshot.session.interruption?.duration = time
      return
    }
    guard snapshot.session.state == .active else { return }
    snapshot.graph.cycles += 19
    snapshot.graph.busyRatio = 0.03 + 0.008 * sin(time)
    snapshot.processing.microphoneLevel = level(0)
    snapshot.processing.referenceLevel = level(1)
    snapshot.processing.voiceLevel = snapshot.session.isMicrophoneMuted ? -120 : level(2)
    snapshot.processing.speakerLevel = level(1.1)
    (snapshot.processing.erle, snapshot.processing.echoReduction) = (24 + sin(time / 3), 52 + 3 * sin(time / 3))
    snapshot.processing.hasVoice = sin(time) > 0
    for index in snapshot.sinks.indices {
      let phase = Double(index)
      if snapshot.sinks[index].kind == .ring { snapshot.sinks[index].fillBytes = Int(9_600 + 2_400 * sin(time * 3 + phase)) / 2 * 2 }
      snapshot.sinks[index].peak = snapshot.sinks[index].isMuted ? -120 : level(phase)
      snapshot.sinks[index].rms = snapshot.sinks[index].peak - 9
      snapshot.sinks[index].framesWritten += 4_800
      snapshot.sinks[index].framesRead += 4_800
      snapshot.sinks[index].driftPPM = 30 * sin(time / 9 + phase)
    }
    if snapshot.rehearsal != nil {
      snapshot.rehearsal?.seconds = time
      snapshot.rehearsal?.phase = RehearsalStatus.Phase.allCases[tick / 40 % 4]
    }
    if tick % 50 == 0 { log("participant \(snapshot.sinks.first?.id ?? "nobody") speaks") }
  }
}
