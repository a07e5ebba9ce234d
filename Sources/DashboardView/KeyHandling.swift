import Glibc
import SessionModel

extension ViewState {
  /// Applies a key to this view, and returns the commands for nearend. A switch inverts what the snapshot shows as requested (U2).
  package mutating func press(_ key: Key, on snapshot: Snapshot, size: Size) -> KeyResponse {
    notice = nil
    guard let action = KeyGroup.actions[key] else { return KeyResponse(isUnderstood: false) }
    if action.needsPages, !size.isLargeEnough {
      notice = "Pages need \(Size.minimum.width)x\(Size.minimum.height)."
      return KeyResponse()
    }
    switch action {
    case .toggleBypass: return set(.bypassVoiceProcessing, .bool(!snapshot.processing.isBypassed))
    case .toggle(let component):
      let isRequested = snapshot.processing.components.first { $0.component == component }?.isRequested ?? false
      return set(component.setting, .bool(!isRequested))
    case .otherEngine: return set(.echoCanceller, EventValue(snapshot.processing.engine == .nearend ? EchoCanceller.webrtc : .nearend))
    case .nextMicMode:
      let modes = MicMode.allCases
      let next = modes[((modes.firstIndex(of: snapshot.processing.micMode.requested) ?? 0) + 1) % modes.count]
      notice = "Chosen mic mode: \(next.meaning)."
      return set(.micMode, EventValue(next))
    case .toggleMicrophone: return set(.microphoneMuted, .bool(!snapshot.session.isMicrophoneMuted))
    case .nextMuteMode:
      let modes = MicrophoneMuteMode.allCases
      let next = modes[((modes.firstIndex(of: snapshot.session.microphoneMuteMode) ?? 0) + 1) % modes.count]
      notice = "Mute mode: \(next.meaning)."
      return set(.microphoneMuteMode, EventValue(next))
    case .togglePrepared: return set(.recordingAlwaysPrepared, .bool(!snapshot.session.isRecordingAlwaysPrepared))
    case .toggleAppDucking: return set(.appDucking, .bool(!snapshot.appAudio.isDucking))
    case .toggleAppMonitor: return set(.appMonitor, .bool(!snapshot.appAudio.isMonitored))
    case .stepVolume(let volume, let tenths): return step(volume, tenths, snapshot)
    case .muteSink: return withSelectedSink(snapshot) { .setSinkMuted(id: $0.id, !$0.isMuted) }
    case .setGain(let step): return withSelectedSink(snapshot) { .setSinkGain(id: $0.id, Double(step) / 5) }
    case .stepGain(let decibels):
      return withSelectedSink(snapshot) { .setSinkGain(id: $0.id, Self.gain($0.gain, steppedBy: decibels)) }
    case .pickDevice, .openRoutes: return pickDevice(snapshot, opensPage: action == .openRoutes)
    case .toggleDefaultDevices:
      let isOn = snapshot.route.defaults.requested != .off || snapshot.route.areOursDefault
      return set(.defaultDevices, EventValue(isOn ? DefaultDeviceMode.off : .switchedOn))
    case .otherReference: return set(.reference, EventValue(snapshot.route.reference == .everything ? ReferenceSource.mix : .everything))
    case .turnDucking:
      let levels = DuckingLevel.allCases
      let index = levels.firstIndex(of: snapshot.ducking.settings.level) ?? 0
      return set(.duckingLevel, EventValue(levels[(index + 1) % levels.count]))
    case .toggleAdvancedDucking: return set(.isAdvancedDuckingEnabled, .bool(!snapshot.ducking.settings.isAdvanced))
    case .resumeAfterUnplug:
      guard snapshot.route.isPausedAfterUnplug else {
        notice = "Nothing is paused."
        return KeyResponse()
      }
      return command(.resumeAfterUnplug)
    case .listen:
      isHelpShown = false
      if let audition = snapshot.audition, audition.isActive {
        auditionBefore = audition.number - 1
        return command(.stopListening)
      }
      auditionBefore = snapshot.audition?.number ?? 0
      return command(.listen(seconds: AuditionStatus.standardLength))
    case .clearCounters: return command(.clearCounters)
    case .saveDiagnostics: return command(.saveDiagnostics)
    case .nextPreset:
      guard let next = snapshot.presets?.next else {
        notice = "There is no preset; 'nearend preset save NAME' makes one."
        return KeyResponse()
      }
      notice = "Preset: \(next)."
      return command(.loadPreset(next))
    case .move, .leap, .first, .last: select(action, snapshot, size)
    case .page(let page): show(page)
    case .turnPage(let count):
      show(Page(rawValue: (page.rawValue + count + Page.allCases.count) % Page.allCases.count) ?? .call)
    case .help: isHelpShown.toggle()
    case .back, .quit:
      if isHelpShown {
        isHelpShown = false
        break
      }
      if showsAudition {
        auditionBefore = nil
        return snapshot.audition?.isActive == true ? command(.stopListening) : KeyResponse()
      }
      guard action == .quit else { break }
      return KeyResponse(quits: true)
    }
    return KeyResponse()
  }

  private func command(_ command: Command) -> KeyResponse { KeyResponse(commands: [command]) }
  private func set(_ setting: Setting, _ value: EventValue) -> KeyResponse { command(.set(setting, value)) }

  private mutating func step(_ volume: Volume, _ tenths: Int, _ snapshot: Snapshot) -> KeyResponse {
    func stepped(_ value: Double) -> Double { min(max((value * 10).rounded() + Double(tenths), 0), 10) / 10 }
    let (app, output) = (snapshot.appAudio, snapshot.outputVolume)
    switch volume {
    case .microphone: return set(.micVolume, .number(stepped(app.micVolume)))
    case .app: return set(.appVolume, .number(stepped(app.appVolume)))
    case .output: return set(.outputVolume, .number(stepped(output)))
    }
  }

  private mutating func show(_ page: Page) {
    self.page = page
    isHelpShown = false
    auditionBefore = nil
  }

  private mutating func withSelectedSink(_ snapshot: Snapshot, _ make: (SinkStatus) -> Command) -> KeyResponse {
    guard let index = selectedSink(in: snapshot.sinks) else {
      notice = "There is no participant."
      return KeyResponse()
    }
    guard page == .call || page == .participants else {
      notice = "Participants are selected on Call (F1) and Participants (F2)."
      return KeyResponse()
    }
    sinkSelection = SinkSelection(id: snapshot.sinks[index].id, index: index)
    return command(make(snapshot.sinks[index]))
  }

  private mutating func pickDevice(_ snapshot: Snapshot, opensPage: Bool) -> KeyResponse {
    guard page == .routes, !isHelpShown else {
      if opensPage { show(.routes) } else { notice = "Devices are chosen on Routes (F3)." }
      return KeyResponse()
    }
    let choices = snapshot.route.choices
    let choice = choices[selectedDevice(in: choices)]
    return set(choice.direction.setting, .string(choice.name ?? ""))
  }

  private mutating func select(_ action: KeyAction, _ snapshot: Snapshot, _ size: Size) {
    switch page {
    case .call, .participants:
      guard let index = selectedSink(in: snapshot.sinks) else { return }
      let screenful = page == .call ? CallPage.sinkRows(snapshot, size) : ParticipantsPage.visibleRows(snapshot, size)
      let target = Self.target(action, from: index, count: snapshot.sinks.count, screenful: screenful)
      sinkSelection = SinkSelection(id: snapshot.sinks[target].id, index: target)
    case .routes:
      let choices = snapshot.route.choices
      let index = selectedDevice(in: choices)
      if case .leap(let count) = action {
        let direction: Device.Direction = count < 0 ? .input : .output
        if choices[index].direction != direction { deviceSelection = choices.first { $0.direction == direction } }
      } else {
        deviceSelection = choices[Self.target(action, from: index, count: choices.count, screenful: 1)]
      }
    case .diagnostics:
      let count = DiagnosticsPage.lineCount(snapshot, width: size.width, glyphs)
      let rows = DiagnosticsPage.visibleRows(count, Chrome.body(snapshot, size))
      let last = max(0, count - rows)
      diagnosticsScroll = Self.target(action, from: min(diagnosticsScroll, last), count: last + 1, screenful: rows)
    case .graphs:
      graphSpan = Self.target(action, from: graphSpan, count: GraphsPage.spans.count, screenful: 1)
    case .log:
      guard !snapshot.log.isEmpty else { return }
      let screenful = Chrome.body(snapshot, size).count - 1
      let newest = LogPage.newestShown(snapshot.log, anchor: logAnchor)
      let wanted = Self.target(action, from: newest, count: snapshot.log.count, screenful: screenful)
      let target = max(wanted, LogPage.newestOfFirstScreen(snapshot.log, width: size.width, rows: screenful))
      logAnchor = target == snapshot.log.count - 1 ? nil : snapshot.log[target]
    }
  }

  private static func target(_ action: KeyAction, from index: Int, count: Int, screenful: Int) -> Int {
    let target =
      switch action {
      case .move(let rows): index + rows
      case .leap(let screenfuls): index + screenfuls * max(1, screenful)
      case .first: 0
      default: count - 1
      }
    return min(max(target, 0), count - 1)
  }

  /// The gain at the next whole dB up or down; silence below −40 dB, at most +12 dB.
  static func gain(_ gain: Double, steppedBy decibels: Int) -> Double {
    guard gain > 0 else { return decibels > 0 ? pow(10, -40.0 / 20) : 0 }
    let target = (20 * log10(gain)).rounded() + Double(decibels)
    return target < -40 ? 0 : min(pow(10, target / 20), 4)
  }
}
