import Dispatch
import Foundation
import Nearend
import RealtimeCore
import SessionModel
import Synchronization

/// Keeps a running nearend as people want it: applies changes of nearend.toml and the settings that it has for devices in use, and
/// remembers what people change meanwhile (O4). [any]
package final class PreferenceKeeper: Sendable {
  private let service: NearendService
  private let configurationPath: String?
  private let rememberedFile: RememberedFile?
  private let queue = DispatchQueue(label: "nearend.preferences")
  /// Adds the stages of nearend.toml: trying a plug-in that hangs takes seconds, which must delay nothing else.
  private let stageQueue = DispatchQueue(label: "nearend.stages")
  private struct State {
    var layers: Layers
    /// Node names of the devices in use.
    var devices: Set<String> = []
    /// Run-time changes, by the device rule in force at the time ("" for none); they take precedence while it is in force.
    var changes: [Setting: [String: EventValue]] = [:]
    /// The last known value of each setting; a different one means that somebody has changed it.
    var seen: [Setting: EventValue] = [:]
    /// The participants present.
    var participants: [String: ParticipantStart] = [:]
    var stages = StageKeeper()
    var remotes = RemoteKeeper()
    /// Changes that are not written yet.
    var changedSettings: Set<Setting> = []
    var changedGains: Set<String> = []
    var isWriting = false
    var configurationStamp: FileStamp?
    var rememberedStamp: FileStamp?
    var watch: FileWatch?
    var subscription: EventBus.Subscription?
    var isStopped = false
  }
  private let state: Mutex<State>

  /// The state that a participant begins with, or was last seen in.
  private struct ParticipantStart: Equatable {
    var gain = 1.0
    var isMuted = false
  }

  /// Seconds for which changes are collected before they are written.
  private static let gathering = 0.3

  /// - Parameter layers: the values that nearend started with. Paths are nil if there is no such file.
  package init(_ service: NearendService, layers: Layers, configuration: String?, remembered: RememberedFile?) {
    self.service = service
    configurationPath = configuration
    rememberedFile = remembered
    var state = State(layers: layers)
    state.configurationStamp = configuration.map(FileStamp.init)
    state.rememberedStamp = remembered.map { FileStamp($0.path) }
    self.state = Mutex(state)
  }

  /// Applies what the service, which has started, could not begin with, and follows changes from then on. The stages of nearend.toml are
  /// added later, once their plug-ins have been tried. Called once.
  package func start() {
    queue.sync {
      state.withLock { $0.devices = devicesInUse }
      for setting in Layers.settings { state.withLock { $0.seen[setting] = service.value(of: setting) } }
      apply(Set(Layers.settings))
      _ = takeRemotes()
      for sink in service.snapshot().sinks { participantChanged(sink.id, .came) }
    }
    takeStages(nil)
    let subscription = service.events.subscribe { [weak self] event in self?.handle(event) }
    service.onParticipant { [weak self] id, change in
      self?.queue.async { [weak self] in self?.participantChanged(id, change) }
    }
    let paths = [configurationPath, rememberedFile?.path].compactMap { $0 }
    let watch = paths.isEmpty ? nil : FileWatch(paths, queue: queue) { [weak self] in self?.readFiles() }
    if watch == nil, !paths.isEmpty {
      service.warn("\(paths[0]) is not watched, because the kernel's limit is reached; changes apply at the next start")
    }
    state.withLock { state in
      state.subscription = subscription
      state.watch = watch
    }
    // Covers changes between reading and watching.
    queue.async { self.readFiles() }
  }

  /// Writes what is to be remembered, and ends a trial in progress. Called before the service stops.
  package func stop() {
    service.onParticipant(nil)
    let ended = state.withLock { state in
      defer { (state.subscription, state.watch, state.isStopped) = (nil, nil, true) }
      return (state.subscription, state.watch)
    }
    service.endTrials()
    stageQueue.sync {}
    queue.sync { write() }
    withExtendedLifetime(ended) {}
  }

  // MARK: Events

  private func handle(_ event: AudioEvent) {
    switch event.kind {
    case .settingChanged:
      guard let setting = event.detail["setting"]?.word(Setting.self) else { return }
      queue.async { [weak self] in self?.noticed(setting.views[0]) }
    case .deviceChange, .routeChange: queue.async { [weak self] in self?.deviceChanged() }
    default: break
    }
  }

  private var devicesInUse: Set<String> {
    let route = service.snapshot().route
    return Set([route.microphone?.name, route.speaker?.name].compactMap { $0 })
  }

  private func deviceChanged() {
    // A pick may be reported after the change of device that it caused.
    for setting in Layers.settings { noticed(setting) }
    let devices = devicesInUse
    let isOther = state.withLock { state in
      defer { state.devices = devices }
      return state.devices != devices
    }
    if isOther { apply(Set(Layers.settings).subtracting([.microphoneMuted])) }
  }

  /// Records a value that differs from the last known one as a change by somebody.
  private func noticed(_ setting: Setting) {
    let value = service.value(of: setting).rounded
    let overruled: (Layers.Origin, EventValue)? = state.withLock { state in
      guard let seen = state.seen[setting], seen.rounded != value else { return nil }
      state.seen[setting] = value
      let (said, origin) = state.layers.resolved(setting, devices: state.devices)
      state.changes[setting, default: [:]][origin.rule] = value
      // A change under a device rule concerns that device alone, and is not remembered for all others.
      guard origin.rule.isEmpty, setting.isRemembered else { return said.rounded == value ? nil : (origin, said) }
      state.layers.remembered[setting] = value
      state.changedSettings.insert(setting)
      let next = state.layers.resolved(setting, devices: state.devices)
      return next.value.rounded == value ? nil : (next.origin, next.value)
    }
    if let (origin, said) = overruled, origin != .standard {
      service.remark(
        "\(setting.rawValue) is \(value.inTOML) for this run only: \(origin == .commandLine ? "the " : "")\(origin.words) says \(said.inTOML)"
      )
    }
    writeSoon()
  }

  private func participantChanged(_ id: String, _ change: ParticipantChange) {
    switch change {
    case .left: state.withLock { $0.participants[id] = nil }
    case .came:
      let wanted = state.withLock { state in
        let wanted = Self.start(of: id, in: state.layers)
        state.participants[id] = wanted
        return wanted
      }
      if let sink = sink(id) { set(sink, to: wanted) }
    case .changed:
      guard let sink = sink(id) else { return }
      state.withLock { state in
        let isSomebodys = state.participants[id].map { abs($0.gain - sink.gain) > 1e-4 } ?? false
        state.participants[id] = ParticipantStart(gain: sink.gain, isMuted: sink.isMuted)
        guard isSomebodys else { return }
        state.layers.remembered.setGain((sink.gain * 1e4).rounded() / 1e4, of: id)
        state.changedGains.insert(id)
      }
      writeSoon()
    }
  }

  private func sink(_ id: String) -> SinkStatus? { service.snapshot().sinks.first { $0.id == id } }

  private static func start(of id: String, in layers: Layers) -> ParticipantStart {
    let said = layers.configuration.participant(id)
    return ParticipantStart(gain: said.gain ?? layers.remembered.gain(of: id) ?? 1, isMuted: said.isMuted ?? false)
  }

  private func set(_ sink: SinkStatus, to wanted: ParticipantStart) {
    if wanted.gain != sink.gain { service.perform(.setSinkGain(id: sink.id, wanted.gain)) }
    if wanted.isMuted != sink.isMuted { service.perform(.setSinkMuted(id: sink.id, wanted.isMuted)) }
  }

  // MARK: Applying settings

  /// Sets each of the settings to the value in force now.
  private func apply(_ settings: Set<Setting>) {
    for setting in Layers.settings where settings.contains(setting) {
      let now = service.value(of: setting)
      let wanted: EventValue = state.withLock { state in
        let (said, origin) = state.layers.resolved(setting, devices: state.devices)
        let wanted = state.changes[setting]?[origin.rule] ?? said
        state.seen[setting] = wanted
        return wanted
      }
      guard wanted.rounded != now.rounded else { continue }
      do throws(SettingError) {
        try service.set(setting, to: wanted)
      } catch {
        state.withLock { $0.seen[setting] = now }
        service.warn("\(error); it stays \(now.inTOML)")
      }
    }
  }

  // MARK: Files

  private func readFiles() {
    if let configurationPath { readConfiguration(configurationPath) }
    if let rememberedFile { readRemembered(rememberedFile) }
  }

  private func readConfiguration(_ path: String) {
    let stamp = FileStamp(path)
    let isOther = state.withLock { state in
      defer { state.configurationStamp = stamp }
      return state.configurationStamp != stamp
    }
    guard isOther else { return }
    let configuration: Configuration
    do throws(ConfigurationError) { configuration = try Configuration(path: path) } catch {
      for line in error.lines.prefix(5) { service.warn(line) }
      return service.warn("\(path) is invalid; the previous configuration stays in effect")
    }
    let (old, layers) = state.withLock { state in
      let old = state.layers
      state.layers.configuration = configuration
      return (old, state.layers)
    }
    guard old.configuration != configuration else { return }
    let (changed, sinks) = takeOver(old, layers)
    let words = changed.map { "\($0.rawValue) \(layers.resolved($0, devices: state.withLock { $0.devices }).value.inTOML)" } + sinks
    service.remark("\(path) applied" + (words.isEmpty ? "" : ": \(words.joined(separator: ", "))"))
    if old.configuration.stages != configuration.stages { takeStages(path) }
    let later = RunOption.allCases.filter { $0 != .sinks && $0 != .sends && old.configuration.option($0) != configuration.option($0) }
    if !later.isEmpty { service.remark("\(later.map(\.rawValue).joined(separator: ", ")): takes effect at the next start") }
    if old.resolved(.microphoneMuted).value != layers.resolved(.microphoneMuted).value {
      service.remark("microphoneMuted: takes effect at the next start (a file never unmutes a running nearend)")
    }
  }

  /// Applies a changed file. What it says differently than before takes precedence over what people have set since.
  private func takeOver(_ old: Layers, _ new: Layers) -> (settings: [Setting], sinks: [String]) {
    let devices = state.withLock { $0.devices }
    let changed = Layers.settings.filter {
      $0 != .microphoneMuted && old.resolved($0, devices: devices).value != new.resolved($0, devices: devices).value
    }
    state.withLock { state in
      for setting in Layers.settings where changed.contains(setting) || old.configuration.says(setting) != new.configuration.says(setting) {
        state.changes[setting] = nil
      }
    }
    apply(Set(changed))
    var words: [String] = []
    if case (.list(let before), .list(let now)) = (old.configuration.option(.sinks), new.configuration.option(.sinks)) {
      for id in before where !now.contains(id) {
        service.removeSink(id: id)
        words.append("without \(id)")
      }
      for id in now where !before.contains(id) {
        do throws(SinkError) {
          try service.addGraphSink(id: id)
          words.append("with \(id)")
        } catch { service.warn("sinks: \(error)") }
      }
    }
    words += takeRemotes()
    for sink in service.snapshot().sinks {
      let (before, now) = (Self.start(of: sink.id, in: old), Self.start(of: sink.id, in: new))
      guard before != now else { continue }
      state.withLock { $0.participants[sink.id] = now }
      set(sink, to: now)
    }
    return (changed, words)
  }

  /// Applies the stages of nearend.toml on a queue of its own; with a `path`, reports the changes under that name.
  private func takeStages(_ path: String?) {
    stageQueue.async { [weak self] in
      guard let self else { return }
      var (rules, stages) = state.withLock { ($0.layers.configuration.stages, $0.stages) }
      let words = stages.take(rules, service)
      state.withLock { [stages] in $0.stages = stages }
      if let path, !words.isEmpty { service.remark("\(path): \(words.joined(separator: ", "))") }
    }
  }

  /// Called without the lock: participants that it adds are reported back.
  private func takeRemotes() -> [String] {
    let configuration = state.withLock { $0.layers.configuration }
    guard case .list(let sends) = configuration.option(.sends) else { return [] }
    var remotes = state.withLock { $0.remotes }
    let words = remotes.take(configuration.remotes, sends: sends, service)
    state.withLock { $0.remotes = remotes }
    return words
  }

  /// Follows another process that has made nearend forget: what is no longer remembered is forgotten here, too.
  private func readRemembered(_ file: RememberedFile) {
    let stamp = FileStamp(file.path)
    let isOther = state.withLock { state in
      defer { state.rememberedStamp = stamp }
      return state.rememberedStamp != stamp && state.changedSettings.isEmpty && state.changedGains.isEmpty
    }
    guard isOther else { return }
    let remembered = file.read { service.warn($0) }
    let changed: [Setting] = state.withLock { state in
      let before = state.layers.remembered
      state.layers.remembered = remembered
      let changed = Layers.settings.filter { before[$0] != remembered[$0] }
      for setting in changed { state.changes[setting] = nil }
      return changed
    }
    guard !changed.isEmpty else { return }
    apply(Set(changed))
    service.remark("reset: \(changed.map { "\($0.rawValue) \(service.value(of: $0).rounded.inTOML)" }.joined(separator: ", "))")
  }

  private func writeSoon() {
    let isDue = state.withLock { state in
      guard !state.isWriting, !state.changedSettings.isEmpty || !state.changedGains.isEmpty else { return false }
      state.isWriting = true
      return true
    }
    guard isDue else { return }
    queue.asyncAfter(deadline: .now() + Self.gathering) { [weak self] in self?.write() }
  }

  private func write() {
    let (settings, gains, remembered) = state.withLock { state in
      defer { (state.changedSettings, state.changedGains, state.isWriting) = ([], [], false) }
      return (state.changedSettings, state.changedGains, state.layers.remembered)
    }
    guard let rememberedFile, !settings.isEmpty || !gains.isEmpty else { return }
    do {
      let written = try rememberedFile.update(complain: { service.warn($0) }) { file in
        for setting in settings { file[setting] = remembered[setting] }
        for id in gains { file.setGain(remembered.gain(of: id), of: id) }
      }
      state.withLock { state in
        state.layers.remembered = written
        state.rememberedStamp = FileStamp(rememberedFile.path)
      }
    } catch {
      service.warn("\(rememberedFile.path) cannot be written; changes will not be remembered: \(error)")
    }
  }
}

extension Layers.Origin {
  /// The pattern of the device rule; "" for any other origin.
  fileprivate var rule: String { if case .device(let pattern, _) = self { pattern } else { "" } }
}

extension Configuration {
  /// Everything that the file says of a setting, without the lines.
  fileprivate func says(_ setting: Setting) -> [EventValue?] {
    setting.views.flatMap { view in [settings[view]?.value] + devices.map { $0.settings[view]?.value } }
  }
}

extension EventValue {
  /// Rounds numbers to four decimals, because gains are held in single precision.
  fileprivate var rounded: EventValue { if case .number(let number) = self { .number((number * 1e4).rounded() / 1e4) } else { self } }
}

extension NearendService {
  fileprivate func warn(_ message: String) { remark(message, .warning) }
}
