import PipeWireClient
import Platform
import RealtimeCore
import SessionModel

/// Lowers other applications on the real speaker while a call is up, and restores them (D3). [control]
///
///     registry ──▶ streams ─┐
///     call, voice ──▶ gain ─┴▶ one small step each 10 ms ──▶ the stream's own volume, never the device's
///
/// The volume that the user has set stays the same in every mixer, and in the session manager's memory: a stream that ends while lowered
/// returns with that volume. Only the audible volume changes, so only streams that still exist have to be restored.
final class DuckingKeeper {
  var settings: DuckingSettings { didSet { if settings != oldValue { updateTargets() } } }

  private struct Entry {
    let identity: DuckedStream
    let volumes: NodeVolumes
    /// nil until the stream's volume is known.
    var ducking: StreamDucking?
    /// Whether the stream plays to the real speaker and is not part of the call.
    var isOther = true
  }

  private let loop: ThreadLoop
  private let core: AudioCore
  private let remote: String?
  /// Saves the lowered streams, from before they are lowered until they are restored, to be restored after a crash.
  private let restore: RestoreKeeper
  private let events: EventSender<ControllerEvent>
  /// Exists while there is something to do. Separate, because setting a stream's volume waits for the stream's program, which may hang.
  private var connection: Connection?
  private var isLost = false
  private var entries: [UInt64: Entry] = [:]
  /// Streams that an earlier run, or an earlier connection, lowered and did not restore.
  private var unrestored: [DuckedStream]
  private var saved: [DuckedStream]
  private var voice = VoiceActivity()
  private var isCallUp = false
  private var isRestoringAll = false
  private var gain = 0.0
  private var lastStep: Double?
  private let timer: LoopTimer
  private let voiceTimer: LoopTimer

  /// Seconds between steps.
  private static let interval = 0.01

  /// - Parameter remote: path of the daemon's socket, or its name; nil for the user's own.
  init(
    loop: ThreadLoop, core: AudioCore, remote: String?, settings: DuckingSettings, restore: RestoreKeeper,
    events: EventSender<ControllerEvent>
  ) {
    self.settings = settings
    self.loop = loop
    self.core = core
    self.remote = remote
    self.restore = restore
    self.events = events
    unrestored = restore.content.ducked ?? []
    saved = unrestored
    timer = LoopTimer(loop: loop)
    voiceTimer = LoopTimer(loop: loop)
    timer.connect(to: self) { $0.step() }
    voiceTimer.connect(to: self) { $0.updateTargets() }
  }

  // MARK: The daemon

  private func connect() throws(PipeWireError) -> Connection {
    if isLost { disconnected() }
    if let connection { return connection }
    let new = try Connection(loop: loop, remote: remote, properties: DaemonAttachment.client) { [weak self] event in
      switch event {
      case .added(let object) where object.kind == .node: self?.events.send(.isDue)
      case .lost:
        self?.isLost = true
        self?.events.send(.isDue)
      default: break
      }
    }
    connection = new
    return new
  }

  /// Waits until the daemon has processed all requests, for a second at most.
  func wait() { connection?.roundTrip(timeout: 1) }

  func disconnected() {
    // They still play if the same daemon is reached again.
    unrestored += entries.values.filter { isLowered($0) }.map(\.identity)
    entries = [:]
    connection = nil
    isLost = false
  }

  /// Starts to restore everything; the event `unducked` reports the end. The connection must stay until then.
  func restoreAll() {
    isRestoringAll = true
    updateTargets()
    if isRestored { events.send(.unducked) }
  }

  func end() {
    timer.cancel()
    voiceTimer.cancel()
  }

  var isRestored: Bool { !entries.values.contains { isLowered($0) } }

  // MARK: Facts

  /// Updates with the streams that exist now. `ownClients` take part in the call, or are nearend.
  func update(_ objects: GraphObjects, speaker: UInt32?, ownClients: Set<UInt32>) throws(PipeWireError) {
    loop.assertLocked()
    var others = OtherStreams.find(in: objects, speaker: speaker, ownClients: ownClients)
    if !isCallUp { others = [] }
    let alive = Dictionary(objects.nodes.map { ($0.serial, $0) }) { $1 }
    entries = entries.filter { alive[$0.key] != nil }
    unrestored = unrestored.filter { alive[$0.serial]?.nodeName == $0.node }
    if !unrestored.isEmpty || !others.isEmpty {
      let connection = try connect()
      // This connection's registry may lag behind the one that `objects` come from.
      func isKnown(_ node: GlobalObject) -> Bool { connection.objects[node.id]?.serial == node.serial }
      try restoreFromEarlierRun(alive.filter { isKnown($0.value) }, connection)
      for node in others where entries[node.serial] == nil && isKnown(node) { try add(node, DuckedStream(node), connection) }
    }
    let serials = Set(others.map(\.serial))
    for serial in entries.keys { entries[serial]?.isOther = serials.contains(serial) }
    updateTargets()
  }

  private func add(_ node: GlobalObject, _ identity: DuckedStream, _ connection: Connection) throws(PipeWireError) {
    let volumes = try NodeVolumes(connection, id: node.id) { [weak self] in self?.volumesChanged(node.serial) }
    entries[node.serial] = Entry(identity: identity, volumes: volumes)
  }

  private func restoreFromEarlierRun(_ alive: [UInt64: GlobalObject], _ connection: Connection) throws(PipeWireError) {
    for stream in unrestored {
      guard let node = alive[stream.serial] else { continue }
      unrestored.removeAll { $0 == stream }
      guard entries[stream.serial] == nil else { continue }
      try add(node, stream, connection)
      entries[stream.serial]?.isOther = false
      restoring.insert(stream.serial)
    }
  }
  private var restoring: Set<UInt64> = []

  /// Updates with whether voice processing runs for a call, and who speaks in it. `far`: linear RMS of nearend's mix.
  /// - Returns: whether a call begins or ends, so that a reconciliation is due.
  func update(isCallUp: Bool, near: Bool, far: Float) -> Bool {
    voice.update(near: near, far: far, at: monotonicSeconds())
    let isNews = isCallUp != self.isCallUp
    self.isCallUp = isCallUp
    if isNews || settings.isAdvanced { updateTargets() }
    return isNews
  }

  private func volumesChanged(_ serial: UInt64) {
    guard var entry = entries[serial], let setting = entry.volumes.setting else { return }
    let volumes = StreamVolumes(channels: setting.channels, isMuted: setting.isMuted)
    if restoring.remove(serial) != nil {
      entry.volumes.restore()
      events.send(.remark(.info, "\(entry.identity.application): volume restored after a crash"))
    }
    if var ducking = entry.ducking {
      let wasLeftAlone = ducking.isLeftAlone
      ducking.volumesChanged(volumes, at: monotonicSeconds())
      if ducking.isLeftAlone, !wasLeftAlone {
        events.send(.remark(.info, "\(entry.identity.application): volume changed during the call; not lowered until the next call"))
      }
      entry.ducking = ducking
    } else {
      entry.ducking = StreamDucking(volumes, at: monotonicSeconds())
    }
    entries[serial] = entry
    updateTargets()
  }

  // MARK: Ramps

  private func isLowered(_ entry: Entry) -> Bool { entry.ducking.map { $0.decibels != 0 && !$0.isLeftAlone } ?? false }
  private func target(_ entry: Entry) -> Double { entry.isOther ? gain : 0 }
  private func isMoving(_ entry: Entry) -> Bool { entry.ducking?.isMoving(to: target(entry)) ?? false }

  /// Sets every stream's target, and starts the ramp if one has to move.
  private func updateTargets() {
    gain = isCallUp && !isRestoringAll ? settings.gain(hasVoice: voice.hasVoice(at: monotonicSeconds())) : 0
    if isCallUp, settings.isAdvanced, let end = voice.end(after: monotonicSeconds()) {
      voiceTimer.schedule(after: max(0.01, end - monotonicSeconds()))
    }
    dropFinishedStreams()
    if entries.values.contains(where: isMoving) {
      if lastStep == nil {
        lastStep = monotonicSeconds()
        timer.schedule(after: Self.interval, every: Self.interval)
      }
    } else if lastStep != nil {
      lastStep = nil
      timer.pause()
    }
  }

  private func step() {
    let now = monotonicSeconds()
    // A delayed thread must not make a larger step.
    let seconds = min(now - (lastStep ?? now), 2 * Self.interval)
    lastStep = now
    for serial in entries.keys {
      guard let entry = entries[serial], var ducking = entry.ducking else { continue }
      let heard = ducking.step(to: target(entry), seconds: seconds, cycle: core.cycleMeters.cycleLength, isLeaving: isRestoringAll)
      entries[serial]?.ducking = ducking
      save()
      switch heard {
      case .lowered(let channels): entry.volumes.lower(to: channels)
      case .asSet: entry.volumes.restore()
      case nil: break
      }
    }
    updateTargets()
    if isRestoringAll, isRestored { events.send(.unducked) }
  }

  /// Drops streams that are gone or restored.
  private func dropFinishedStreams() {
    entries = entries.filter { $0.value.isOther || isLowered($0.value) || $0.value.ducking?.isLeftAlone ?? true }
    // A stream whose volume a person moved in this call may be ducked in the next.
    if !isCallUp { entries = entries.filter { isLowered($0.value) || restoring.contains($0.key) } }
    restoring.formIntersection(entries.keys)
    save()
  }

  /// Saves before anything is lowered, and until everything is restored.
  private func save() {
    let now =
      unrestored + entries.filter { isLowered($0.value) || restoring.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value.identity)
    guard now != saved else { return }
    saved = now
    restore.change { $0.ducked = now.isEmpty ? nil : now }
  }

  // MARK: What others see

  var status: DuckingStatus {
    DuckingStatus(
      settings: settings, isActive: isCallUp, hasVoice: voice.hasVoice(at: monotonicSeconds()), gain: gain,
      streams: entries.sorted { $0.key < $1.key }.map(\.value).filter { isLowered($0) }.map(\.identity.application))
  }
}
