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
      var meters = CaptureMeters().snapshot()
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
