@testable import SessionModel

/// Sessions and effects as words, so that a table of transitions can be read.
///
///     mic:s      media that sends, :r receives, :sr both; ~name is an application
///     source=mic.deferred   sink=ear   held=daemonLost   unheeded=role
extension SessionState {
  var words: [String] {
    var words = media.map { "\($0.owner == .application ? "~" : "")\($0.id):\($0.isSend ? "s" : "")\($0.isReceive ? "r" : "")" }
    if let source { words.append("source=\(source.mediaId).\(source.phase)") }
    words += sinks.map { "sink=\($0)" } + interruptions.map { "held=\($0)" } + unheeded.map { "unheeded=\($0)" }
    let flags = [
      ("activated", isActivated), ("granted", isActivatedExternally), ("awaits", awaitsRecovery), ("background", !isInForeground),
      ("manual", settings.isManual), ("raw", !settings.usesVoiceProcessing), ("unlinked", !settings.isAutomaticConfigurationEnabled),
      ("lasting", !settings.isAutomaticDeactivationEnabled), ("muted", settings.isMicrophoneMuted),
      ("prepared", settings.isRecordingAlwaysPrepared),
    ]
    words += flags.filter(\.1).map(\.0)
    return words + ["capture=\(settings.captureChannelCount)", "render=\(settings.renderChannelCount)"]
  }

  /// The differences between this state and `next`: "-source=mic.running +source=mic.deferred".
  func change(to next: SessionState) -> [String] {
    words.filter { !next.words.contains($0) }.map { "-\($0)" } + next.words.filter { !words.contains($0) }.map { "+\($0)" }
  }
}

extension SessionDemand {
  /// "sr+awake"; "none" if nothing is to be linked.
  var words: String {
    guard isActive else { return "none" }
    return
      "\(sends ? "s" : "")\(receives ? "r" : "")\(keepsAwake ? "+awake" : "")\(linksDevices ? "" : "+unlinked")\(sends && !opensMicrophone ? "+closed" : "")"
  }
}

extension SessionEffect {
  var words: String {
    switch self {
    case .refused(let refusal): "refuse:\(refusal.word)"
    case .demand(let demand): "demand:\(demand.words)"
    case .voiceProcessing(let on): "processing:\(on ? "on" : "off")"
    case .microphone(let gate): "gate:\(gate.isMuted ? (gate.mutesInput ? "input" : "muted") : "")\(gate.isOnlyPrepared ? "held" : "")"
    case .channelCounts(let capture, let render): "channels:\(capture)/\(render)"
    case .attachSource(let id): "attach:\(id)"
    case .detachSource(let id): "detach:\(id)"
    case .removeSource(let id): "remove-source:\(id)"
    case .removeSink(let id): "remove-sink:\(id)"
    case .resetSinks: "reset"
    case .rebuild: "rebuild"
    case .recovered: "recovered"
    case .warn: "warn"
    }
  }
}

extension SessionRefusal {
  var word: String {
    switch self {
    case .unknownMedia: "unknown"
    case .wrongDirection: "direction"
    case .sourceTaken: "taken"
    case .sinkExists: "exists"
    case .locked: "locked"
    case .impossible: "impossible"
    case .ended: "ended"
    case .notManual: "not manual"
    }
  }
}

/// Representative states, each constructed directly, not by `reduce`.
enum Representative: String, CaseIterable {
  case idle, receiving, sending, sourced, call, application, unlinked, lasting
  case interrupted, background, interruptedInBackground, awaitingForeground
  case manualIdle, manualGranted, manualWaiting, manualActive, manualInterrupted

  var state: SessionState {
    var state = SessionState()
    let mic = Media(id: "mic", isSend: true, isReceive: false)
    let ear = Media(id: "ear", isSend: false, isReceive: true)
    func call(running: Bool) {
      state.media = [mic, ear]
      state.source = SessionState.Source(mediaId: "mic", phase: running ? .running : .deferred)
      state.sinks = ["ear"]
    }
    state.settings.isManual = rawValue.hasPrefix("manual")
    state.isActivated = ![.idle, .manualIdle, .manualGranted, .manualWaiting, .manualActive, .manualInterrupted].contains(self)
    switch self {
    case .idle, .manualIdle: break
    case .receiving: state.media = [ear]
    case .sending: state.media = [mic]
    case .sourced:
      state.media = [mic]
      state.source = SessionState.Source(mediaId: "mic", phase: .running)
    case .call: call(running: true)
    case .application: state.media = [Media(id: "parec", isSend: true, isReceive: false, owner: .application)]
    case .unlinked:
      call(running: true)
      state.settings.isAutomaticConfigurationEnabled = false
    case .lasting: state.settings.isAutomaticDeactivationEnabled = false
    case .interrupted:
      call(running: false)
      state.interruptions = [.daemonLost]
    case .background:
      call(running: true)
      state.isInForeground = false
    case .interruptedInBackground:
      call(running: false)
      state.interruptions = [.daemonLost]
      state.isInForeground = false
    case .awaitingForeground:
      call(running: false)
      state.isInForeground = false
      state.awaitsRecovery = true
    case .manualGranted: state.isActivatedExternally = true
    case .manualWaiting: call(running: false)
    case .manualActive:
      call(running: true)
      state.isActivatedExternally = true
    case .manualInterrupted:
      call(running: false)
      state.interruptions = [.daemonLost]
    }
    return state
  }
}

/// Representative events, by name.
let events: [(name: String, event: SessionEvent)] = [
  ("registerMedia new:s", .registerMedia(id: "new", isSend: true, isReceive: false)),
  ("registerMedia new:r", .registerMedia(id: "new", isSend: false, isReceive: true)),
  ("registerMedia new:sr", .registerMedia(id: "new", isSend: true, isReceive: true)),
  ("registerMedia new:", .registerMedia(id: "new", isSend: false, isReceive: false)),
  ("registerMedia parec:r", .registerMedia(id: "parec", isSend: false, isReceive: true)),
  ("unregisterMedia mic", .unregisterMedia(id: "mic")),
  ("unregisterMedia ear", .unregisterMedia(id: "ear")),
  ("unregisterMedia parec", .unregisterMedia(id: "parec")),
  ("unregisterMedia nobody", .unregisterMedia(id: "nobody")),
  ("registerSource mic", .registerSource(mediaId: "mic")),
  ("registerSource ear", .registerSource(mediaId: "ear")),
  ("registerSource nobody", .registerSource(mediaId: "nobody")),
  ("unregisterSource mic", .unregisterSource(mediaId: "mic")),
  ("unregisterSource ear", .unregisterSource(mediaId: "ear")),
  ("registerSink ear", .registerSink(mediaId: "ear")),
  ("registerSink mic", .registerSink(mediaId: "mic")),
  ("registerSink nobody", .registerSink(mediaId: "nobody")),
  ("unregisterSink ear", .unregisterSink(mediaId: "ear")),
  ("unregisterSink nobody", .unregisterSink(mediaId: "nobody")),
  ("set useVoiceProcessingIO false", .setInitOnly(.useVoiceProcessingIO(false))),
  ("set channelCount 2", .setInitOnly(.channelCount(2))),
  ("set captureChannelCount 2", .setInitOnly(.captureChannelCount(2))),
  ("set renderChannelCount 1", .setInitOnly(.renderChannelCount(1))),
  ("set manual true", .setInitOnly(.manualAudioSessionManagement(true))),
  ("set manual false", .setInitOnly(.manualAudioSessionManagement(false))),
  ("channelCount 3", .setInitOnly(.channelCount(3))),
  ("voiceProcessing off", .setVoiceProcessingEnabled(false)),
  ("automaticConfiguration off", .setAutomaticConfiguration(false)),
  ("automaticConfiguration on", .setAutomaticConfiguration(true)),
  ("automaticDeactivation off", .setAutomaticDeactivation(false)),
  ("automaticDeactivation on", .setAutomaticDeactivation(true)),
  ("activate", .activatedExternally),
  ("deactivate", .deactivatedExternally),
  ("applications parec:s", .applications([Media(id: "parec", isSend: true, isReceive: false, owner: .application)])),
  ("applications none", .applications([])),
  ("began daemonLost", .interruptionBegan(.daemonLost)),
  ("began noDevice", .interruptionBegan(.noDevice)),
  ("ended daemonLost", .interruptionEnded(.daemonLost)),
  ("ended noDevice", .interruptionEnded(.noDevice)),
  ("to background", .enteredBackground),
  ("to foreground", .enteredForeground),
  ("began frozen", .interruptionBegan(.frozen)),
  ("ended frozen", .interruptionEnded(.frozen)),
]
