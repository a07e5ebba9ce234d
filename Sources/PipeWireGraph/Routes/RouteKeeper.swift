import Foundation
import PipeWireClient
import SessionModel

/// Decides which devices are used, and applies the consequences when they come and go (R1–R7). Survives the daemon; its watchers do not.
/// [control]
///
///     registry, cards, metadata ──▶ choice ──▶ headset profile, pause, route change
final class RouteKeeper {
  /// Callbacks to the owner.
  struct Hooks {
    /// Pauses or resumes the render path (R5).
    var pause: (Bool) -> Void
    var changed: (RouteChange) -> Void
    var remark: (LogEntry.Level, String) -> Void
    /// Requests a new choice.
    var again: () -> Void
  }

  private(set) var choice = RealDevices.Choice()
  /// The facts behind the last choice.
  private(set) var route = RouteDescription()

  private let hooks: Hooks
  private let state: StateFile
  private var devices = RealDevices()
  private var headset: HeadsetProfile
  private var pause: UnplugPause
  private var own: DefaultDevices
  /// The configured defaults other than nearend's, as last reported: kept for when another program makes nearend's the default.
  private var lastConfigured: [Device.Direction: String] = [:]
  /// The content of the state file.
  private(set) var kept: StateFile.Content
  /// A problem with the state file, until it has been logged.
  private var complaint: String?
  private var observation: RouteInstant?
  /// The headset in use, while it changes its profile.
  private var moving: Moving?
  private struct Moving {
    var card: String
    var speaker: String
    var since: Double
  }
  /// When each port became available: a port that the session manager starts to use a moment later is still new.
  private var arrivals: [PortId: Double] = [:]
  /// Until this time, a change of route is reported as `wakeFromSleep`.
  private var wakingUntil = 0.0
  /// Until this time, devices are still appearing after the daemon's return.
  private var settledAt = 0.0

  private var ports: PortWatch?
  private var defaults: DefaultMetadata?
  private var strays: StrayStreams?
  private var metadata: Metadata? { defaults?.metadata }
  private let loop: ThreadLoop
  private let timer: LoopTimer

  /// Seconds that a headset may take to change its profile, and a daemon to set up its devices.
  private static let patience = 2.0
  /// Seconds after a sleep in which devices still come back or prove missing: a headset has to connect first.
  private static let waking = 5.0

  init(_ options: GraphOptions, loop: ThreadLoop, hooks: Hooks) {
    self.hooks = hooks
    state = StateFile(folder: options.stateFolder)
    var unread: String?
    kept = state.read { unread = $0 }
    complaint = unread
    devices.pickedMicrophone = options.microphone
    devices.pickedSpeaker = options.speaker
    headset = HeadsetProfile(change: kept.headset)
    pause = UnplugPause(isEnabled: options.pausesOnUnplug)
    own = DefaultDevices(isWanted: options.areDefaultDevices, former: kept.formerDefaults)
    self.loop = loop
    timer = LoopTimer(loop: loop, handler: hooks.again)
  }

  // MARK: The daemon

  /// - Parameters:
  ///   - remote: the connection's.
  ///   - properties: the client's.
  func connected(_ connection: Connection, remote: String?, properties: Properties) {
    defaults = DefaultMetadata(loop: loop, remote: remote, properties: properties, changed: hooks.again)
    let cards = CardWatch(loop: loop, remote: remote, properties: properties, changed: hooks.again)
    ports = PortWatch(connection, cards: cards, changed: hooks.again)
    strays = StrayStreams(connection, changed: hooks.again)
    if let complaint { hooks.remark(.warning, complaint) }
    complaint = nil
    if observation != nil { settledAt = monotonicSeconds() + Self.patience }
  }

  /// Waits briefly for the session's defaults.
  func waitForDefaults() { defaults?.wait() }

  func disconnected() {
    ports = nil
    strays = nil
    defaults = nil
    moving = nil
  }

  /// Restores what was changed in the session. The connection must stay for a moment.
  func leave() {
    timer.pause()
    if let ports, let request = headset.leave(cards: ports.headsets) {
      ports.perform(request)
      ports.cards.wait()
    }
    if let metadata {
      own.leave(metadata) { former in keep { $0.formerDefaults = former } }
      defaults?.wait()
    }
    keep { $0.headset = headset.change }
  }

  func end() { timer.cancel() }

  /// Reports that the machine is about to sleep, or has woken up.
  func sleep(_ isGoing: Bool) { wakingUntil = isGoing ? .infinity : monotonicSeconds() + Self.waking }

  /// A Boolean value indicating whether the headset in use is changing its profile, and is waited for.
  var isHeadsetMoving: Bool { moving != nil }

  /// A Boolean value indicating whether the card of the microphone in use is muted (D1).
  var isMicrophoneMuted: Bool { choice.microphone.map { ports?.isMuted($0, .input) ?? false } ?? false }

  /// A Boolean value indicating whether the microphone in use takes part in cycles now.
  var isMicrophoneRunning: Bool { choice.microphone.map { ports?.isRunning($0) ?? false } ?? false }

  // MARK: Requests

  func pick(_ direction: Device.Direction, name: String?) {
    switch direction {
    case .input: devices.pickedMicrophone = name
    case .output: devices.pickedSpeaker = name
    }
  }

  func picked(_ direction: Device.Direction) -> String? { direction == .input ? devices.pickedMicrophone : devices.pickedSpeaker }

  /// Whether nearend's devices should be the session's defaults (R2).
  var areOursWanted: Bool {
    get { own.isWanted }
    set { own.want(newValue) }
  }

  var pausesOnUnplug: Bool {
    get { pause.isEnabled }
    set {
      pause.isEnabled = newValue
      hooks.pause(pause.isPaused)
    }
  }

  func resume() {
    pause.resume()
    hooks.pause(false)
  }

  // MARK: The choice

  /// Chooses the devices for what the session wants, and applies the consequences.
  /// - Throws: `connectionLost`.
  func choose(in objects: GraphObjects, wanted: SessionDemand) throws(PipeWireError) -> RealDevices.Choice {
    let nodes = Set((RealDevices.nodes(.input, in: objects) + RealDevices.nodes(.output, in: objects)).map(\.id))
    try ports?.watch(objects.nodes.filter { nodes.contains($0.id) })
    remarkWhatIsLeftOut()
    settleDefaults()
    if let metadata { try strays?.look(objects, metadata) }
    var next: [Double] = []
    rememberConfigured()
    var circumstances = circumstances
    let missing = missingPart(objects, &next)
    circumstances.heldSpeaker = moving?.speaker
    var devices = devices
    let found = devices.choose(in: objects, circumstances)
    if missing == .output {
      // Use nothing else meanwhile: private audio is not for the room, and the headset will be back in a moment.
      choice.speaker = nil
      if let microphone = choice.microphone, objects.node(id: microphone.id)?.serial != microphone.serial { choice.microphone = nil }
    } else {
      (self.devices, choice) = (devices, found)
      route = description(of: found)
      look(objects, wanted, circumstances, isWhole: missing == nil)
    }
    if monotonicSeconds() < settledAt { next.append(settledAt) }
    switchHeadset(wanted, &next)
    if let first = next.min() { timer.schedule(after: max(0.01, first - monotonicSeconds())) }
    return choice
  }

  private var circumstances: RealDevices.Circumstances {
    let values = metadata?.values ?? [:]
    var configured: [Device.Direction: String] = [:]
    for direction in [Device.Direction.input, .output] {
      configured[direction] = own.configured(direction.configuredKey, in: values) ?? lastConfigured[direction]
    }
    return RealDevices.Circumstances(defaults: values, configured: configured, ports: ports)
  }

  private func rememberConfigured() {
    guard let metadata, metadata.isKnown else { return }
    for direction in [Device.Direction.input, .output] {
      let name = Metadata.name(in: metadata.values[direction.configuredKey])
      if !(name.map(NodeNames.isOurs) ?? false) { lastConfigured[direction] = name }
    }
  }

  private func description(of choice: RealDevices.Choice) -> RouteDescription {
    func end(_ node: GlobalObject?, _ direction: Device.Direction) -> [RoutePort] {
      guard let node else { return [] }
      return [ports?.port(node, direction) ?? RoutePort(name: node.nodeName ?? "")]
    }
    return RouteDescription(inputs: end(choice.microphone, .input), outputs: end(choice.speaker, .output))
  }

  /// The direction that a headset changing its profile has not brought back yet. Its nodes are replaced, and the session's default moves
  /// elsewhere meanwhile. It is waited for while its card is there, but not for long.
  private func missingPart(_ objects: GraphObjects, _ next: inout [Double]) -> Device.Direction? {
    guard let ports else { return nil }
    if let speaker = choice.speaker, let port = route.outputs.first, port.portType == .bluetoothA2DP || port.portType == .bluetoothHFP,
      objects.node(id: speaker.id)?.serial != speaker.serial
    {
      moving = Moving(card: port.device, speaker: port.name, since: monotonicSeconds())
    }
    guard let moving, ports.headsets.contains(where: { $0.name == moving.card }), monotonicSeconds() < moving.since + Self.patience else {
      moving = nil
      return nil
    }
    next.append(moving.since + Self.patience)
    func nodes(_ direction: Device.Direction) -> [GlobalObject] {
      RealDevices.nodes(direction, in: objects).filter { ports.cardName($0) == moving.card }
    }
    guard let sink = nodes(.output).last else { return .output }
    guard ports.isKnown(sink) else { return .input }
    return ports.port(sink, .output).portType == .bluetoothHFP && nodes(.input).isEmpty ? .input : nil
  }

  // MARK: Consequences

  private func look(_ objects: GraphObjects, _ wanted: SessionDemand, _ now: RealDevices.Circumstances, isWhole: Bool) {
    guard let ports else { return }
    let ends = [choice.microphone, choice.speaker].compactMap { $0 }
    guard isWhole, ends.allSatisfy(ports.isKnown) else { return }
    var chosen: [Device.Direction: String] = [:]
    var available: Set<PortId> = []
    for direction in [Device.Direction.input, .output] {
      chosen[direction] = picked(direction) ?? now.configured[direction]
      for node in RealDevices.nodes(direction, in: objects) { available.formUnion(ports.availablePorts(node, direction)) }
    }
    let wasPaused = pause.isPaused
    pause.look(
      UnplugPause.Look(
        output: route.outputs.first, available: available, chosen: chosen[.output], isPlaying: wanted.receives && wanted.linksDevices,
        time: monotonicSeconds()))
    if pause.isPaused != wasPaused {
      hooks.pause(pause.isPaused)
      hooks.remark(
        pause.isPaused ? .warning : .info, pause.isPaused ? "headphones are gone: paused, rather than play into the room" : "playing again")
    }
    let new = RouteInstant(route: route, available: available, chosen: chosen, isWaking: monotonicSeconds() < wakingUntil)
    arrivals = arrivals.filter { available.contains($0.key) }
    for port in available where arrivals[port] == nil { arrivals[port] = observation == nil ? -.infinity : monotonicSeconds() }
    guard var old = observation else { return observation = new }
    old.available = old.available.filter { port in
      old.route.inputs.contains { $0.id == port } || old.route.outputs.contains { $0.id == port }
        || (arrivals[port].map { monotonicSeconds() - $0 > Self.patience } ?? true)
    }
    // Devices that return after the daemon are not new.
    let isReturning = old.route.inputs.count > route.inputs.count || old.route.outputs.count > route.outputs.count
    if monotonicSeconds() < settledAt, isReturning { return }
    observation = new
    if let change = RouteChange(from: old, to: new) { hooks.changed(change) }
  }

  private func switchHeadset(_ wanted: SessionDemand, _ next: inout [Double]) {
    guard let ports else { return }
    // WirePlumber 0.5 gives a headset a source in its music profile, too, silent until a call: it may be the microphone used with another
    // speaker.
    let heard = ports.headsets.first { card in route.inputs.contains { $0.device == card.name } }?.name
    let played = moving?.card ?? ports.headsets.first { card in route.outputs.contains { $0.device == card.name } }?.name
    // A person who picked another microphone wants that one, and music in full quality.
    let used = devices.pickedMicrophone == nil ? played ?? heard : heard
    let (request, due) = headset.look(sends: wanted.sends && wanted.linksDevices, used: used, cards: ports.headsets, at: monotonicSeconds())
    if let due { next.append(due) }
    keep { $0.headset = headset.change }
    guard let request else { return }
    hooks.remark(.info, "headset \(request.card): profile \(request.profile)")
    ports.perform(request)
  }

  /// Once of each.
  private func remarkWhatIsLeftOut() {
    for (isFull, text) in [
      (metadata?.isFull == true, "somebody moves more streams than nearend remembers: some that ask for nearend may stay where they are"),
      (ports?.cards.isFull == true, "there are more cards than nearend asks: ports of some are not known"),
    ] where isFull && remarked.insert(text).inserted {
      hooks.remark(.warning, text)
    }
  }
  private var remarked: Set<String> = []

  private func settleDefaults() {
    guard let metadata else { return }
    own.settle(metadata) { former in keep { $0.formerDefaults = former } }
  }

  /// Changes the state file.
  func keep(_ change: (inout StateFile.Content) -> Void) {
    var content = kept
    change(&content)
    guard content != kept else { return }
    kept = content
    do {
      try state.write(content)
    } catch {
      hooks.remark(.warning, "\(state.path ?? "") cannot be written, so a crash could not be made good: \(error)")
    }
  }

  // MARK: Reporting

  func candidates(in objects: GraphObjects) -> [Device] { RealDevices.candidates(in: objects, circumstances) }

  func status(in objects: GraphObjects, reference: ReferenceSource) -> RouteStatus {
    let candidates = candidates(in: objects)
    func device(_ node: GlobalObject?, _ direction: Device.Direction) -> Device? {
      candidates.first { $0.name == node?.nodeName && $0.direction == direction }
    }
    return RouteStatus(
      microphone: device(choice.microphone, .input), speaker: device(choice.speaker, .output), pickedMicrophone: picked(.input),
      pickedSpeaker: picked(.output), reference: reference, devices: candidates, current: description(of: choice),
      isPausedAfterUnplug: pause.isPaused,
      areOursDefault: DefaultDevices.areOurs(metadata?.values ?? [:]))
  }
}
