import PipeWireClient
import SessionModel

/// Returns streams that asked for one of nearend's devices to it if the session manager has let them follow the default since. [control]
///
/// WirePlumber (0.4, 0.5) does so, as PulseAudio did, as soon as the device that a stream asked for becomes the default; 0.4 also when the
/// stream falls back on the default because its device is away. nearend's devices become the default when there is no other for a moment (a
/// card returns, a jack is switched), and a participant's device may disappear and return: from then on the call would bypass the
/// canceller.
final class StrayStreams {
  private let changed: () -> Void
  /// The infos of streams that follow the default.
  private var infos: NodeInfos

  init(_ connection: Connection, changed: @escaping () -> Void) { (self.changed, infos) = (changed, NodeInfos(connection)) }

  /// Returns those that follow a device other than the nearend device that they asked for. While the latter is itself the default they are
  /// left alone: they are where they belong, and the session manager would only mark them again.
  /// - Throws: `connectionLost`.
  func update(_ objects: GraphObjects, _ metadata: Metadata) throws(PipeWireError) {
    let followers = Set(metadata.followers)
    let streams = followers.isEmpty ? [] : objects.nodes.filter { followers.contains($0.id) }
    try infos.watch(streams, changed: changed)
    for stream in streams {
      guard let info = infos[stream], let name = ourDevice(of: info, objects),
        let followed = Self.followed(from: name, metadata.values), followed != name
      else { continue }
      metadata.followNoLonger(stream.id)
    }
  }

  /// Returns the nearend device that the stream asked for, by name or by serial number; nil while unknown.
  private func ourDevice(of info: NodeInfo, _ objects: GraphObjects) -> String? {
    guard let target = info.properties["target.object"] else { return nil }
    let device = objects.nodes.first { $0.nodeName == target || String($0.serial) == target }
    return device?.nodeName.flatMap { NodeNames.isOurs($0) ? $0 : nil }
  }

  /// Returns the default that is used instead of nearend's device; nil if there is none.
  private static func followed(from device: String, _ values: [String: String]) -> String? {
    Metadata.name(in: values[NodeNames.isSink(device) ? "default.audio.sink" : "default.audio.source"])
  }
}
