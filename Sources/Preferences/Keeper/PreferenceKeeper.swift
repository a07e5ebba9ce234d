import Nearend
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Keeps a running nearend as people want it: applies changes of nearend.toml and the settings that it has for devices in use, and
/// remembers what people change meanwhile (O4). [any]
///
///     service, files ─▶ events ─▶ PreferenceState ─▶ effects ─▶ service, remembered.json
package final class PreferenceKeeper: Sendable {
  let service: NearendService
  let configurationPath: String?
  private let writer: RememberedWriter?
  /// Handles the events, one after another: whoever mutes must not wait for a thread.
  let queue = SerialThread(name: "nearend-prefs", callsOthers: true)
  /// Adds the stages of nearend.toml: trying a plug-in that hangs takes seconds, which must delay nothing else.
  private let stageQueue = SerialThread(name: "nearend-stages", callsOthers: true)
  let state: Mutex<PreferenceState>
  /// Used on `queue` only.
  private let remotes = Mutex(RemoteKeeper())
  /// Used on `stageQueue` only.
  private let stages = Mutex(StageKeeper())
  private struct Observation {
    var configurationStamp: ConfigurationStamp?
    var watch: FileWatch?
    var subscription: EventBus.Subscription?
  }
  private let observation: Mutex<Observation>

  /// - Parameter layers: the values that nearend started with. Paths are nil if there is no such file.
  package init(_ service: NearendService, layers: Layers, configuration: String?, remembered: RememberedFile?) {
    self.service = service
    configurationPath = configuration
    let queue = queue
    writer = remembered.map { RememberedWriter($0, known: layers.remembered, queue: queue) { service.warn($0) } }
    state = Mutex(PreferenceState(layers: layers))
    observation = Mutex(Observation(configurationStamp: configuration.map(ConfigurationStamp.init)))
  }

  /// Applies what the service, which has started, could not begin with, and follows changes from then on. The stages of nearend.toml are
  /// added later, once their plug-ins have been tried. Called once.
  package func start() {
    writer?.onWritten { [weak self] remembered, hasOthersChanges in
      guard let self else { return }
      handle(hasOthersChanges ? .rememberedRead(remembered, values) : .rememberedWritten(remembered))
    }
    queue.sync {
      handle(.started(values, devices: devicesInUse))
      for sink in service.snapshot().sinks { participantChanged(sink.id, .came) }
    }
    let subscription = service.events.subscribe { [weak self] in self?.observe($0) }
    service.onReload { [weak self] in self?.reload() }
    service.keepPresets(self)
    // Every file in a file's folder counts.
    let presets = configurationPath.map { PresetFolder(beside: $0).file("any") }
    let paths = [configurationPath, writer?.path, presets].compactMap { $0 }
    let watch = paths.isEmpty ? nil : FileWatch(paths, queue: queue) { [weak self] in self?.readFiles() }
    if watch == nil, !paths.isEmpty {
      service.warn("\(paths[0]) is not watched, because the kernel's limit is reached; changes apply at the next start")
    }
    observation.withLock { ($0.subscription, $0.watch) = (subscription, watch) }
    // Covers changes between reading and watching.
    queue.async { self.readFiles() }
  }

  /// Writes what is to be remembered, and ends a trial in progress. Called before the service stops.
  package func stop() {
    service.onReload(nil)
    service.keepPresets(nil)
    let ended = observation.withLock { observation in
      defer { (observation.subscription, observation.watch) = (nil, nil) }
      return (observation.subscription, observation.watch)
    }
    service.endTrials()
    stageQueue.sync {}
    queue.sync { writer?.write() }
    withExtendedLifetime(ended) {}
  }

  // MARK: Observing

  private func observe(_ news: EventBus.News) {
    switch news {
    case .event(let event): observe(event)
    case .participant(let id, let change): queue.async { [weak self] in self?.participantChanged(id, change) }
    case .log, .failed: break
    }
  }

  private func observe(_ event: AudioEvent) {
    switch event.kind {
    case .settingChanged:
      guard let setting = event.detail["setting"]?.word(Setting.self)?.views[0] else { return }
      queue.async { [weak self] in
        guard let self else { return }
        handle(.noticed(setting, service.value(of: setting)))
      }
    case .deviceChange, .routeChange:
      queue.async { [weak self] in
        guard let self else { return }
        handle(.devicesChanged(devicesInUse, values))
      }
    default: break
    }
  }

  private var values: [Setting: EventValue] {
    Dictionary(uniqueKeysWithValues: Layers.settings.map { ($0, service.value(of: $0)) })
  }

  private var devicesInUse: Set<String> {
    let route = service.snapshot().route
    return Set([route.microphone?.name, route.speaker?.name].compactMap { $0 })
  }

  private func participantChanged(_ id: String, _ change: ParticipantChange) {
    switch change {
    case .came: handle(.participantCame(id))
    case .left: handle(.participantLeft(id))
    case .changed: if let mix = sink(id)?.mix { handle(.participantChanged(id, mix)) }
    }
  }

  private func sink(_ id: String) -> SinkStatus? { service.snapshot().sinks.first { $0.id == id } }

  /// Writes what is to be remembered, and applies what the files say. Stages are added later. [any]
  private func reload() {
    queue.sync {
      writer?.write()
      readFiles()
    }
  }

  /// Called on the queue.
  func readFiles() {
    if let configurationPath, let configuration = changedConfiguration(configurationPath) {
      handle(.configurationRead(configuration, values))
    }
    if let remembered = writer?.changedContents() { handle(.rememberedRead(remembered, values)) }
  }

  /// Returns what nearend.toml says; nil, with a warning, if it is invalid, and if it has not changed.
  private func changedConfiguration(_ path: String) -> Configuration? {
    let stamp = ConfigurationStamp(path)
    let isOther = observation.withLock { observation in
      defer { observation.configurationStamp = stamp }
      return observation.configurationStamp != stamp
    }
    guard isOther else { return nil }
    do throws(ConfigurationError) { return try Configuration(path: path) } catch {
      for line in error.lines.prefix(5) { service.warn(line) }
      service.warn("\(path) is invalid; the previous configuration stays in effect")
      return nil
    }
  }

  // MARK: Carrying out

  /// Called on the queue.
  func handle(_ event: PreferenceEvent) {
    // What sinks and connections were added and removed, in words.
    var words: [String] = []
    for effect in state.withLock({ $0.handle(event) }) { words += perform(effect, after: words) }
  }

  /// Carries an effect out. Returns the changes of sinks and connections in words.
  private func perform(_ effect: PreferenceEffect, after words: [String]) -> [String] {
    switch effect {
    case .set(let setting, let value): set(setting, to: value)
    case .setMix(let id, let mix): set(id, to: mix)
    case .addSink(let id):
      do throws(SinkError) { try service.addGraphSink(id: id) } catch {
        service.warn("sinks: \(error)")
        return []
      }
      return ["with \(id)"]
    case .removeSink(let id):
      service.removeSink(id: id)
      return ["without \(id)"]
    case .updateRemotes(let rules, let sends): return remotes.withLock { $0.update(rules, sends: sends, in: service) }
    case .updateStages(let rules, let reportsChanges): update(rules, reportsChanges: reportsChanges)
    case .remember(let setting, let value): writer?.remember(setting, value)
    case .rememberPreset(let name): writer?.remember(preset: name)
    case .rememberGain(let id, let gain): writer?.remember(gain: gain, of: id)
    case .reportConfiguration(let settings):
      let all = settings + words
      service.remark("\(configurationPath ?? "") applied" + (all.isEmpty ? "" : ": \(all.joined(separator: ", "))"))
    case .reportReset(let settings):
      service.remark("reset: \(settings.map { "\($0.rawValue) \(service.value(of: $0).rounded.inTOML)" }.joined(separator: ", "))")
    case .remark(let message): service.remark(message)
    case .warn(let message): service.warn(message)
    }
    return []
  }

  private func set(_ setting: Setting, to value: EventValue) {
    do throws(SettingError) { try service.set(setting, to: value) } catch {
      handle(.refused(setting, stays: service.value(of: setting), reason: "\(error)"))
    }
  }

  private func set(_ id: String, to mix: ParticipantMix) {
    guard let now = sink(id)?.mix else { return }
    if mix.gain != now.gain { service.perform(.setSinkGain(id: id, mix.gain)) }
    if mix.isMuted != now.isMuted { service.perform(.setSinkMuted(id: id, mix.isMuted)) }
  }

  private func update(_ rules: [StageRule], reportsChanges: Bool) {
    stageQueue.async { [weak self] in
      guard let self else { return }
      let words = stages.withLock { $0.update(rules, in: service) }
      if reportsChanges, !words.isEmpty { service.remark("\(configurationPath ?? ""): \(words.joined(separator: ", "))") }
    }
  }
}

extension SinkStatus {
  fileprivate var mix: ParticipantMix { ParticipantMix(gain: gain, isMuted: isMuted) }
}

extension NearendService {
  fileprivate func warn(_ message: String) { remark(message, .warning) }
}
