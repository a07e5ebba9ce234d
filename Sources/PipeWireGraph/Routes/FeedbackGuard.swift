import PipeWireClient

/// Detects whether sound from nearend comes back into it (R1): through links, and through programs that forward sound between their nodes,
/// such as loopbacks and effects.
struct FeedbackGuard {
  private let objects: GraphObjects
  private let links: [UInt32: [UInt32]]
  private let clients: [UInt32: [GlobalObject]]
  private let groups: [String: [UInt32]]

  init(_ objects: GraphObjects) {
    self.objects = objects
    links = Dictionary(grouping: objects.links, by: \.outputNode).mapValues { $0.map(\.inputNode) }
    clients = Dictionary(grouping: objects.nodes.filter { $0.id("client.id") != nil }) { $0.id("client.id") ?? 0 }
    groups = Dictionary(grouping: objects.linkGroups, by: \.value).mapValues { $0.map(\.key) }
  }

  /// Returns whether audio played to `speaker` would reach *Nearend Speaker* or a participant's device.
  func isFed(by speaker: GlobalObject) -> Bool { isReached(from: speaker) { objects.own.sinks.contains($0.id) } }

  /// Returns whether audio recorded from `microphone` comes from *Nearend Microphone*.
  func feeds(_ microphone: GlobalObject) -> Bool {
    guard let ours = objects.own.microphone.flatMap({ objects.node(id: $0) }) else { return false }
    return isReached(from: ours) { $0.id == microphone.id }
  }

  /// The loops that would stop the graph: nodes that forward the voice into one of nearend's sinks within a cycle, or what such a sink
  /// plays into itself. Each node there waits for the one before it, and the filter, in which both ends meet or which waits for the sink,
  /// for ever. The daemon finds loops of links, and runs one link of each a cycle late; of those that close inside a program, whose ends
  /// share a `node.link-group`, 0.3.65 knows nothing. An application that records and plays, without a group, forwards nothing within a
  /// cycle.
  var loops: [GraphLoop] {
    let voice = objects.own.microphone.map { loops(of: $0, into: objects.own.sinks) } ?? []
    let others = objects.own.sinks.flatMap { loops(of: $0, into: [$0]) }
    return (voice + others.filter { other in !voice.contains { $0.ends(with: other) } }).sorted {
      ($0.stream, $0.sink) < ($1.stream, $1.sink)
    }
  }

  /// Returns the ways of a node's sound through programs into one of `sinks`, also by way of nearend's other sinks.
  private func loops(of source: UInt32, into sinks: Set<UInt32>) -> [GraphLoop] {
    var seen: Set<Step> = [Step(node: source, isForwarded: false)]
    var waiting = Array(seen)
    var found: [GraphLoop] = []
    while let step = waiting.popLast() {
      for next in linked(from: step.node) {
        let loop = GraphLoop(source: source, stream: step.node, sink: next)
        if step.isForwarded, sinks.contains(next), !found.contains(loop) { found.append(loop) }
        visit(Step(node: next, isForwarded: step.isForwarded))
      }
      for next in forwarded(from: step.node) { visit(Step(node: next, isForwarded: true)) }
    }
    return found

    func visit(_ step: Step) { if seen.insert(step).inserted { waiting.append(step) } }
  }

  /// Returns the nodes to which a program forwards a node's sound. An echo canceller with devices of its own, such as PulseAudio's
  /// `module-echo-cancel`, has two ways, which do not meet: from its input stream to its source, and from its sink to its output stream.
  private func forwarded(from node: UInt32) -> [UInt32] {
    let members = group(of: node)
    func isKind(_ node: UInt32, _ prefix: String) -> Bool { objects.node(id: node)?.properties["media.class"]?.hasPrefix(prefix) ?? false }
    let isCanceller = ["Stream/Input", "Stream/Output", "Audio/Source", "Audio/Sink"].allSatisfy { kind in
      members.contains { isKind($0, kind) }
    }
    guard isCanceller else { return members.filter { $0 != node } }
    return members.filter { next in
      isKind(node, "Stream/Input") && isKind(next, "Audio/Source") || isKind(node, "Audio/Sink") && isKind(next, "Stream/Output")
    }
  }

  /// A node that the voice reaches, and whether it has passed through a program on the way.
  private struct Step: Hashable {
    let node: UInt32
    let isForwarded: Bool
  }

  private func isReached(from start: GlobalObject, _ isGoal: (GlobalObject) -> Bool) -> Bool {
    var seen: Set = [start.id]
    var waiting = [start]
    while let node = waiting.popLast() {
      for next in successors(of: node) where seen.insert(next.id).inserted {
        if isGoal(next) { return true }
        waiting.append(next)
      }
    }
    return false
  }

  /// Returns the nodes that a node's sound goes to.
  private func successors(of node: GlobalObject) -> [GlobalObject] {
    let nodes = (linked(from: node.id) + group(of: node.id)).compactMap { objects.node(id: $0) }
    guard let client = node.id("client.id") else { return nodes }
    // One end is a stream and the other a device: two streams without a group are an application, two devices are a sound card.
    return nodes + (clients[client] ?? []).filter { $0.isStream != node.isStream }
  }

  /// Returns the nodes that a node is linked to, except nearend's own filter, whose purpose is to listen to the speaker.
  private func linked(from node: UInt32) -> [UInt32] { (links[node] ?? []).filter { $0 != objects.own.filter } }

  /// Returns the nodes of a node's link group, itself among them; empty without one.
  private func group(of node: UInt32) -> [UInt32] { objects.linkGroups[node].flatMap { groups[$0] } ?? [] }
}

/// A way of nearend's sound back into nearend within a cycle.
struct GraphLoop: Equatable {
  /// nearend's node that the sound comes from: its microphone, or a sink.
  let source: UInt32
  /// The node that plays it.
  let stream: UInt32
  /// nearend's sink that it plays into.
  let sink: UInt32

  /// Returns whether both are closed by the same link.
  func ends(with other: GraphLoop) -> Bool { (stream, sink) == (other.stream, other.sink) }
}

extension GlobalObject {
  /// Whether the node is that of an application, or of a program that forwards sound.
  var isStream: Bool { properties["media.class"]?.hasPrefix("Stream/") ?? false }
}
