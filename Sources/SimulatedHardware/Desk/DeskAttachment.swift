import PipeWireClient

/// The desk's cards in one daemon; removed when the daemon ends. As on a real machine the session manager provides the cards, so there are
/// none without one. [control]
final class DeskAttachment {
  private let connection: Connection
  private var exports: [DeskCard.Kind: CardExport] = [:]
  private let relay: Relay

  /// Events come before `self` is fully initialized.
  private final class Relay {
    weak var owner: DeskAttachment?
    let managed: (Bool) -> Void
    let lost: () -> Void
    init(managed: @escaping (Bool) -> Void, lost: @escaping () -> Void) {
      self.managed = managed
      self.lost = lost
    }
  }

  /// `managed` is called when a session manager appears or disappears; `lost` when the daemon disappears.
  init(loop: ThreadLoop, socket: String, managed: @escaping (Bool) -> Void, lost: @escaping () -> Void) throws(PipeWireError) {
    let relay = Relay(managed: managed, lost: lost)
    self.relay = relay
    connection = try Connection(loop: loop, remote: socket, properties: ["application.name": "desk"]) { event in
      switch event {
      case .added(let object), .removed(let object):
        guard let owner = relay.owner else { break }
        if object.kind == .client { relay.managed(owner.hasManager) }
        if object.kind == .node { for export in owner.exports.values { export.watchNodes() } }
      case .lost: relay.lost()
      case .full, .failed: break
      }
    }
    relay.owner = self
  }

  private var hasManager: Bool {
    connection.objects(of: .client).contains { $0.properties["application.name"]?.hasPrefix("WirePlumber") == true }
  }

  /// Adds a card to the graph, changes it, or removes it if nil.
  func show(
    _ card: DeskCard?, of kind: DeskCard.Kind, group: String?, requests: @autoclosure () -> CardExport.Requests
  ) throws(PipeWireError) {
    guard let card else {
      exports[kind] = nil
      return
    }
    if let export = exports[kind] { return export.show(card) }
    exports[kind] = try CardExport(connection, card, group: group, requests())
  }

  func withdrawAll() { exports = [:] }

  func isStreaming(_ kind: DeskCard.Kind) -> Bool { exports[kind]?.isStreaming ?? false }

  func id(of kind: DeskCard.Kind) -> UInt32? { exports[kind]?.id }
}
