import PipeWireClient

/// Whether sound that nearend gives away comes back into it (R1): through links, and through programs that take sound in at one of their nodes and give it
/// out at another, as loopbacks and effects do.
struct FeedbackGuard {
  private let objects: GraphObjects
  private let links: [UInt32: [UInt32]]
  private let filter: UInt32?

  init(_ objects: GraphObjects) {
    self.objects = objects
    filter = objects.node(named: NodeNames.filter)?.id
    links = Dictionary(grouping: objects.links, by: \.outputNode).mapValues { $0.map(\.inputNode) }
  }

  /// What is played there would be heard in *Nearend Speaker* or a participant's device again.
  func isFed(by speaker: GlobalObject) -> Bool {
    isReached(from: speaker) { $0.nodeName.map { NodeNames.isSink($0) } ?? false }
  }

  /// What is recorded there comes from *Nearend Microphone*.
  func feeds(_ microphone: GlobalObject) -> Bool {
    guard let ours = objects.node(named: NodeNames.microphone) else { return false }
    return isReached(from: ours) { $0.id == microphone.id }
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

  /// Not through our own filter: that it listens to the speaker is its purpose.
  private func successors(of node: GlobalObject) -> [GlobalObject] {
    let linked = (links[node.id] ?? []).filter { $0 != filter }.compactMap { objects.node(id: $0) }
    guard let client = node.id("client.id") else { return linked }
    // One end is a stream and the other a device: two streams are an application, two devices are a sound card.
    return linked + objects.nodes.filter { $0.id("client.id") == client && isStream($0) != isStream(node) }
  }

  private func isStream(_ node: GlobalObject) -> Bool { node.properties["media.class"]?.hasPrefix("Stream/") ?? false }
}
