import PipeWireClient
import SessionModel

/// The registry's objects as nodes, ports and links: a value, so that rules are functions of it.
struct GraphObjects {
  struct Port {
    let id: UInt32
    let node: UInt32
    var name: String
    /// Its index among the node's ports of its direction.
    let index: Int
    /// "FL", "MONO", …; empty if the port has none.
    let channel: String
    let isInput: Bool
    /// Whether this is a sink's monitor port.
    let isMonitor: Bool
  }
  struct Link {
    let id: UInt32
    let key: LinkKey
    let outputNode: UInt32
    let inputNode: UInt32
  }

  /// nearend's own nodes, identified by the ids that the daemon gave them, because any node may bear their names.
  struct Own {
    var filter: UInt32?
    var microphone: UInt32?
    /// *Nearend Speaker* and the participants' devices.
    var sinks: Set<UInt32> = []
    /// *Nearend Speaker*, which is one of them.
    var speaker: UInt32?

    var all: Set<UInt32> { sinks.union([filter, microphone].compactMap { $0 }) }
  }

  /// nearend's own nodes; found by name until set.
  var own = Own()
  /// `node.link-group` by node, from `LinkGroups`: streams of one program that forward audio between them.
  var linkGroups: [UInt32: String] = [:]
  /// Other programs' filters with a device of their own, from `LinkGroups`.
  var filters: [OtherFilter] = []
  var nodes: [GlobalObject] = []
  var ports: [UInt32: [Port]] = [:]
  var links: [Link] = []
  private var nodesById: [UInt32: GlobalObject] = [:]

  init(_ objects: some Sequence<GlobalObject>) {
    for object in objects {
      switch object.kind {
      case .node:
        nodes.append(object)
        nodesById[object.id] = object
      case .port:
        guard let node = object.id("node.id"), let name = object.properties["port.name"] else { continue }
        ports[node, default: []].append(
          Port(
            id: object.id, node: node, name: name, index: object.id("port.id").map { Int($0) } ?? -1,
            channel: object.properties["audio.channel"] ?? "",
            isInput: object.properties["port.direction"] == "in", isMonitor: object.properties["port.monitor"] == "true"))
      case .link:
        guard
          let output = object.id("link.output.port"), let input = object.id("link.input.port"),
          let outputNode = object.id("link.output.node"), let inputNode = object.id("link.input.node")
        else { continue }
        links.append(Link(id: object.id, key: LinkKey(output: output, input: input), outputNode: outputNode, inputNode: inputNode))
      default: continue
      }
    }
    // In the node's own order: the registry gives ids of objects that have gone to new ones.
    for node in ports.keys { ports[node]?.sort { ($0.index, $0.id) < ($1.index, $1.id) } }
    nodes.sort { $0.serial < $1.serial }
    own = Own(
      filter: node(named: NodeNames.filter)?.id, microphone: node(named: NodeNames.microphone)?.id,
      sinks: Set(nodes.filter { $0.nodeName.map { NodeNames.isSink($0) } ?? false }.map(\.id)), speaker: node(named: NodeNames.speaker)?.id)
  }

  /// Corrects port names that are outdated in the registry; nil keeps a name.
  mutating func rename(portsOf node: UInt32, _ name: (Port) -> String?) {
    guard let count = ports[node]?.count else { return }
    for i in 0..<count { if let port = ports[node]?[i], let name = name(port) { ports[node]?[i].name = name } }
  }

  func node(id: UInt32) -> GlobalObject? { nodesById[id] }

  /// Returns the node of that name; the newest if there are several, as during a replacement.
  func node(named name: String) -> GlobalObject? { nodes.last { $0.nodeName == name } }

  /// Returns whether a node is linked with any node outside `own`.
  func hasLinks(of node: UInt32, beyond own: Set<UInt32>) -> Bool {
    links.contains { $0.outputNode == node && !own.contains($0.inputNode) || $0.inputNode == node && !own.contains($0.outputNode) }
  }

  func inputs(of node: UInt32) -> [Port] { ports[node]?.filter { $0.isInput && !$0.isMonitor } ?? [] }
  /// Returns a microphone's output ports. A virtual microphone is built like a sink, so these are its monitor ports.
  func outputs(of node: UInt32) -> [Port] {
    let outputs = ports[node]?.filter { !$0.isInput } ?? []
    let captures = outputs.filter { !$0.isMonitor }
    return captures.isEmpty ? outputs : captures
  }
  func monitors(of node: UInt32) -> [Port] { ports[node]?.filter { !$0.isInput && $0.isMonitor } ?? [] }
}

/// Identifies a link by its ports.
struct LinkKey: Hashable {
  let output: UInt32
  let input: UInt32
}
