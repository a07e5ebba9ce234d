import SessionModel

/// A constant status document and its parts, so that output made from it can be compared. Tests change the parts that they are about.
package enum Sample {
  package static let microphone = Device(
    name: "alsa_input.pci-0000_00_1f.3.analog-stereo", description: "Built-in Audio Analog Stereo", direction: .input, isDefault: true,
    portType: .builtInMic, portDescription: "Internal Microphone")
  package static let headset = Device(
    name: "bluez_input.AC_80_0A_12_34_56.0", description: "WH-1000XM4 ヘッドセット", direction: .input, portType: .bluetoothHFP,
    availability: .yes)
  package static let speaker = Device(
    name: "alsa_output.usb-Focusrite_Scarlett_2i2-00.analog-stereo", description: "Scarlett 2i2 USB", direction: .output,
    portType: .usbAudio)
  package static let screen = Device(
    name: "alsa_output.pci-0000_00_1f.3.hdmi-stereo", description: "HDMI / DisplayPort", direction: .output, isDefault: true,
    portType: .hdmi, availability: .no)

  /// The participant with this number; participants differ in name, kind, state and every counter.
  package static func sink(_ index: Int) -> SinkStatus {
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

  /// A session in a call with `sinks` participants, while the echo is cancelled.
  package static func active(sinks: Int = 3) -> Snapshot {
    let components = ProcessingComponent.allCases.map { ComponentStatus(component: $0, isRequested: true, isEffective: true) }
    return Snapshot(
      version: "1.2.3", uptime: 3_725, cpuPercent: 1.25,
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
      processing: processing(components),
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

  private static func processing(_ components: [ComponentStatus]) -> ProcessingStatus {
    var processing = ProcessingStatus()
    processing.library = "webrtc-audio-processing 0.3"
    processing.components = components
    processing.echo = .cancelling
    (processing.erle, processing.echoReduction) = (24.3, 47.2)
    (processing.echoDelay, processing.streamDelay) = (41.7, 38.5)
    (processing.gain, processing.hasVoice) = (3.2, true)
    (processing.microphoneLevel, processing.referenceLevel, processing.voiceLevel) = (-23.4, -31.2, -20.1)
    (processing.speakerLevel, processing.limiterGain) = (-2.5, -0.6)
    return processing
  }
}
