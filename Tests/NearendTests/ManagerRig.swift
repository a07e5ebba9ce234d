import Dispatch
import PipeWireGraph
import SessionModel
import Synchronization
import Testing

@testable import Nearend

/// A manager with graphs of its own, and a record of its events.
struct ManagerRig {
  let world = GraphWorld()
  let manager: AudioSessionManager

  init() { manager = world.makeManager() }

  var graph: GraphDouble { get throws { try #require(world.graph) } }
  var demand: SessionDemand { world.graph?.demand ?? SessionDemand() }
  /// Every warning so far.
  var warnings: [String] { manager.owner.log.all.filter { $0.level == .warning }.map(\.message) }

  /// Registers a call: media "mic", which sends, and "ear", which receives. Returns once the graph, on its own thread, provides both.
  func registerCall() throws {
    try manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    try manager.registerMedia(id: "ear", isSend: false, isReceive: true)
    _ = demand
  }
  /// Returns a manager in a call, which a call manager has activated if `isManual`.
  static func inCall(isManual: Bool) throws -> ManagerRig {
    let rig = ManagerRig()
    rig.manager.manualAudioSessionManagement = isManual
    try rig.registerCall()
    if isManual { rig.manager.audioSessionDidActivateExternally() }
    return rig
  }
  func unregisterCall() {
    manager.unregisterMedia(id: "mic")
    manager.unregisterMedia(id: "ear")
  }
  /// Registers a speaker output of 16 kHz mono with a buffer of 100 ms.
  func registerSpeaker(_ id: String = "ear") -> Bool {
    manager.registerSpeakerOutput(mediaId: id, sampleRate: 16_000, channelCount: 1, bufferSize: 3_200)
  }
  func fill(_ id: String) throws -> Int { try #require(manager.owner.service?.core.mixer.ringSink(id: id)).status().fillBytes }

  static let call = SessionDemand(sends: true, receives: true, keepsAwake: true)
  static let packet = [Int16](repeating: 1_000, count: 160)
}

/// Records events in the order of posting.
final class EventTape: Sendable {
  private let events = Mutex<[AudioEvent]>([])
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  init(_ bus: EventBus) {
    let received = bus.subscribe { [weak self] in if case .event(let event) = $0 { self?.events.withLock { $0.append(event) } } }
    subscription.withLock { $0 = received }
  }

  var all: [AudioEvent] { events.withLock { $0 } }
  var kinds: [AudioEvent.Kind] { all.map(\.kind) }
}

/// Waits until the fact is true, 10 s at most.
func wait(for what: String, _ fact: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(10)
  while !fact() {
    if ContinuousClock.now > end { throw Unmet(what: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

struct Unmet: Error { let what: String }
