import PipeWireClient
import SessionModel

/// Makes nearend's two devices smart filters for the session manager (WirePlumber 0.5), or none, by its metadata "filters" (R2). [control]
///
/// They have no target: the session manager puts them between the default device and programs that choose none. Of such filters ours is the
/// last, next to the hardware, because its sound goes on by links of its own. The daemon forgets what is said of a node with the node, and
/// of a new node sometimes, too (1.4): so all is said again some times, which changes nothing where it is known.
final class SmartFilters {
  private var isOn = false
  private var nodes: [GlobalObject] = []
  /// The names of other filters, for a program's sound to pass first.
  private var others: [String] = []
  /// The metadata that was written to, and what is said there, by the serial number of the node.
  private weak var metadata: Metadata?
  private var said: [UInt64: [String: String]] = [:]
  private let repeating: LoopTimer
  /// How often what is said is to be said again.
  private var repetitions = 0

  private static let (smart, after) = ("filter.smart", "filter.smart.after")
  /// The most filters that are named, far more than anybody uses.
  private static let mostOthers = 32
  /// Seconds between what is said and its repetitions.
  private static let repetitionTimes = [0.1, 0.4, 1.5]

  init(loop: ThreadLoop) {
    repeating = LoopTimer(loop: loop)
    repeating.connect(to: self) { $0.sayAgain() }
  }

  deinit { repeating.cancel() }

  /// Says so at once.
  func set(_ isOn: Bool, _ metadata: Metadata?) {
    self.isOn = isOn
    say(to: metadata)
  }

  /// Keeps what the session manager is told true of these nodes, and beside these filters.
  func keep(_ isOn: Bool, in objects: GraphObjects, _ metadata: Metadata?) {
    self.isOn = isOn
    nodes = [objects.own.speaker, objects.own.microphone].compactMap { $0.flatMap(objects.node(id:)) }
    others = Array(Set(objects.filters.map(\.name)).sorted().prefix(Self.mostOthers))
    say(to: metadata)
  }

  private func say(to metadata: Metadata?) {
    guard let metadata else { return said = [:] }
    if metadata !== self.metadata { (self.metadata, said) = (metadata, [:]) }
    let serials = Set(nodes.map(\.serial))
    said = said.filter { serials.contains($0.key) }
    for node in nodes {
      // The order first, because the filter takes its place as soon as it is smart.
      if isOn, !others.isEmpty || said[node.serial]?[Self.after] != nil { say(Self.after, Metadata.value(of: others), node, metadata) }
      if isOn || said[node.serial]?[Self.smart] != nil { say(Self.smart, isOn ? "true" : "false", node, metadata) }
    }
  }

  private func say(_ key: String, _ value: String, _ node: GlobalObject, _ metadata: Metadata) {
    guard said[node.serial]?[key] != value else { return }
    said[node.serial, default: [:]][key] = value
    tell(key, value, node, metadata)
    repetitions = 0
    repeating.schedule(after: Self.repetitionTimes[0])
  }

  private func sayAgain() {
    guard let metadata else { return }
    for node in nodes {
      // In the same order.
      for key in [Self.after, Self.smart] { if let value = said[node.serial]?[key] { tell(key, value, node, metadata) } }
    }
    repetitions += 1
    if repetitions < Self.repetitionTimes.count { repeating.schedule(after: Self.repetitionTimes[repetitions]) }
  }

  private func tell(_ key: String, _ value: String, _ node: GlobalObject, _ metadata: Metadata) {
    metadata.set(key, of: node.id, type: "Spa:String:JSON", value: value)
  }
}
