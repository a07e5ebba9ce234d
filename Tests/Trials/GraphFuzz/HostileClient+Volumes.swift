internal import CHostileClient
import SimulatedHardware
import TestSupport

/// Nodes that publish volumes of their own.
extension HostileClient {
  /// The application name of nearend's connections.
  static let nearend = "Nearend Voice Processing"

  /// Returns the nodes that nearend plays to, or records from.
  private func chosen(_ isSpeaker: Bool) -> Set<UInt32> {
    Set(find("Node", "nearend").flatMap { node in ids { hc_linked(client, Self.nearend, node, !isSpeaker, $0, $1) } })
  }

  /// Plays to the speaker that nearend uses, so that nearend ducks it during a call, and publishes volumes.
  func play(_ generator: inout SeededGenerator) -> String {
    guard let player = players.randomElement(using: &generator), players.count > 1 || Bool.random(using: &generator) else {
      let properties = [
        "node.name": "hostile.player", "media.class": "Stream/Output/Audio", "media.role": "Music",
        "application.name": HostilePod.text(&generator),
      ]
      if let node = addHostileNode(properties, to: client) {
        players.append(node)
        publish(.none, node, &generator)
      }
      return "player"
    }
    let node = hc_node_id(player)
    let speakers = chosen(true)
    let isPlaying = speakers.contains { speaker in ids { hc_linked(client, "hostile", speaker, true, $0, $1) }.contains(node) }
    guard isPlaying else {
      let target = speakers.randomElement(using: &generator) ?? find("Node", "hw.speaker").first
      guard let target, let from = ids({ hc_ports(client, node, false, $0, $1) }).first,
        let to = ids({ hc_ports(client, target, true, $0, $1) }).randomElement(using: &generator)
      else { return "player without ports" }
      hc_link(client, from, to)
      return "player linked"
    }
    return publishVolumes(player, hc_lowered(player) > 0 ? "lowered stream's" : nil, &generator)
  }

  /// Publishes some volumes, each wrong in a different way.
  /// - Parameter use: what nearend uses the node for, so that it reads its volumes; nil if it does not.
  private func publishVolumes(_ node: OpaquePointer, _ use: String?, _ generator: inout SeededGenerator) -> String {
    var acts: [String] = []
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let fault = HostilePod.VolumeFault.allCases.randomElement(using: &generator) ?? .none
      publish(fault, node, &generator)
      let isThere = find("Node").contains(hc_node_id(node))
      acts.append(
        use.map { "\($0) volumes: \(fault.rawValue)" } ?? "volumes of a node that \(isThere ? "nearend does not use" : "is not there yet")")
    }
    return acts.joined(separator: "\n")
  }

  /// Becomes the device that nearend uses, and publishes volumes.
  func beDefault(_ generator: inout SeededGenerator) -> String {
    let isSpeaker = Bool.random(using: &generator)
    guard let device = defaults.randomElement(using: &generator), defaults.count > 1 || Bool.random(using: &generator) else {
      let properties = [
        "node.name": isSpeaker ? "hostile.speaker" : "hostile.microphone", "media.class": isSpeaker ? "Audio/Sink" : "Audio/Source",
        "node.description": HostilePod.text(&generator), "priority.session": "99999",
      ]
      if let node = addHostileNode(properties, to: client) { defaults.append(node) }
      return "device to be default"
    }
    if Int.random(in: 0..<4, using: &generator) == 0, let metadata = find("Metadata", "default").randomElement(using: &generator) {
      hc_set_metadata(
        requests, metadata, 0, isSpeaker ? "default.audio.sink" : "default.audio.source", "Spa:String:JSON",
        "{\"name\":\"hostile.\(isSpeaker ? "speaker" : "microphone")\"}")
    }
    let (speakers, microphones) = (chosen(true), chosen(false))
    if let speaker = defaults.first(where: { speakers.contains(hc_node_id($0)) }), isSpeaker {
      return publishVolumes(speaker, "used speaker's", &generator)
    }
    if let microphone = defaults.first(where: { microphones.contains(hc_node_id($0)) }) {
      return publishVolumes(microphone, "used microphone's", &generator)
    }
    return publishVolumes(device, nil, &generator)
  }

  private func publish(_ fault: HostilePod.VolumeFault, _ node: OpaquePointer, _ generator: inout SeededGenerator) {
    Self.withPod(2, .volumes(fault, &generator)) { hc_tell_props(node, $0) }
  }
}
