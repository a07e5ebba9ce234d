import PipeWireClient

/// Detects whether Nearend Speaker or Nearend Microphone becomes a different device for applications while the daemon lives.
///
/// Its thread works on a separate object: nothing may refer to an object whose deinitialization has begun, and nothing that the thread
/// releases may wait for it.
final class IdentityWatch: Sendable {
  private let work: IdentityWork

  init(socket: String) throws {
    work = IdentityWork(socket: socket)
    try work.start()
  }

  deinit { work.stop() }

  /// Returns every change since the last call, described for people.
  func drainChanges() -> [String] { work.drainChanges() }
}

/// The state of a watch's thread, which retains it from `start` to `stop`.
///
/// `@unchecked Sendable`: everything mutable is accessed on the loop's thread or inside `loop.locked`.
final class IdentityWork: @unchecked Sendable {
  private let socket: String
  private let loop = ThreadLoop(name: "identity")
  private var connection: Connection?
  private var retry: LoopTimer?
  /// Serial numbers by `node.name`, in the current daemon.
  private var serials: [String: UInt64] = [:]
  private var changes: [String] = []

  private static let names: Set = ["nearend.speaker", "nearend.microphone"]

  init(socket: String) { self.socket = socket }

  func start() throws {
    try loop.start()
    loop.locked {
      retry = LoopTimer(loop: loop) { self.connect() }
      connect()
    }
  }

  func stop() {
    // End the thread first: it may be about to call what is destroyed here.
    loop.stop()
    loop.locked {
      retry = nil
      connection = nil
    }
  }

  func drainChanges() -> [String] {
    loop.locked {
      defer { changes = [] }
      return changes
    }
  }

  private func connect() {
    connection = nil
    serials = [:]
    connection = try? Connection(loop: loop, remote: socket, properties: ["application.name": "identity"]) { event in
      switch event {
      case .added(let object): self.note(object)
      // Deferred, because this is the connection's own event.
      case .lost: self.retry?.schedule(after: 0.1)
      case .removed, .full, .failed: break
      }
    }
    if connection == nil { retry?.schedule(after: 0.1) }
  }

  private func note(_ object: GlobalObject) {
    guard object.kind == .node, let name = object.nodeName, Self.names.contains(name) else { return }
    if let old = serials.updateValue(object.serial, forKey: name), old != object.serial {
      changes.append("\(name) was replaced: serial \(object.serial), was \(old)")
    }
  }
}
