internal import CPipeWire

/// Queries active links that are to be removed, until the daemon renegotiates none of them.
///
/// It renegotiates after a node was suspended, without reporting it. Removing such a link crashes PipeWire 0.3.65: the link is started once
/// more while being destroyed, and the audio thread finds it gone (`pw_impl_link_destroy`; fixed in 0.3.72). [control]
package final class LinkInquiry {
  private let connection: Connection
  private let changed: () -> Void
  private var questions: [UInt32: Question] = [:]
  private let retryTimer: LoopTimer

  /// Seconds between queries.
  private static let interval = 0.02

  /// `changed` is called on the loop's thread when `mayEnd` should be called again.
  package init(_ connection: Connection, changed: @escaping () -> Void) {
    self.connection = connection
    self.changed = changed
    retryTimer = LoopTimer(loop: connection.loop)
    retryTimer.connect(to: self) { inquiry in
      // Old answers are outdated.
      if inquiry.questions.values.contains(where: { $0.mayEnd != true }) { inquiry.questions = [:] }
      inquiry.changed()
    }
  }

  /// Returns whether all of these links may be removed at once; otherwise `changed` follows.
  /// - Throws: `connectionLost`.
  package func mayEnd(_ links: [RemoteObject]) throws(PipeWireError) -> Bool {
    let active = Set(links.filter { $0.isActive && !$0.isRemoved }.compactMap(\.id))
    questions = questions.filter { active.contains($0.key) }
    for link in active where questions[link] == nil {
      questions[link] = try Question(connection, link: link) { [weak self] in self?.answered() }
    }
    guard questions.values.allSatisfy({ $0.mayEnd == true }) else { return false }
    questions = [:]
    return true
  }

  private func answered() {
    guard questions.values.allSatisfy({ $0.mayEnd != nil }) else { return }
    retryTimer.schedule(after: questions.values.allSatisfy { $0.mayEnd == true } ? 1e-6 : Self.interval)
  }
}

/// One query of a link: a newly bound link reports its state, even a state that the daemon does not announce otherwise.
private final class Question {
  /// nil until the daemon has answered.
  private(set) var mayEnd: Bool?
  private let proxy: BoundProxy
  private let answered: () -> Void

  init(_ connection: Connection, link: UInt32, answered: @escaping () -> Void) throws(PipeWireError) {
    self.answered = answered
    proxy = try BoundProxy(connection, id: link, kind: .link, version: PW_VERSION_LINK)
    let this = Unmanaged.passUnretained(self).toOpaque()
    proxy.listen(Self.proxyEvents, this)
    npw_link_add_listener(proxy.pointer, proxy.makeHook(), Self.linkEvents, this)
  }

  private func answer(_ mayEnd: Bool) {
    self.mayEnd = mayEnd
    answered()
  }

  private static func this(_ data: UnsafeMutableRawPointer?) -> Question { Unmanaged<Question>.fromOpaque(data!).takeUnretainedValue() }

  nonisolated(unsafe) private static let proxyEvents: UnsafePointer<pw_proxy_events> = {
    let events = UnsafeMutablePointer<pw_proxy_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_PROXY_EVENTS)
    // A link that is gone need not be removed.
    events.pointee.removed = { Question.this($0).answer(true) }
    events.pointee.error = { data, _, _, _ in Question.this(data).answer(true) }
    return UnsafePointer(events)
  }()

  nonisolated(unsafe) private static let linkEvents: UnsafePointer<pw_link_events> = {
    let events = UnsafeMutablePointer<pw_link_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_LINK_EVENTS)
    events.pointee.info = { data, info in
      guard let state = info?.pointee.state else { return }
      let isNegotiating = [PW_LINK_STATE_INIT, PW_LINK_STATE_NEGOTIATING, PW_LINK_STATE_ALLOCATING].contains { $0 == state }
      Question.this(data).answer(!isNegotiating)
    }
    return UnsafePointer(events)
  }()
}
