import PipeWireClient

/// Streams that asked for one of nearend's devices, and that the session manager has let follow the default since. [control]
///
/// WirePlumber (0.4, 0.5) does so, as PulseAudio did, as soon as what a stream asked for becomes the default, and 0.4 also when the stream falls back on the
/// default because what it asked for is away. Nearend's devices become the default where no other is there for a moment (a card comes back, a jack is
/// switched), and a participant's device may go and come again: the call would go past the canceller from then on.
final class StrayStreams {
  private let changed: () -> Void
  /// Of streams that follow the default.
  private var infos: NodeInfos

  init(_ connection: Connection, changed: @escaping () -> Void) { (self.changed, infos) = (changed, NodeInfos(connection)) }

  /// Gives those back that follow another device, also another of ours, than the one of ours that they asked for. While that is itself the default nothing
  /// is taken from them: they are where they belong, and the session manager would only mark them again.
  /// - Throws: `connectionLost`.
  func look(_ objects: GraphObjects, _ metadata: Metadata) throws(PipeWireError) {
    let followers = Set(metadata.followers)
    let streams = followers.isEmpty ? [] : objects.nodes.filter { followers.contains($0.id) }
    try infos.look(at: streams, changed: changed)
    for stream in streams {
      guard let info = infos[stream], let name = ourDevice(of: info, objects),
        let followed = Self.followed(from: name, metadata.values), followed != name
      else { continue }
      metadata.followNoLonger(stream.id)
    }
  }

  /// The device of ours that it asked for, by name or by serial number; nil while the daemon has not told.
  private func ourDevice(of info: NodeInfo, _ objects: GraphObjects) -> String? {
    guard let target = info.properties["target.object"] else { return nil }
    let device = objects.nodes.first { $0.nodeName == target || String($0.serial) == target }
    return device?.nodeName.flatMap { NodeNames.isOurs($0) ? $0 : nil }
  }

  /// The default that is used instead of a device of ours; nil where there is none.
  private static func followed(from device: String, _ values: [String: String]) -> String? {
    DefaultDevices.name(in: values[NodeNames.isSink(device) ? "default.audio.sink" : "default.audio.source"])
  }
}
