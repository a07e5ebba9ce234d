import RealtimeCore
import SessionModel

extension MicModeStatus {
  /// - Parameters:
  ///   - idleReason: why nothing is processed; nil if something is.
  ///   - latency: frames that isolation adds.
  init(requested: MicMode, idleReason: String?, isBypassed: Bool, isolation: VoiceIsolation.Status, latency: Int) {
    self.init(requested: requested, active: nil, effective: nil, lateBlocks: isolation.lateBlocks, isolator: isolation.isolator)
    let isIsolation = requested == .voiceIsolation
    if isIsolation, isolation.isolator != nil { self.latency = latency }
    if let idleReason {
      reason = isIsolation ? isolation.failure?.reason ?? idleReason : idleReason
      return
    }
    active = isIsolation && !isolation.isInPlace ? .standard : requested
    guard !isBypassed else {
      reason = "bypassed"
      return
    }
    effective = isIsolation && !isolation.isHeard ? .standard : requested
    guard effective != requested else { return }
    reason =
      isolation.failure?.reason
      ?? (isolation.isInPlace && isolation.lateBlocks > 0
        ? "the isolated voice comes too late: this machine is too busy" : "it is starting")
  }
}

extension ProcessingStatus {
  /// Compares the requested with the actual state (V3), and adds the capture path's measurements (V6). `hasMicrophone`: one is linked, so
  /// that there is something to process.
  init(
    controls: CaptureControls, meters: CaptureMeters, render: (peak: Float, limiterGain: Float), isSending: Bool,
    hasMicrophone: Bool = true, isInterrupted: Bool = false, streamDelay: Double, isolation: VoiceIsolation.Status = .init(),
    modeLatency: Int = 0
  ) {
    let idleReason: String? =
      if !controls.usesVoiceProcessing {
        "voice processing is off"
      } else if !isSending {
        isInterrupted ? "interrupted" : "nobody records"
      } else {
        hasMicrophone ? nil : "the microphone is closed"
      }
    let obstacle = controls.usesVoiceProcessing && controls.isBypassed ? "bypassed" : idleReason
    let engine = controls.engine
    let mode = MicModeStatus(
      requested: controls.micMode, idleReason: idleReason, isBypassed: controls.isBypassed, isolation: isolation, latency: modeLatency)
    let components = ProcessingComponent.allCases.map { component in
      let isRequested = controls.value(of: component.setting) == .bool(true)
      let isLeft = component == .noiseSuppression && mode.active == .wideSpectrum
      let isReplaced = component == .noiseSuppression && mode.effective == .voiceIsolation
      let isHeld = component == .gainControl && controls.isStereo
      let isOff = component == .gainControl && controls.isBypassed || isLeft || isHeld
      let obstacle =
        obstacle
        ?? (isLeft
          ? "wide spectrum keeps the room"
          : isReplaced ? "voice isolation replaces it" : isHeld ? "in stereo it would move what is heard" : nil)
      return ComponentStatus(
        component: component, isRequested: isRequested, isActive: isRequested && idleReason == nil && !isOff,
        isEffective: isRequested && obstacle == nil, reason: isRequested ? obstacle : nil,
        engine: component == .echoCancellation || component == .noiseSuppression ? controls.engineName : nil)
    }
    self.init()
    isInUse = controls.usesVoiceProcessing
    isBypassed = controls.isBypassed
    self.engine = engine
    library = engine == .webrtc ? CapturePath.library : ""
    micMode = mode
    self.components = components
    if idleReason == nil, controls.isEchoCancelled {
      echo = meters.echoVerdict
      erle = meters.erle.known.map { Double($0) }
      echoReduction = meters.echoReduction.known.map { Double($0) }
    }
    echoDelay = meters.echoDelay.known.map { Double($0) * 1000 }
    self.streamDelay = streamDelay
    gain = Double(meters.gain)
    hasVoice = meters.hasVoice
    if isSending {
      microphoneLevel = decibels(meters.microphonePeak)
      referenceLevel = decibels(meters.referencePeak)
      voiceLevel = decibels(meters.voicePeak)
    }
    speakerLevel = decibels(render.peak)
    limiterGain = decibels(render.limiterGain)
  }
}
