import Foundation
import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

@Suite("The manager's reports")
struct ReportTests {
  private func telemetry(_ manager: AudioSessionManager) throws -> [String: Any] {
    let text = try #require(manager.getTelemetryJson())
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("T1, T2: diagnostics and telemetry describe the session, or its absence, and settings that wait for the next")
  func atRestAndRunning() throws {
    let rig = ManagerRig()
    rig.manager.bypassVoiceProcessing = true
    rig.manager.useVoiceProcessingIO = false
    for isRunning in [false, true] {
      if isRunning { try rig.registerCall() }
      let values = try telemetry(rig.manager)
      #expect(values["bypassVoiceProcessing"] as? Bool == true)
      #expect(values["useVoiceProcessingIO"] as? Bool == false)
      #expect(values["isSessionActive"] as? Bool == isRunning)
      #expect(values["totalRegisteredMedia"] as? Int == (isRunning ? 2 : 0))
      #expect(rig.manager.getDiagnostics().contains("Session Active: \(isRunning ? "YES" : "NO")"))
    }
  }

  @Test("V3: each component is reported as requested, active and effective, with the reason if it is not heard")
  func components() {
    struct Row {
      var what: String
      var change: (CaptureControls) -> Void = { _ in }
      var isSending = true
      var hasMicrophone = true
      var isInterrupted = false
      var isActive: Bool
      var isGainActive: Bool
      var isEffective: Bool
      var reason: String?
    }
    let rows = [
      Row(what: "in a call", isActive: true, isGainActive: true, isEffective: true, reason: nil),
      Row(what: "bypassed", change: { $0.isBypassed = true }, isActive: true, isGainActive: false, isEffective: false, reason: "bypassed"),
      Row(
        what: "not in use", change: { $0.usesVoiceProcessing = false }, isActive: false, isGainActive: false, isEffective: false,
        reason: "voice processing is off"),
      Row(what: "nobody sends", isSending: false, isActive: false, isGainActive: false, isEffective: false, reason: "nobody records"),
      Row(
        what: "held up", isSending: false, isInterrupted: true, isActive: false, isGainActive: false, isEffective: false,
        reason: "interrupted"),
      Row(
        what: "no microphone", hasMicrophone: false, isActive: false, isGainActive: false, isEffective: false,
        reason: "the microphone is closed"),
    ]
    for row in rows {
      let controls = CaptureControls()
      row.change(controls)
      controls.isNoiseSuppressionEnabled = false
      var meters = CaptureMeters()
      (meters.erle, meters.echoReduction) = (20, 40)
      let status = ProcessingStatus(
        controls: controls, meters: meters, render: (0, 1), isSending: row.isSending, hasMicrophone: row.hasMicrophone,
        isInterrupted: row.isInterrupted, streamDelay: 0)
      #expect(
        status.erle == (row.isEffective ? 20 : nil) && status.echoReduction == (row.isEffective ? 40 : nil),
        "\(row.what): what was measured before is not told")
      for component in status.components {
        guard component.component != .noiseSuppression else {
          #expect(!component.isRequested && !component.isActive && !component.isEffective && component.reason == nil, "\(row.what)")
          continue
        }
        let isActive = component.component == .gainControl ? row.isGainActive : row.isActive
        #expect(component.isRequested && component.isActive == isActive, "\(row.what): \(component)")
        #expect(component.isEffective == row.isEffective && component.reason == row.reason, "\(row.what): \(component)")
      }
    }
  }

  @Test("K8: an SSRC is in diagnostics and telemetry; an unknown id has no effect")
  func ssrc() throws {
    let rig = ManagerRig()
    rig.manager.updateSsrc(mediaId: "ear", ssrc: 1)
    try rig.registerCall()
    #expect(rig.registerSpeaker())
    #expect(!rig.manager.getDiagnostics().contains("3735928559"))
    rig.manager.updateSsrc(mediaId: "nobody", ssrc: 0xDEAD_BEEF)
    #expect(!rig.manager.getDiagnostics().contains("3735928559"))
    rig.manager.updateSsrc(mediaId: "ear", ssrc: 0xDEAD_BEEF)
    #expect(rig.manager.getDiagnostics().contains("3735928559"))
    #expect(rig.manager.getTelemetryJson()?.contains("3735928559") == true)
  }

  @Test("T4, T5: sourceHadAudio is in every event from the source's first report until it is unregistered")
  func sourceActivity() throws {
    let rig = ManagerRig()
    let tape = EventTape(rig.manager.owner.bus)
    func hadAudio() -> EventValue? {
      rig.manager.isMicrophoneMuted.toggle()
      return tape.all.last?.detail["sourceHadAudio"]
    }
    #expect(hadAudio() == .bool(false))
    try rig.registerCall()
    rig.manager.reportSourceAudioActivity(mediaId: "mic")
    #expect(hadAudio() == .bool(false), "it is no source yet")
    let stream = try rig.manager.microphoneBuffers(mediaId: "mic")
    rig.manager.reportSourceAudioActivity(mediaId: "nobody")
    #expect(hadAudio() == .bool(false))
    for _ in 0..<2 {
      rig.manager.reportSourceAudioActivity(mediaId: "mic")
      #expect(hadAudio() == .bool(true))
    }
    stream.cancel()
    #expect(hadAudio() == .bool(false))
  }

  @Test("T4, T5: the end of a source's media says that it had audio, whether its source ended before or not, and no other end does")
  func endOfActivity() throws {
    for endsSource in [false, true] {
      let rig = ManagerRig()
      let tape = EventTape(rig.manager.owner.bus)
      try rig.registerCall()
      let stream = try rig.manager.microphoneBuffers(mediaId: "mic")
      rig.manager.reportSourceAudioActivity(mediaId: "mic")
      if endsSource { stream.cancel() }
      rig.manager.unregisterMedia(id: "mic")
      #expect(tape.all.last?.kind == .mediaUnregistered)
      #expect(tape.all.last?.detail["sourceHadAudio"] == .bool(true), "ended before: \(endsSource)")
      // Under the same id, and silent.
      try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
      #expect(tape.all.last?.detail["sourceHadAudio"] == .bool(false))
      let next = try rig.manager.microphoneBuffers(mediaId: "mic")
      rig.unregisterCall()
      #expect(tape.all.filter { $0.kind == .mediaUnregistered }.map { $0.detail["sourceHadAudio"] } == [true, false, false])
      withExtendedLifetime(next) {}
    }
  }

  @Test("T5: a sound that comes just before the source's end is known by its media's end")
  func lastSound() throws {
    let rig = ManagerRig()
    let tape = EventTape(rig.manager.owner.bus)
    try rig.manager.setManualRenderingMode(true)
    try rig.registerCall()
    let renderer = try #require(rig.manager.manualRenderer)
    #expect(
      rig.manager.registerMicrophoneInput(mediaId: "mic", context: nil) { _, _, _, _, _, _ in })
    _ = try renderer.cycle(microphone: [Float](repeating: 0, count: 480))
    for _ in 0..<20 { _ = try renderer.cycle(microphone: (0..<480).map { Float(0.3 * sin(Double($0) * 0.1)) }) }
    rig.manager.unregisterMedia(id: "mic")
    #expect(tape.all.last?.kind == .mediaUnregistered)
    #expect(tape.all.last?.detail["sourceHadAudio"] == .bool(true))
    rig.unregisterCall()
  }

  @Test("T5: the microphone's own rate counts: a headset at 16 kHz with a source at 48 kHz is resampled, unless the program says otherwise")
  func hardwareRate() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    let stream = try rig.manager.microphoneBuffers(mediaId: "mic", sampleRate: 48_000)
    #expect(try telemetry(rig.manager)["sourceResamplingActive"] as? Bool == false)
    func use(_ rate: Int) throws {
      let headset = RoutePort(name: "bluez_input.1", description: "Headset", portType: .bluetoothHFP, rate: rate)
      try rig.graph.use(RouteStatus(current: RouteDescription(inputs: [headset])))
    }
    try use(16_000)
    let values = try telemetry(rig.manager)
    #expect(values["sourceResamplingActive"] as? Bool == true)
    #expect(values["sourceCaptureRateHz"] as? Int == 16_000)
    #expect(values["sourceOutputRateHz"] as? Int == 48_000)
    #expect(rig.manager.getDiagnostics().contains("Resampling: YES (16000 Hz to 48000 Hz)"))
    try use(48_000)
    #expect(try telemetry(rig.manager)["sourceResamplingActive"] as? Bool == false)
    try use(16_000)
    rig.manager.reportSourceResampling(mediaId: "mic", captureRate: 48_000, outputRate: 48_000, isResampling: false)
    #expect(try telemetry(rig.manager)["sourceResamplingActive"] as? Bool == false)
    withExtendedLifetime(stream) {}
  }

  @Test("T5: what a source resamples is in telemetry, its rates only while it does")
  func resampling() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    let stream = try rig.manager.microphoneBuffers(mediaId: "mic")
    rig.manager.reportSourceResampling(mediaId: "mic", captureRate: 16_000, outputRate: 48_000, isResampling: true)
    let values = try telemetry(rig.manager)
    #expect(values["sourceResamplingActive"] as? Bool == true)
    #expect(values["sourceCaptureRateHz"] as? Int == 16_000)
    #expect(values["sourceOutputRateHz"] as? Int == 48_000)
    rig.manager.reportSourceResampling(mediaId: "mic", captureRate: 48_000, outputRate: 48_000, isResampling: false)
    let after = try telemetry(rig.manager)
    #expect(after["sourceResamplingActive"] as? Bool == false)
    #expect(after["sourceCaptureRateHz"] == nil)
    withExtendedLifetime(stream) {}
  }
}
