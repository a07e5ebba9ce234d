/// Computes the session's next state and the effects to carry out. Pure: contains every rule of media, activation, manual mode, deferred
/// sources and recovery. [any]
package func reduce(_ state: SessionState, _ event: SessionEvent) -> (state: SessionState, effects: [SessionEffect]) {
  var next = state
  var own: [SessionEffect] = []
  next.apply(event, &own)
  next.restoreInvariants()
  let consequences = SessionState.consequences(from: state, to: next)
  // A recovery is reported after what it restores.
  let last = own.filter { $0 == .recovered }
  return (next, own.filter { $0 != .recovered } + consequences + last)
}

extension SessionState {
  /// The effects that follow from a change of state, whatever the event.
  fileprivate static func consequences(from old: SessionState, to new: SessionState) -> [SessionEffect] {
    var effects: [SessionEffect] = []
    if old.settings.usesVoiceProcessing != new.settings.usesVoiceProcessing {
      effects.append(.voiceProcessing(new.settings.usesVoiceProcessing))
    }
    if old.microphoneGate != new.microphoneGate { effects.append(.microphone(new.microphoneGate)) }
    let (before, after) = (old.settings, new.settings)
    if (before.captureChannelCount, before.renderChannelCount) != (after.captureChannelCount, after.renderChannelCount) {
      effects.append(.channelCounts(capture: after.captureChannelCount, render: after.renderChannelCount))
    }
    if let source = old.source, source.mediaId != new.source?.mediaId { effects.append(.removeSource(mediaId: source.mediaId)) }
    for sink in old.sinks where !new.sinks.contains(sink) { effects.append(.removeSink(mediaId: sink)) }
    if old.demand != new.demand { effects.append(.demand(new.demand)) }
    if let source = new.source {
      let was = old.source?.mediaId == source.mediaId ? old.source?.phase : nil
      if source.phase == .running, was != .running { effects.append(.attachSource(mediaId: source.mediaId)) }
      if source.phase == .deferred, was == .running { effects.append(.detachSource(mediaId: source.mediaId)) }
    }
    return effects
  }

  /// Restores the invariants that do not depend on the event.
  fileprivate mutating func restoreInvariants() {
    if !settings.isManual {
      if isNeeded { isActivated = true }
      let staysActive = settings.configuresDevices && !settings.isAutomaticDeactivationEnabled
      if !isNeeded, !staysActive { isActivated = false }
      // There is nothing left to recover.
      if !isActivated { awaitsRecovery = false }
    }
    let phase: Source.Phase = isUnitRunning ? .running : .deferred
    source?.phase = phase
  }

  fileprivate mutating func apply(_ event: SessionEvent, _ effects: inout [SessionEffect]) {
    switch event {
    case .registerMedia(let id, let isSend, let isReceive):
      // An application may have the same id: compare the owner, too.
      guard isSend || isReceive, program(id) == nil else { return }
      let firstApplication = media.firstIndex { $0.owner == .application } ?? media.endIndex
      media.insert(Media(id: id, isSend: isSend, isReceive: isReceive), at: firstApplication)
    case .unregisterMedia(let id):
      guard program(id) != nil else { return }
      media.removeAll { $0.id == id && $0.owner == .program }
      sinks.removeAll { $0 == id }
      if source?.mediaId == id { source = nil }
      mediaWithAudio.remove(id)
    case .registerSource(let id): register(source: id, &effects)
    case .unregisterSource(let id):
      if source?.mediaId == id { source = nil }
    case .sourceHadAudio(let id):
      guard source?.mediaId == id else { return }
      source?.hadAudio = true
      mediaWithAudio.insert(id)
    case .sourceResampling(let id, let resampling):
      guard source?.mediaId == id else { return }
      source?.resampling = resampling
      source?.hasReportedResampling = true
    case .registerSink(let id): register(sink: id, &effects)
    case .unregisterSink(let id): sinks.removeAll { $0 == id }
    case .setInitOnly(let setting): set(setting, &effects)
    case .setVoiceProcessingEnabled(let on): settings.usesVoiceProcessing = on
    case .setAutomaticConfiguration(let on):
      settings.isAutomaticConfigurationEnabled = on
      heedInterruptions(&effects)
    case .setAutomaticDeactivation(let on): settings.isAutomaticDeactivationEnabled = on
    case .setSessionHandling(let on):
      settings.isHandled = on
      heedInterruptions(&effects)
    case .setMicrophoneMuted(let muted): settings.isMicrophoneMuted = muted
    case .setMicrophoneMuteMode(let mode): settings.microphoneMuteMode = mode
    case .setRecordingAlwaysPrepared(let on): settings.isRecordingAlwaysPrepared = on
    case .applications(let applications): media = media.filter { $0.owner == .program } + applications
    case .activatedExternally, .deactivatedExternally: applyCallManager(event, &effects)
    case .interruptionBegan, .interruptionEnded, .enteredBackground, .enteredForeground: applyRecovery(event, &effects)
    }
  }

  // MARK: Programs

  private mutating func register(source id: String, _ effects: inout [SessionEffect]) {
    guard let media = program(id) else { return effects.append(.refused(.unknownMedia(id: id))) }
    guard media.isSend else { return effects.append(.refused(.wrongDirection(id: id, needs: "send"))) }
    if let source { return effects.append(.refused(.sourceTaken(by: source.mediaId))) }
    source = Source(mediaId: id, phase: .deferred)
    mediaWithAudio.remove(id)
  }

  private mutating func register(sink id: String, _ effects: inout [SessionEffect]) {
    guard let media = program(id) else { return effects.append(.refused(.unknownMedia(id: id))) }
    guard media.isReceive else { return effects.append(.refused(.wrongDirection(id: id, needs: "receive"))) }
    if sinks.contains(id) { return effects.append(.refused(.sinkExists(id: id))) }
    sinks.append(id)
  }

  private mutating func set(_ setting: InitOnlySetting, _ effects: inout [SessionEffect]) {
    switch setting {
    case .channelCount(let count), .captureChannelCount(let count), .renderChannelCount(let count):
      guard (1...2).contains(count) else {
        return effects.append(.refused(.impossible(setting: setting.name, value: "\(count)", possible: "1 or 2")))
      }
    case .useVoiceProcessingIO, .manualAudioSessionManagement: break
    }
    if isLocked { return effects.append(.refused(.locked(setting: setting.name))) }
    switch setting {
    case .useVoiceProcessingIO(let on): settings.usesVoiceProcessing = on
    case .channelCount(let count):
      settings.captureChannelCount = count
      settings.renderChannelCount = count
    case .captureChannelCount(let count): settings.captureChannelCount = count
    case .renderChannelCount(let count): settings.renderChannelCount = count
    case .manualAudioSessionManagement(let on):
      // Setting the same value again must not undo an early activation by the call manager.
      guard on != settings.isManual else { return }
      settings.isManual = on
      isActivated = false
      isActivatedExternally = false
      awaitsRecovery = false
    }
  }

  // MARK: A call manager

  private mutating func applyCallManager(_ event: SessionEvent, _ effects: inout [SessionEffect]) {
    let isActivation = event == .activatedExternally
    guard settings.isManual else {
      let call = isActivation ? "audioSessionDidActivateExternally" : "audioSessionDidDeactivateExternally"
      return effects.append(.warn("\(call) has no effect: the session manages itself; set manualAudioSessionManagement first"))
    }
    let wasRunning = isUnitRunning
    isActivatedExternally = isActivation
    awaitsRecovery = false
    if isActivation {
      if !wasRunning, isUnitRunning { effects.append(.recovered) }
    } else {
      effects.append(.resetSinks)
    }
  }

  // MARK: Interruptions and recovery

  private mutating func applyRecovery(_ event: SessionEvent, _ effects: inout [SessionEffect]) {
    switch event {
    case .interruptionBegan(let reason):
      guard !interruptions.contains(reason), !unheeded.contains(reason) else { return }
      if reason.isOfTheSession, !settings.configuresDevices { return unheeded.append(reason) }
      if reason == .frozen {
        // Only a running unit can freeze.
        guard isUnitRunning else { return }
        effects.append(.rebuild)
      }
      interruptions.append(reason)
      // Requires a new activation by the call manager.
      isActivatedExternally = false
    case .interruptionEnded(let reason):
      unheeded.removeAll { $0 == reason }
      guard interruptions.contains(reason) else { return }
      interruptions.removeAll { $0 == reason }
      guard interruptions.isEmpty else { return }
      // A filter that was rebuilt and runs again is not stopped for being in the background.
      let goesOn = isInForeground || !settings.configuresDevices || reason == .frozen && !awaitsRecovery
      if settings.isManual || goesOn { recover(&effects) } else { awaitsRecovery = isActivated }
    case .enteredBackground: isInForeground = false
    case .enteredForeground:
      isInForeground = true
      if awaitsRecovery, interruptions.isEmpty { recover(&effects) }
    default: break
    }
  }

  /// Applies the interruptions that were ignored while others managed the session, or ignores those that no longer concern nearend (S5).
  private mutating func heedInterruptions(_ effects: inout [SessionEffect]) {
    if settings.configuresDevices {
      guard !unheeded.isEmpty else { return }
      interruptions += unheeded
      unheeded = []
      isActivatedExternally = false
    } else {
      let unheededNow = interruptions.filter(\.isOfTheSession)
      unheeded += unheededNow
      interruptions.removeAll(where: \.isOfTheSession)
      if interruptions.isEmpty, !unheededNow.isEmpty || awaitsRecovery { recover(&effects) }
    }
  }

  /// Reports a recovery; in manual mode only if the call manager has meanwhile activated the session again.
  private mutating func recover(_ effects: inout [SessionEffect]) {
    awaitsRecovery = false
    if isUnitRunning { effects.append(.recovered) }
  }
}
